#!/usr/bin/env python3
"""Fits seconds = a N^3/P + b N^2/P + c N^2/sqrt(P) to docs/results/scale.csv and says what that means for more ranks.

The first term is the arithmetic of the factorisation, the second that of the covariance, the third what ranks send to each
other. P counts cores at work: four ranks on two cores are two. Usage: bench/scale_model.py [CORES OF THE MEASURING MACHINE]

The cluster that it is computed for is LUMI-C: nodes of 128 cores and 256 GB, of which every rank's inputs take their part."""
import csv
import pathlib
import sys

import numpy

folder = pathlib.Path(__file__).resolve().parent.parent / "docs/results"
cores = int(sys.argv[1]) if len(sys.argv) > 1 else 2
node_cores, node_gigabytes, features = 128, 256, 784
rows = list(csv.DictReader(open(folder / "scale.csv")))


def terms(samples, working, ranks):
    return [samples**3 / working, samples**2 / working, samples**2 / ranks**0.5 if ranks > 1 else 0.0]


for what in ("evidence", "gradient"):
    measured = [row for row in rows if row["what"] == what]
    if len(measured) < 4:
        continue
    design, seconds = [], []
    for row in measured:
        ranks = int(row["ranks"])
        design.append(terms(float(row["samples"]), min(ranks, cores), ranks))
        seconds.append(float(row["seconds"]))
    design, seconds = numpy.array(design), numpy.array(seconds)
    # Relative errors count, and no term is negative.
    weights = design / seconds[:, None]
    active = list(range(design.shape[1]))
    while True:
        fitted = numpy.linalg.lstsq(weights[:, active], numpy.ones(len(seconds)), rcond=None)[0]
        if (fitted >= 0).all():
            break
        active.pop(int(numpy.argmin(fitted)))
    a = numpy.zeros(design.shape[1])
    a[active] = fitted
    error = design @ a / seconds - 1
    print(f"{what}: seconds = {a[0]:.3g} N^3/P + {a[1]:.3g} N^2/P + {a[2]:.3g} N^2/sqrt(P); "
          f"largest error of the fit {100 * abs(error).max():.0f} %")
    for samples, nodes, ranks in ((100_000, 1, 128), (100_000, 8, 128), (1_000_000, 128, 8)):  # ranks of a node
        time = numpy.dot(a, terms(float(samples), nodes * node_cores, nodes * ranks))
        held = 8 * samples * (samples / nodes + features * ranks) / 1e9
        print(f"  computed, not measured: N = {samples:,} on {nodes} nodes of {ranks} ranks each: {time:,.0f} s a cell, "
              f"{held:,.0f} of {node_gigabytes} GB of each node for matrix and inputs")
