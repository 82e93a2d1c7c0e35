"""The tasks of the benchmark of choices, drawn once by a fixed seed and written down before anything is trained.

    python3 bench/choices/design.py > bench/choices/tasks.tsv

Every level of every factor appears in at least six tasks. Which data sets are held back for the final score is drawn
too, except that those of the first version's study belong to development.
"""
import random

SEED = 20261118  # the day it was drawn; changed never
# name: rows, features after encoding (about), classes (0: regression), training rows available, tasks
SETS = {
    "mnist": (60000, 784, 10, 3), "fashion-mnist": (60000, 784, 10, 3), "cifar10": (50000, 3072, 10, 2),
    "digits": (1437, 64, 10, 3),
    "concrete": (1030, 8, 0, 2), "energy": (768, 8, 0, 2), "kin8nm": (8192, 8, 0, 2), "power-plant": (9568, 4, 0, 2),
    "wine-quality-red": (1599, 11, 0, 2),
    "yacht": (308, 6, 0, 2), "abalone": (4177, 10, 0, 2), "winequality-white": (4898, 11, 0, 2),
    "diabetes": (442, 10, 0, 2),
    "adult": (32561, 105, 2, 2), "banknote": (1372, 4, 2, 2), "breast-cancer": (286, 42, 2, 2),
    "ecoli": (336, 7, 8, 2), "german": (1000, 61, 2, 2), "horse-colic": (300, 60, 2, 2),
    "mammography": (11183, 6, 2, 2), "oil-spill": (937, 48, 2, 2), "pima": (768, 8, 2, 2), "seeds": (210, 7, 3, 2),
    "iris": (150, 4, 3, 2), "wine": (178, 13, 3, 2), "wdbc": (569, 30, 2, 2),
}
IMAGES = {"mnist", "fashion-mnist", "cifar10"}
KNOWN = IMAGES | {"concrete", "energy", "kin8nm", "power-plant", "wine-quality-red"}  # of the first study
LEVELS = {
    "rows": [200, 500, 1000, 2000, 5000],
    "depth": [1, 1, 2, 2, 3, 3, 5, 10],
    "activation": ["relu", "leaky_relu", "gelu", "silu", "tanh", "erf"],
    "width": [64, 64, 128, 128, 256, 256, 512, 1000, 2000],
    "optimizer": ["adam", "adam", "adamw", "sgd"],
    "inputs": ["standardize", "unit", "none"],
}
LEAST = 6          # tasks per level
LONGEST = 3.0      # seconds that a network may take, as estimated
SPEED = 2e10       # floating-point operations per second of one core in training, about
STEPS = 500
NONZERO = {"mnist": 0.2, "fashion-mnist": 0.5}  # share of the inputs that training has to look at


def batch(rows):
    return 32 if rows <= 500 else 64 if rows <= 2000 else 128


def seconds(task):
    _, features, classes, _ = SETS[task["data"]]
    width, depth = task["width"], task["depth"]
    parameters = NONZERO.get(task["data"], 1) * features * width + (depth - 1) * width * width + width * max(1, classes)
    return 6 * STEPS * batch(task["rows"]) * parameters / SPEED


def training_rows(name, wanted):
    """At most 70 % of a table, so that the rest can be tested on."""
    rows = SETS[name][0]
    return wanted if name in IMAGES else min(wanted, int(0.7 * rows))


def swap(task, other, factors):
    for factor in factors:
        task[factor], other[factor] = other[factor], task[factor]


def assign(draw, tasks):
    """Levels by chance, each factor balanced over the tasks; None where a network would take too long."""
    for factor, levels in LEVELS.items():
        pool = [levels[i % len(levels)] for i in range(len(tasks))]
        draw.shuffle(pool)
        for task, level in zip(tasks, pool):
            task[factor] = level
    for task in tasks:  # sizes: swap what a data set cannot give with one that can
        if task["rows"] <= SETS[task["data"]][0] * 0.7 or task["data"] in IMAGES:
            continue
        for other in draw.sample(tasks, len(tasks)):
            fits = other["data"] in IMAGES or task["rows"] <= SETS[other["data"]][0] * 0.7
            if fits and (other["rows"] <= SETS[task["data"]][0] * 0.7):
                swap(task, other, ("rows",))
                break
        else:
            task["rows"] = training_rows(task["data"], task["rows"])
    for _ in range(400):  # the longest gives width or depth to one that becomes less long by it
        task, other = max(tasks, key=seconds), draw.choice(tasks)
        before = seconds(task)
        if before <= LONGEST:
            break
        factors = draw.choice([("width",), ("depth",), ("width", "depth")])
        swap(task, other, factors)
        if max(seconds(task), seconds(other)) >= before:
            swap(task, other, factors)
    if any(seconds(t) > LONGEST for t in tasks):
        return None
    for factor, levels in LEVELS.items():
        for level in levels:
            count = sum(t[factor] <= 210 if (factor, level) == ("rows", 200) else t[factor] == level for t in tasks)
            if count < LEAST:
                return None
    return sum(seconds(t) for t in tasks)


def main():
    draw = random.Random(SEED)
    others = [name for name in SETS if name not in KNOWN]
    regression = [n for n in others if SETS[n][2] == 0]
    final = set(draw.sample(regression, 3) + draw.sample([n for n in others if SETS[n][2] > 0], 7))
    tasks = [{"data": name, "role": "final" if name in final else "development"}
             for name, (_, _, _, count) in SETS.items() for _ in range(count)]
    best = None
    for _ in range(500):
        trial = [dict(t) for t in tasks]
        cost = assign(draw, trial)
        if cost is not None and (best is None or cost < best[0]):
            best = (cost, trial)
    tasks = best[1]
    # Classification: three in five by cross-entropy, at least one of each loss per data set.
    by_set = {}
    for task in tasks:
        by_set.setdefault(task["data"], []).append(task)
    for name, group in by_set.items():
        losses = ["squared"] * len(group)
        if SETS[name][2]:
            losses = (["cross-entropy", "squared"] * 2)[:len(group)]
            draw.shuffle(losses)
        for task, loss in zip(group, losses):
            task["loss"] = loss
    columns = ["name", "data", "role", "rows", "depth", "activation", "width", "loss", "optimizer", "inputs", "batch",
               "epochs", "splits", "candidates"]
    print("\t".join(columns))
    seen = {}
    for task in tasks:
        seen[task["data"]] = seen.get(task["data"], 0) + 1
        rows = SETS[task["data"]][0]
        # Images have test rows enough for four draws of training rows; tables need ten.
        many = task["data"] in IMAGES or 0.3 * rows >= 3000
        task.update(name=f"{task['data']}-{seen[task['data']]}", batch=batch(task["rows"]), splits=4 if many else 10)
        task["epochs"] = max(5, round(STEPS * task["batch"] / task["rows"]))
        task["candidates"] = "all" if seconds(task) * task["splits"] < 2.0 else "half"
        print("\t".join(str(task[c]) for c in columns))


main()
