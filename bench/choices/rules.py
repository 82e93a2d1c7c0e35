"""Rules that choose a start, each from the training rows of one split: name -> ({split: start}, seconds).

The name says everything that was set; `family` sorts them into what they need.
"""
import dataclasses
import functools

import numpy as np

from process import LENGTHS as PLAIN
from process import Process
from results import DEFAULTS, FOLDS, LENGTHS, PILOT_SPLITS, RIDGES, THEORY_SPLITS, worst_for_missing

HIGHER_IS_BETTER = {"evidence", "evidence-half", "leave-one-out"}
COUNTS = (6, 8, 12, 16)  # pilots in all, one after another
# Variance of the log error that the prior does not explain; whether log σ_w² counts √depth times.
KERNELS = [("amplitude 0.05", 0.05, False), ("amplitude 0.2", 0.2, False), ("amplitude 0.05, deep", 0.05, True)]
PRIOR_RIDGES = ("0.001", "0.1", "gcv")
CURRENT = ("pytorch", "keras")  # starts in use
SIGNIFICANT = (0.5, 1, 2)  # deviations by which the best must beat the start in use
BETAS = (0.0, 0.25, 0.5, 1.0)
FAMILIES = ["fixed default", "fixed start", "theory", "pilots", "pilots and theory", "pilots in sequence",
            "default unless significant"]


@dataclasses.dataclass
class Choice:
    family: str
    starts: dict        # split: index of the chosen start
    seconds: float      # per split, of one core
    factors: tuple = () # what was set, in families where everything is combined with everything

    def regret(self, task):
        """By networks whose test rows the choice cannot have seen: of all splits for images, of its own for tables."""
        if task.separate_test:
            return self.overall(task)
        return float(np.mean([task.own[split, start] for split, start in self.starts.items()]))

    def overall(self, task):
        """By the networks of all splits."""
        return float(np.mean([task.overall[start] for start in self.starts.values()]))


def lowest(values, ties=None):
    """Index of the least value, ties broken by a second one; values that are missing are the worst."""
    values = np.where(np.isfinite(values), values, np.inf)
    ties = np.zeros(len(values)) if ties is None else np.where(np.isfinite(ties), ties, np.inf)
    return int(np.lexsort((ties, values))[0])


def criterion_of(task, name, split):
    """The criterion as a cost: less is better; starts."""
    values = task.theory.get(name, np.full((THEORY_SPLITS, len(task.starts)), np.nan))[split]
    return -values if name in HIGHER_IS_BETTER else values


@functools.lru_cache(maxsize=None)
def seconds_of(task, *names):
    """Of judging all starts, per split. The median start stands for each: the first one also fills tables."""
    return sum(len(task.starts) * float(np.nanmedian(task.theory_seconds.get(name, 0.0))) for name in names)


def best_ridge(task, kind, split):
    """The ridge of the least median left-out error, shared by all starts."""
    medians = [np.nanmedian(task.theory[f"risk-{kind}@{ridge}"][split]) for ridge in RIDGES]
    return RIDGES[int(np.argmin(medians))]


def risk(task, kind, ridge, split):
    kind = kind if task.classification or kind == "density" else "error"
    return criterion_of(task, f"risk-{kind}@{best_ridge(task, kind, split) if ridge == 'gcv' else ridge}", split)


def risk_seconds(task, kind, ridge):
    kind = kind if task.classification or kind == "density" else "error"
    return seconds_of(task, *[f"risk-{kind}@{r}" for r in (RIDGES if ridge == "gcv" else [ridge])])


def fixed(task):
    for start, index in task.index.items():
        family = "fixed default" if start in DEFAULTS else "fixed start"
        yield start, Choice(family, {split: index for split in range(len(task.own))}, 0.0)


def theory(task):
    splits = range(THEORY_SPLITS)
    tied = np.array([s in ("he", "lecun") or s.count(",") == 1 for s in task.starts])

    def rule(values, seconds):
        chosen = {}
        for split in splits:  # what no start can be judged by keeps PyTorch's default
            judged = values(split)
            chosen[split] = lowest(judged) if np.isfinite(judged).any() else task.index["pytorch"]
        return Choice("theory", chosen, seconds)

    for name, needs in (("evidence", ["evidence"]), ("leave-one-out", ["leave-one-out"]),
                        ("evidence-half", ["evidence", "evidence-half"]), ("tangent-after", ["tangent-after"])):
        yield name, rule(lambda s: criterion_of(task, name, s), seconds_of(task, *needs))
    yield "evidence, tied", rule(lambda s: np.where(tied, criterion_of(task, "evidence", s), np.inf),
                                 seconds_of(task, "evidence") * tied.mean())
    for kind in ("error", "wrong", "density"):
        for ridge in RIDGES + ["gcv"]:
            yield f"risk-{kind}@{ridge}", rule(lambda s: risk(task, kind, ridge, s), risk_seconds(task, kind, ridge))


@functools.lru_cache(maxsize=None)
def pilot_seconds(task, length, folds=1):
    return float(np.nanmean(task.pilot_seconds[:, :, length])) * len(task.starts) * folds


def pilots(task):
    for length, label in enumerate(LENGTHS):
        for folds in range(1, FOLDS + 1):
            chosen = {}
            for split in range(PILOT_SPLITS):
                errors = np.mean([worst_for_missing(task.pilots[split, f, length]) for f in range(folds)], axis=0)
                losses = np.mean([worst_for_missing(task.pilot_losses[split, f, length]) for f in range(folds)], axis=0)
                chosen[split] = lowest(errors, losses)
            factors = f"pilot of {label}", f"{folds} fold{'s' * (folds > 1)}"
            yield ", ".join(factors), Choice("pilots", chosen, pilot_seconds(task, length, folds), factors)


