"""simulated.py SIMULATION.json TARGET,NOISE FILE.csv: appends how often each pair had the highest evidence, and the errors."""
import json
import os
import sys

source, key, target = sys.argv[1:]
result = json.load(open(source))
with open(target, "a") as file:
    if not os.path.getsize(target):
        print("target,noise_variance,seeds,weight_variance,bias_variance,chosen,rmse_best,rmse_design,rmse_far", file=file)
    errors = [result["rmse"][name] for name in ("argmax", "design", "worst_pair")]
    for pair in result["argmax"]:
        print(key, result["recovery"]["seeds"], pair["weight_variance"], pair["bias_variance"], pair["count"], *errors, sep=",", file=file)
