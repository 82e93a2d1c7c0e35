"""The raw lines of the benchmark of choices as arrays, and the regret of every start.

Points of accuracy for classification, per cent of the best start's RMSE for regression. The best start of a task is
picked on one half of the networks (odd or even splits) and of the test rows, and regret measured on the other. Tables
have other test rows in every split; of images, which share theirs, even and odd rows are the halves.
"""
import ast
import csv
import math
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
LOSSES = ["classification, squared error", "classification, cross-entropy", "regression"]
DEFAULTS = ["he", "lecun", "glorot", "keras", "pytorch", "critical-0.01", "orthogonal", "lsuv"]
USUAL = ["he", "lecun", "glorot", "keras", "pytorch"]  # of frameworks and textbooks
RIDGES = ["0.001", "0.01", "0.1", "1"]
LENGTHS = ["1 epoch", "1/8", "1/4", "1/2", "1"]  # of the full training
FOLDS, PILOT_SPLITS, THEORY_SPLITS = 2, 2, 3
COUNTS = {"all": 46, "half": 24}  # starts of a task
# σ_w² that keeps a signal's size without bias: 2/(1 + s²), or 1/φ′(0)² where φ is smooth (`priorfit phase`).
CRITICAL = {"relu": 2.0, "leaky_relu": 2 / (1 + 0.01**2), "gelu": 4.0, "silu": 4.0, "tanh": 1.0, "erf": math.pi / 4}


