"""experiment_json.py LOSS FOLDER: the kept networks of the curves as FOLDER/experiment.json, for `priorfit report`.

Sizes with enough networks whose curves were kept; the page says how many it draws.
"""
import json
import math
import pathlib
import sys

from data import EPOCHS, HE, best, evidence_by_size
from network_tables import CURVES, FEWEST, shown


def curve(points, which):
    values = [None] * EPOCHS
    for point in points:
        values[point[0] - 1] = point[which] if not math.isnan(point[which]) else None
    return values


def size_of(n, t, grid):
    cells = [{"weight_variance": w, "bias_variance": b, "seed": seed, "accuracy": t.test[w, b, seed], "curve": curve(points, 2), "train_curve": curve(points, 1)}
             for (w, b, seed), points in t.curves.items() if seed in t.seeds]
    evidence = [{"weight_variance": w, "bias_variance": b, "log_marginal_likelihood": v, "status": "ok"} for (w, b), v in grid.items()]
    return {"size": n, "recommended": {"weight_variance": best(grid)[0], "bias_variance": best(grid)[1]}, "cells": cells, "evidence": evidence,
            "rank_correlation": t.correlation(grid)}


def rules(n, t, grid):
    means = t.means()
    chosen = {"best": best(means), "worst": min(means, key=means.get), "He": HE, "recommended": best(grid)}
    chosen = {rule: p for rule, p in chosen.items() if p in means}
    return [{"size": n, "rule": rule, "accuracy": means[p], "weight_variance": p[0], "bias_variance": p[1], "regret": t.regret(p), "rank": t.rank(p)}
            for rule, p in chosen.items()]


def main(loss, folder):
    grids = evidence_by_size()
    drawn = {n: t for n, t in shown(loss, CURVES).items() if len(t.curves) >= FEWEST}
    if not drawn:
        sys.exit(f"no size of {loss} has curves")
    result = {"schema": "priorfit.experiment/1", "data": {"name": "mnist"}, "specification": {"epochs": EPOCHS},
              "sizes": [size_of(n, t, grids[n]) for n, t in drawn.items()], "rows": [r for n, t in drawn.items() for r in rules(n, t, grids[n])]}
    (pathlib.Path(folder) / "experiment.json").write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
