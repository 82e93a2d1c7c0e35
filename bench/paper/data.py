"""The kept results of the paper's experiments: docs/results/paper, docs/results/deep.csv."""
import csv
import math
import pathlib
import statistics

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "results"
WEIGHTS, BIASES = (0.4, 1.2, 2.0, 2.8, 3.6), (0.0, 1.0, 2.0)
PAIRS = [(w, b) for w in WEIGHTS for b in BIASES]
HE, PAPERS = (2.0, 0.0), (3.6, 0.0)
EPOCHS = 250
TESTED = 10000  # images


def rows(name, folder=None):
    path = (folder or RESULTS / "paper") / name
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def pair_of(row):
    return float(row["weight_variance"]), float(row["bias_variance"])


def grids(lines, *keys):
    """Values of the keys → {pair: evidence}, without cells that could not be factored."""
    found = {}
    for row in lines:
        grid = found.setdefault(tuple(row[k] for k in keys), {})
        if row["status"] != "failed" and row["log_marginal_likelihood"]:
            grid[pair_of(row)] = float(row["log_marginal_likelihood"])
    return found


def best(scores):
    return max(scores, key=scores.get)


def ranks(values):
    """1 for the least; equal values share the mean of their ranks."""
    ordered = sorted(values)
    return [ordered.index(v) + (ordered.count(v) + 1) / 2 for v in values]


def rank_correlation(a, b):
    """Spearman's: the correlation of ranks."""
    x, y = ranks(a), ranks(b)
    mx, my = statistics.fmean(x), statistics.fmean(y)
    scale = math.sqrt(sum((v - mx) ** 2 for v in x) * sum((v - my) ** 2 for v in y))
    return sum((v - mx) * (w - my) for v, w in zip(x, y)) / scale


def mean_and_error(values):
    """Mean and its standard error, None for a single value."""
    return statistics.fmean(values), statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None


class Trained:
    """Networks of one size and loss: accuracy of every pair and seed after the last epoch."""

    def __init__(self, size, lines):
        self.size = size
        self.test, self.train, self.curves = {}, {}, {}
        for row in lines:
            key = (*pair_of(row), int(row["seed"]))
            if row["train_accuracy"]:
                self.curves.setdefault(key, []).append((int(row["epoch"]), float(row["train_accuracy"]), float(row["test_accuracy"] or "nan")))
            if int(row["epoch"]) == EPOCHS:
                self.test[key] = float(row["test_accuracy"])
                if row["train_accuracy"]:
                    self.train[key] = float(row["train_accuracy"])
        # Compared are pairs over the same seeds: those of which every pair has a network. As long as there is none, the pairs
        # that the first seed has.
        seeds = {seed for _, _, seed in self.test}
        self.seeds = sorted(s for s in seeds if all((*p, s) in self.test for p in PAIRS))
        self.pairs = PAIRS
        if seeds and not self.seeds:
            self.seeds = [min(seeds)]
            self.pairs = [p for p in PAIRS if (*p, self.seeds[0]) in self.test]

    def whole(self):
        return len(self.pairs) == len(PAIRS)

    def accuracies(self, pair, of="test"):
        return [getattr(self, of)[(*pair, s)] for s in self.seeds if (*pair, s) in getattr(self, of)]

    def mean(self, pair, of="test"):
        return statistics.fmean(self.accuracies(pair, of))

    def means(self):
        return {p: self.mean(p) for p in self.pairs}

    def error(self, pair):
        """Standard error of the mean: over seeds, or of one network over the test images."""
        values = self.accuracies(pair)
        return mean_and_error(values)[1] if len(values) > 1 else math.sqrt(values[0] * (1 - values[0]) / TESTED)

    def rank(self, pair):
        """The number of pairs that did better, and 1."""
        means = self.means()
        return 1 + sum(v > means[pair] + 1e-12 for v in means.values())

    def regret(self, pair):
        return max(self.means().values()) - self.mean(pair)

    def correlation(self, evidence, seed=None):
        """Rank correlation of evidence and accuracy, of the means over seeds or of one seed's networks."""
        accuracy = [self.mean(p) if seed is None else self.test[(*p, seed)] for p in self.pairs]
        return rank_correlation([evidence[p] for p in self.pairs], accuracy)


def trained(loss):
    """Size → Trained, of every size with a network."""
    sizes = {}
    for row in rows(f"{loss}.csv"):
        sizes.setdefault(int(row["size"]), []).append(row)
    return {size: Trained(size, lines) for size, lines in sorted(sizes.items())}


def evidence_by_size():
    return {int(size): grid for (size,), grid in sorted(grids(rows("evidence.csv"), "size").items(), key=lambda g: int(g[0][0]))}
