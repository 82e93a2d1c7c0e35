#!/usr/bin/env python3
"""Writes the table of fuzzing in docs/reliability.md. Usage: fuzz/page.py [RUNS.tsv…] [--check]

Adds the runs of scripts/fuzz (build-fuzz/findings/runs.tsv) given to docs/results/fuzz/runs.tsv, and makes the table from
that and from docs/results/fuzz/coverage.tsv. With --check nothing is written; ends with 1 when the page says otherwise."""
import pathlib, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE, RESULTS = ROOT / "docs/reliability.md", ROOT / "docs/results/fuzz"
HEADER = "target\tprofile\texecutions\tseconds\tprocessor seconds\tpeak MB\n"
BEGIN, END = "<!-- fuzz: fuzz/page.py -->\n", "<!-- end of fuzz -->"


def add(paths):
    kept = RESULTS / "runs.tsv"
    text = kept.read_text() if kept.exists() else HEADER
    kept.write_text(text + "".join(pathlib.Path(path).read_text() for path in paths))


def runs():
    """By target and profile: executions, processor seconds, peak."""
    totals = {}
    for line in (RESULTS / "runs.tsv").read_text().splitlines()[1:]:
        target, profile, executions, _, used, peak = line.split("\t")
        total = totals.setdefault(target, {}).setdefault(profile, [0, 0.0, 0])
        total[0] += int(executions)
        total[1] += float(used)
        total[2] = max(total[2], int(peak))
    return totals


def coverage():
    totals = {}
    for line in (RESULTS / "coverage.tsv").read_text().splitlines()[1:]:
        reader, _, lines, reached = line.split("\t")
        total = totals.setdefault(reader, [0, 0])
        total[0] += int(lines)
        total[1] += int(reached)
    return totals


def table():
    reached = coverage()
    lines = ["| reader | executions | per processor second | of up to 1 MB | lines of its files | reached |",
             "|---|---:|---:|---:|---:|---:|"]
    for target, profiles in runs().items():
        count, used, _ = profiles.get("small", [0, 0.0, 0])
        large = profiles.get("large", [0, 0.0, 0])[0]
        of = reached.get(target)
        lines.append(f"| {target} | {count:,} | {count / used if used else 0:,.0f} | {large:,} | "
                     + (f"{of[0]:,} | {100 * of[1] / of[0]:.1f} % |" if of else "– | – |"))
    return "\n".join(lines) + "\n"


def main(words):
    paths = [word for word in words if word != "--check"]
    if paths: add(paths)
    page = PAGE.read_text()
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    made = page[:begin] + table() + page[end:]
    if "--check" in words: return 0 if made == page else 1
    PAGE.write_text(made)
    return 0


sys.exit(main(sys.argv[1:]))
