#!/usr/bin/env python3
"""Writes answers.json: record.py PRIORFIT, the binary whose answers are to be kept; compares with --check. See README.md."""
import json
import pathlib
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).parent
GRID = "--weight-variances 0.5,1,2 --bias-variances 0,0.5"
COMMANDS = {
    "grid": f"recommend digits --samples 200 --seed 1 {GRID} --noise 1e-4 --depth 1 --activation relu",
    "grid-noise-fitted": f"recommend digits --samples 150 --seed 2 {GRID} --noise fit --noise-bounds 1e-4,1 --risk-samples 0",
    "grid-leave-one-out": f"recommend digits --samples 120 --seed 3 {GRID} --noise 1e-3 --leave-one-out --risk-samples 0",
    "grid-deep": f"recommend digits --samples 120 --seed 4 {GRID} --noise 1e-3 --depth 4 --activation gelu --risk-samples 0",
    "grid-table": f"recommend TABLE {GRID} --noise 1e-2 --depth 2 --activation tanh --preprocess standardize --risk-samples 0",
    "grid-untied": f"recommend TABLE {GRID} --output-variances 0.1,1 --noise 1e-2 --preprocess standardize --risk-samples 0",
    "risk": f"recommend digits --samples 150 --seed 5 {GRID} --noise 1e-3 --width 500 --ridge 1e-3 --risk-samples 150",
    "predict": "predict digits --samples 250 --seed 6 --test-fraction 0.2 --weight-variance 1.5 --bias-variance 0.1 --noise 1e-3",
    "predict-deep": "predict TABLE --test-fraction 0.25 --seed 1 --depth 3 --activation erf --weight-variance 1.5 "
                    "--bias-variance 0.1 --noise 1e-2 --preprocess standardize",
    "simulate": "simulate --seeds 3 --noise 1e-4",
    "phase": "phase --activation tanh --depth 20",
    "experiment": "experiment --data TABLE --sizes 60,120 --seed 1 --seeds 1 --epochs 2 --batch 32 --width 30 --noise 1e-2 "
                  "--weight-variances 0.5,2 --bias-variances 0,1 --preprocess standardize --test-fraction 0.25 --out OUT",
}
# What a search found is compared within its own tolerance, elsewhere; here only what was evaluated.
KEPT = {
    "recommendation": ["grid", "baselines"],
    "prediction": ["rmse", "accuracy", "negative_log_predictive_density", "coverage95"],
    "simulation": ["rmse", "recovery"],
    "phase": ["cells", "critical"],
    "experiment": ["sizes"],
}
FIGURES = {"log_marginal_likelihood", "leave_one_out", "noise_variance", "error", "data_error", "initialisation_error", "accuracy",
           "rmse", "negative_log_predictive_density", "coverage95", "argmax", "design", "worst_pair", "count", "fraction",
           "fixed_point", "chi", "weight_variance"}


def figures(value, path=""):
    """(path, number) of all figures below."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, (dict, list)) or key in FIGURES:
                yield from figures(inner, f"{path}/{key}")
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from figures(inner, f"{path}/{i}")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


def run(binary, command, out):
    words = [str(here / "table.csv") if w == "TABLE" else out if w == "OUT" else w for w in command.split()]
    words += ["--format", "json", "--quiet", "--threads", "1"]
    result = json.loads(subprocess.run([binary, *words], check=True, capture_output=True, text=True).stdout)
    kind = result["schema"].split(".")[1].split("/")[0]
    found = {path: number for key in KEPT[kind] for path, number in figures(result.get(key, {}), f"/{key}")}
    if kind == "experiment":  # what networks train to depends on the processor
        found = {path: number for path, number in found.items() if "/evidence/" in path}
    return found


def differences(known, found):
    """Lines that name what is missing or differs by more than a relative 1e-8."""
    for path, number in known.items():
        if path not in found:
            yield f"{path} is missing; it was {number}"
        elif abs(found[path] - number) > 1e-8 * abs(number) + 1e-10:
            yield f"{path} is {found[path]}; it was {number}"


def main():
    checks = sys.argv[1] == "--check"
    known = json.loads((here / "answers.json").read_text()) if checks else {}
    answers, wrong = {}, 0
    for name, command in COMMANDS.items():
        with tempfile.TemporaryDirectory() as out:
            answers[name] = {"command": command, "figures": run(sys.argv[-1], command, out)}
        if checks:
            lines = list(differences(known[name]["figures"], answers[name]["figures"]))
            wrong += bool(lines)
            print(f"{name}: {len(known[name]['figures'])} figures, {len(lines)} differ", *lines[:5], sep="\n  ")
    if not checks:
        (here / "answers.json").write_text(json.dumps(answers, indent=1) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
