"""Writes every block of docs/reproduction.md that holds a figure of ours, from docs/results.

    python3 bench/paper/page.py            # writes the page
    python3 bench/paper/page.py --check    # says whether the page is what this writes; exit code 1 if not
"""
import difflib
import re
import sys

import deep_tables
import mnist_tables
import network_tables
from data import RESULTS

PAGE = RESULTS.parent / "reproduction.md"
BLOCKS = {
    "state": network_tables.state,
    "simulation": mnist_tables.simulation,
    "simulation by noise": mnist_tables.simulation_noise,
    "evidence": mnist_tables.evidence,
    "evidence in words": mnist_tables.evidence_said,
    "redraws": mnist_tables.redraws,
    "continuous": mnist_tables.continuous,
    "open choices": mnist_tables.open_choices,
    "open choices in words": mnist_tables.open_said,
    "finding": network_tables.finding_said,
    "agreement": network_tables.finding,
    "curves by squared error": lambda: network_tables.maps("squared", network_tables.CURVES),
    "curves by cross-entropy": lambda: network_tables.maps("cross-entropy", network_tables.CURVES),
    "table 1": network_tables.table,
    "table 1 by squared error": lambda: network_tables.maps("squared", network_tables.TABLE),
    "table 1 by cross-entropy": lambda: network_tables.maps("cross-entropy", network_tables.TABLE[:2]),
    "deep": deep_tables.deep,
    "deep in words": deep_tables.deep_said,
    "trained-risk in words": deep_tables.risk_said,
}
MARKED = re.compile(r"(<!-- ([^:\n]*): written by bench/paper/page\.py -->\n).*?(<!-- end of \2 -->)", re.DOTALL)


def written(page):
    """The page with every block anew; each must be in it once."""
    names = [m.group(2) for m in MARKED.finditer(page)]
    if sorted(names) != sorted(BLOCKS):
        sys.exit(f"blocks of the page: {sorted(names)}, of the script: {sorted(BLOCKS)}")
    return MARKED.sub(lambda m: f"{m.group(1)}\n{BLOCKS[m.group(2)]().strip()}\n\n{m.group(3)}", page)


def main(check):
    old = PAGE.read_text()
    new = written(old)
    if not check:
        PAGE.write_text(new)
    elif new != old:
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "docs/reproduction.md", "what page.py writes"))
        sys.exit("docs/reproduction.md is not what bench/paper/page.py writes: run it")


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