def log_errors(task, split, length, watch):
    """log of the pilots' left-out errors, folds × starts: of RMSE, or of the share of wrong classes (or the loss)."""
    if not task.classification:
        values = task.pilots[split, :, length]
    elif watch == "loss":
        values = task.pilot_losses[split, :, length]
    else:
        values = task.pilots[split, :, length] + 0.5 / max(1, task.row["rows"] // 5)
    return np.log([np.maximum(1e-9, worst_for_missing(v)) for v in values])


def prior_mean(task, split, kind, ridge, beta):
    """β log of the predicted risk; that of starts without one is the mean of the others. At most 2 above the least."""
    if beta == 0:
        return np.zeros(len(task.starts))
    values = risk(task, kind, ridge, split)
    wrong = kind == "wrong" and task.classification
    values = np.maximum(values, 0.5 / task.row["rows"]) if wrong else values
    logs = np.log(np.maximum(values, 1e-12)) * (1.0 if wrong else 0.5)
    logs = np.where(np.isfinite(logs), logs, np.nanmean(logs))
    return beta * np.minimum(logs, logs.min() + 2)


@dataclasses.dataclass(frozen=True)
class Setting:
    """What one run of a process is built from."""
    watch: str    # what pilots report: error or loss
    length: int   # of the pilots
    kind: str     # predicted risk
    ridge: str
    beta: float
    gamma: float = 0.0  # weight of what other data sets say of the starts

    def factors(self):
        parts = [f"β {self.beta:g} on risk-{self.kind}@{self.ridge}"] if self.beta else []
        parts += [f"γ {self.gamma:g} on experience"] if self.gamma else []
        prior = " and ".join(parts) or "no prior"
        return f"length {LENGTHS[self.length]}", f"by {self.watch}", prior


def settings():
    """The same for all tasks; of regression the error is the loss and what is predicted."""
    for watch in ("error", "loss"):
        for length in range(len(LENGTHS)):
            yield Setting(watch, length, "error", "0.001", 0.0)
            for gamma in (0.5, 1.0):
                yield Setting(watch, length, "error", "0.001", 0.0, gamma)
                for kind in ("error", "wrong"):
                    yield Setting(watch, length, kind, "0.1", 0.5, gamma)
            for kind in ("error", "wrong"):
                for ridge in PRIOR_RIDGES:
                    for beta in BETAS[1:]:
                        yield Setting(watch, length, kind, ridge, beta)


def candidates(task):
    """Starts that the process may choose: not lsuv, whose variances are known only after scaling."""
    return np.array([i for i, s in enumerate(task.starts) if s != "lsuv"])


def process_choices(posteriors, names):
    """From posteriors (label, pilots, family, Posterior): factors, pilots, family, chosen start per run."""
    for label, count, family, posterior in posteriors:
        best = np.argmin(posterior.mean, axis=1)
        yield (label,), count, family, best
        if family != "pilots in sequence":
            continue
        for current in CURRENT:
            now = np.full(len(best), names.index(current))
            runs = np.arange(len(best))
            gain = posterior.mean[runs, now] - posterior.mean[runs, best]
            deviation = posterior.deviation_of_difference(best, now)
            for z in SIGNIFICANT:
                yield ((f"{current} unless better by {z:g} deviations", label), count, "default unless significant",
                       np.where(gain > z * deviation, best, now))


def processes(task, learned):
    """learned: log errors of the starts on other data sets."""
    known = candidates(task)
    names = [task.starts[i] for i in known]
    runs = [(setting, split) for setting in settings() for split in range(PILOT_SPLITS)]
    prior = np.array([prior_mean(task, split, s.kind, s.ridge, s.beta) + s.gamma * learned for s, split in runs])
    prior = prior[:, known]
    logs = np.array([log_errors(task, split, s.length, s.watch)[:, known] for s, split in runs])
    counted = np.array([task.classification and s.watch == "error" for s, _ in runs])
    left_out = max(1, task.row["rows"] // 5)

    def counting(values):
        """Wrong classes are few: the log of their count has the variance (1 - e)/(n e), of which pairing takes half."""
        error = np.minimum(0.5, np.exp(np.median(values, axis=1)))
        return 0.01 + np.where(counted, 0.5 * (1 - error) / (left_out * error), 0.0)

    for label, amplitude, by_depth in KERNELS:
        lengths = np.array(PLAIN) / [task.row["depth"] ** 0.5 if by_depth else 1.0, 1.0, 1.0]
        process = Process(task.coordinates[known], prior, counting, amplitude, lengths)
        posteriors = [(f"smoothed, {f} fold{'s' * (f > 1)}", f * len(known), "pilots and theory",
                       process.given_all(logs, f)) for f in range(1, FOLDS + 1)]
        for count, posterior in enumerate(process.one_after_another(logs, names.index("pytorch"), max(COUNTS)), 1):
            if count in COUNTS:
                posteriors.append((f"{count} in sequence", count, "pilots in sequence", posterior))
        for chosen, count, family, best in process_choices(posteriors, names):
            for first in range(0, len(runs), PILOT_SPLITS):
                setting = runs[first][0]
                starts = {split: int(known[best[first + split]]) for split in range(PILOT_SPLITS)}
                seconds = count * pilot_seconds(task, setting.length) / len(task.starts)
                seconds += risk_seconds(task, setting.kind, setting.ridge) if setting.beta else 0.0
                factors = (*chosen, *setting.factors(), label)
                yield ", ".join(factors), Choice(family, starts, seconds, factors)


def every_choice(task, learned):
    return {**dict(fixed(task)), **dict(theory(task)), **dict(pilots(task)), **dict(processes(task, learned))}
