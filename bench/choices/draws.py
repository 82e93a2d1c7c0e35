"""Does another draw of rows give the same answer? Runs `priorfit recommend` on draws of 500 rows.

    python3 bench/choices/draws.py PRIORFIT TABLES RESULTS [DRAWS]

TABLES holds concrete.txt, energy.txt and kin8nm.txt. RESULTS, a .tsv, has one line per draw; those that are there are not
made again. The number of pilots is fixed at the most that are ever trained, so that every line can be repeated.
"""
import collections
import json
import pathlib
import subprocess
import sys

PILOTS, ROWS = "61", "500"
QUESTIONS = [("digits", "pytorch"), ("concrete.txt", "he"), ("energy.txt", "he"), ("kin8nm.txt", "he")]
HEAD = "data\tcurrent\tseed\taction\tgain\tlower\tupper\tstart\n"


def ask(priorfit, source, current, seed):
    run = subprocess.run([priorfit, "recommend", source, "--current", current, "--samples", ROWS, "--seed", str(seed), "--pilots",
                          PILOTS, "--threads", "1", "--format", "json", "--quiet"], capture_output=True, text=True, check=True)
    verdict = json.loads(run.stdout)["verdict"]
    low, high = verdict["gain_interval"]
    return verdict["action"], verdict["gain"], low, high, verdict["best_other"]


def main():
    priorfit, tables, results = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    draws = int(sys.argv[4]) if len(sys.argv) > 4 else 20
    if not results.exists():
        results.write_text(HEAD)
    done = {tuple(line.split("\t")[:3]) for line in results.read_text().splitlines()}
    for seed in range(1, draws + 1):
        for data, current in QUESTIONS:
            if (data, current, str(seed)) in done:
                continue
            source = data if data == "digits" else str(tables / data)
            fields = [data, current, seed, *ask(priorfit, source, current, seed)]
            with open(results, "a") as file:
                file.write("\t".join(map(str, fields)) + "\n")
    counts = collections.Counter(tuple(line.split("\t")[i] for i in (0, 1, 3)) for line in results.read_text().splitlines()[1:])
    for (data, current, action), count in sorted(counts.items()):
        print(f"{data} from {current}: {action} {count}")


main()
