"""networks.py STORE.json FILE.csv: the networks of `priorfit experiment --show --format json` into FILE.

Kept are the tested epochs and, of the training accuracy, the first ones, where it changes. What FILE holds of other networks stays. An unfinished network is not in the store's results and so not in FILE.
"""
import csv
import json
import os
import sys

EARLY = {*range(1, 11), 15, 20}
COLUMNS = ["size", "weight_variance", "bias_variance", "seed", "epoch", "train_accuracy", "test_accuracy"]


def lines_of(store):
    """Key of each network → its lines."""
    found = {}
    for size in store["sizes"]:
        for cell in size["cells"]:
            key = (size["size"], cell["weight_variance"], cell["bias_variance"], cell["seed"])
            epochs = zip(range(1, len(cell["curve"]) + 1), cell["train_curve"], cell["curve"])
            found[key] = [[*key, e, f"{train:.5g}", "" if test is None else test] for e, train, test in epochs if test is not None or e in EARLY]
    return found


def merged(kept, new):
    networks = {}
    for line in kept:
        key = (int(line[0]), float(line[1]), float(line[2]), int(line[3]))
        networks.setdefault(key, []).append(line)
    networks |= new
    return [line for key in sorted(networks) for line in networks[key]]


def main(source, target):
    kept = list(csv.reader(open(target)))[1:] if os.path.exists(target) else []
    lines = merged(kept, lines_of(json.load(open(source))))
    with open(target + ".new", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *([f"{v:g}" if isinstance(v, float) else v for v in line] for line in lines)])
    os.replace(target + ".new", target)


if __name__ == "__main__":
    main(*sys.argv[1:])