def read_design():
    """The tasks of tasks.tsv, each with the features and outputs that design.py gives its data set."""
    for node in ast.parse((HERE / "design.py").read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "SETS":
            sets = ast.literal_eval(node.value)
    with open(HERE / "tasks.tsv") as file:
        tasks = list(csv.DictReader(file, delimiter="\t"))
    for task in tasks:
        for name in ("rows", "depth", "width", "epochs", "splits", "batch"):
            task[name] = int(task[name])
        _, task["features"], task["classes"], _ = sets[task["data"]]
    return tasks


def group_of(task):
    if task["classes"] == 0:
        return "regression"
    return "classification, " + ("squared error" if task["loss"] == "squared" else task["loss"])


def coordinates(start, task):
    """log σ_w² of the hidden layers, log(σ_b² + 0.01), log of the output's variance; geometric means over layers."""
    hidden = [task["features"]] + [task["width"]] * task["depth"]
    sizes = hidden + [max(1, task["classes"])]
    fans = list(zip(sizes[:-1], sizes[1:]))
    critical = CRITICAL[task["activation"]]
    if start in ("glorot", "keras"):
        layers = [(2 * i / (i + o), 0.0) for i, o in fans]
    elif start == "pytorch":
        layers = [(1 / 3, 1 / (3 * i)) for i, o in fans]
    else:
        tied = {"he": 2.0, "lecun": 1.0, "critical-0.01": critical, "orthogonal": critical, "lsuv": critical}
        values = [tied[start], 0.0] if start in tied else [float(v) for v in start.split(",")]
        layers = [tuple(values[:2])] * len(fans)
        if start == "critical-0.01":
            layers[-1] = (0.01, 0.0)
        elif len(values) == 3:
            layers[-1] = (values[2], 0.0)
    return [np.mean([math.log(w) for w, _ in layers[:-1]]), np.mean([math.log(b + 0.01) for _, b in layers[:-1]]),
            math.log(layers[-1][0])]


def worst_for_missing(values):
    """A network that failed counts as the worst of those that did not; values: starts."""
    finite = np.isfinite(values)
    return np.where(finite, values, values[finite].max() if finite.any() else 1.0)


class Task:
    """One task's results. Arrays are indexed split, [fold, length,] start [, half of the test rows]."""

    def __init__(self, row, lines):
        self.row, self.name, self.data = row, row["name"], row["data"]
        self.group = group_of(row)
        self.separate_test = row["data"] in ("mnist", "fashion-mnist", "cifar10")
        self.classification = row["classes"] > 0
        self.starts = list(dict.fromkeys(line[2] for line in lines if line[0] == "net"))
        self.index = {start: i for i, start in enumerate(self.starts)}
        self.coordinates = np.array([coordinates(s, row) for s in self.starts])
        splits, starts = row["splits"], len(self.starts)
        epochs = row["epochs"]
        self.marks = [1] + [max(1, epochs // part) for part in (8, 4, 2)] + [epochs]
        self.errors = np.full((splits, starts, 2), np.nan)
        self.train_seconds = np.full((splits, starts), np.nan)
        self.theory, self.theory_seconds = {}, {}
        shape = (PILOT_SPLITS, FOLDS, len(LENGTHS), starts)
        self.pilots, self.pilot_losses, self.pilot_seconds = (np.full(shape, np.nan) for _ in range(3))
        for line in lines:
            getattr(self, "_" + line[0])(int(line[1]) - 1, self.index.get(line[2]), line)
        self.failures = int((~np.isfinite(self.errors[:, :, 0])).sum())
        self.trains = bool(np.isfinite(self.errors).any(axis=(1, 2)).all())  # some start in every split
        self.complete = (len(lines) > 0 and starts == COUNTS[row["candidates"]]
                         and np.isfinite(self.train_seconds).all()
                         and np.isfinite(self.pilot_seconds).all()
                         and all(np.isfinite(self.theory[c]).sum() > starts for c in ("evidence", "tangent-after")
                                 if c in self.theory)
                         and "evidence" in self.theory)

    def _net(self, split, start, line):
        values = np.array([float(value) for value in line[6:10]])  # errors and losses of both halves
        failed = not np.isfinite(values).all()
        self.errors[split, start] = np.nan if failed else 100 * values[:2] if self.classification else values[:2]
        self.train_seconds[split, start] = float(line[5])

    def _pilot(self, split, start, line):
        if start is None:
            return
        value = float(line[6])
        for length, mark in enumerate(self.marks):
            if mark == int(line[4]):
                place = (split, int(line[3]) - 1, length, start)
                self.pilots[place] = value if self.classification else math.sqrt(value)
                self.pilot_losses[place], self.pilot_seconds[place] = float(line[7]), float(line[5])

    def _theory(self, split, start, line):
        if start is None:
            return
        for table, value in ((self.theory, line[6]), (self.theory_seconds, line[5])):
            table.setdefault(line[3], np.full((THEORY_SPLITS, len(self.starts)), np.nan))[split, start] = float(value)

    def score(self):
        """Regrets: own[split, start] on that split's network alone, overall[start] on all of them.

        Errors are first taken relative to the split's median start, which removes what makes a split easy or hard and
        is less noisy than the best start's single network. How far below the median the best is comes from halves that
        did not pick it.
        """
        errors = self.errors.transpose(0, 2, 1)  # split, half, start
        if not self.separate_test:  # every network has test rows of its own
            errors = errors.mean(1, keepdims=True)
        errors = np.array([[worst_for_missing(starts) for starts in split] for split in errors])
        errors = errors if self.classification else np.sqrt(errors)
        medians = np.median(errors, axis=2, keepdims=True)
        relative = errors - medians if self.classification else errors / medians
        parity, halves = np.arange(len(errors)) % 2, errors.shape[1]
        best, below = [], []
        for p in (0, 1):
            for h in range(halves):
                pick = int(np.argmin(errors[parity == p, h].mean(0)))
                best.append(errors[parity != p, halves - 1 - h, pick].mean())
                below.append(relative[parity != p, halves - 1 - h, pick].mean())
        self.best_error, self.below = float(np.mean(best)), float(np.mean(below))
        self.medians = medians.mean((1, 2))  # splits
        mine = relative.mean(1)
        self.own = mine - self.below if self.classification else 100 * (mine / self.below - 1)
        self.overall = self.own.mean(0)
        self.mean_error = errors.mean((0, 1))
        self.best_start = self.starts[int(np.argmin(self.mean_error))]
        return self

    def log_errors(self):
        """{start: log of its error relative to the median start's}: what other tasks may learn from this one."""
        errors = self.mean_error + (0.5 if self.classification else 0.0)
        return dict(zip(self.starts, np.minimum(1.0, np.log(errors / np.median(errors)))))

    def difference_error(self, choices, other):
        """Standard error of the difference of choices {split: start} to a fixed start, from its spread over splits."""
        spread = [np.var(self.own[:, c] - self.own[:, other], ddof=1) for c in choices.values()]
        return math.sqrt(np.mean(spread) / len(choices))


def read_tasks(folder, role):
    """Complete tasks of one role; and names of those that are not, and of those that no start trains at all."""
    done, missing, hopeless = [], [], []
    for row in read_design():
        if row["role"] != role:
            continue
        path = pathlib.Path(folder) / (row["name"] + ".tsv")
        text = path.read_text() if path.exists() else ""
        lines = [line.split("\t") for line in text[:text.rfind("\n") + 1].splitlines()]
        task = Task(row, lines) if lines else None
        if not task or not task.complete:
            missing.append(row["name"])
        elif not task.trains:
            hopeless.append(row["name"])
        else:
            done.append(task.score())
    return done, missing, hopeless


def experience(task, teachers):
    """Mean log error of each of the task's starts over teachers of the same loss and other data sets; starts."""
    logs = [t.log_errors() for t in teachers if t.group == task.group and t.data != task.data]
    known = [[log[start] for log in logs if start in log] for start in task.starts]
    return np.array([np.mean(values) if values else 0.0 for values in known])
