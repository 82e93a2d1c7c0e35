"""maximum.py RECOMMENDATION.json FILE.csv: appends the maximum of the evidence between the cells, with its intervals."""
import json
import os
import sys

source, target = sys.argv[1:]
result = json.load(open(source))
best = result["recommended"]
row = {"size": result["data"]["samples"]}
for name in ("weight_variance", "bias_variance", "noise_variance"):
    interval = (best.get("intervals") or {}).get(name) or ["", ""]
    row |= {name: best[name], f"{name}_low": interval[0], f"{name}_high": interval[1]}
row |= {"log_marginal_likelihood": best["log_marginal_likelihood"], "at_bound": " ".join(best["at_bound"])}
with open(target, "a") as file:
    if not os.path.getsize(target):
        print(*row, sep=",", file=file)
    print(*row.values(), sep=",", file=file)
