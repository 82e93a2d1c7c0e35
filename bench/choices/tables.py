"""The tables of docs/choice-quality.md, as Markdown."""
import numpy as np
from scipy.stats import spearmanr

from protocol import interval
from results import DEFAULTS, LENGTHS, LOSSES, PILOT_SPLITS, RIDGES, THEORY_SPLITS, USUAL
from rules import FAMILIES, criterion_of, risk

UNITS = {"regression": "% of RMSE"}
SMALL = {"regression": 5.0}  # what hardly matters: 1 point, 5 %


def unit(group):
    return UNITS.get(group, "points")


def number(value, digits=2):
    return "–" if value is None or not np.isfinite(value) else f"{value:.{digits}f}".replace("-", "−")


def seconds(value):
    return "0" if value == 0 else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def with_interval(values):
    low, high = interval(values)
    return f"{number(np.mean(values))} [{number(low)}, {number(high)}]"


def markdown(head, rows, numbers_from=1):
    align = ["---" if i < numbers_from else "---:" for i in range(len(head))]
    return "\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in [head, align, *rows]) + "\n"


def listed_rules(scored):
    """Rules that the tables and pictures show one by one: (name, index)."""
    wanted = DEFAULTS + ["evidence, tied", "evidence", "evidence-half", "leave-one-out", "tangent-after"]
    wanted += [f"risk-{kind}@{ridge}" for kind in ("error", "wrong", "density") for ridge in RIDGES + ["gcv"]]
    if scored.group == "regression":
        wanted = [w for w in wanted if "wrong" not in w]
    wanted += [f"pilot of {length}, {folds}" for length in LENGTHS for folds in ("1 fold", "2 folds")]
    return [(name, scored.index[name]) for name in wanted]


def rules_table(groups):
    """Every rule without constants of its own, each loss a column."""
    names = list(dict.fromkeys(name for scored in groups for name, _ in listed_rules(scored)))
    head = ["rule"]
    for scored in groups:
        head += [f"{scored.group} ({unit(scored.group)})", "s"]
    rows = []
    for name in names:
        row = [name]
        for scored in groups:
            index = dict(listed_rules(scored)).get(name)
            if index is None:
                row += ["", ""]
            else:
                row += [with_interval(scored.regret[index]), seconds(scored.seconds[index].mean())]
        rows.append(row)
    return markdown(head, rows)


def families_table(groups):
    """Each family's rule, its constants chosen without the data set that it is judged on."""
    rows = []
    for scored in groups:
        training = np.array([t.train_seconds.mean() for t in scored.tasks])
        for family in FAMILIES:
            regret, cost, rules = scored.leave_one_out(family)
            overall = scored.overall[rules, np.arange(len(rules))]
            rows.append([scored.group, family, scored.names[scored.pick(family)],
                         with_interval(regret), with_interval(overall), seconds(cost.mean()),
                         number((cost / training).mean(), 1)])
    return markdown(["loss", "family", "what all development tasks together choose", "regret", "on all networks", "s",
                     "trainings"], rows, 3)


def factors_table(groups, family):
    """Mean regret of all of a family's rules with one thing set: what pilots need."""
    rows = []
    columns = [scored for scored in groups if len(scored.members(family))]
    levels = list(dict.fromkeys(f for s in columns for m in s.members(family) for f in s.choices[m][0].factors))
    for level in levels:
        row = [level]
        for scored in columns:
            members = [m for m in scored.members(family) if level in scored.choices[m][0].factors]
            row += [number(scored.regret[members].mean()), number(scored.overall[members].mean()),
                    seconds(scored.seconds[members].mean())]
        rows.append(row)
    head = ["set to"]
    for scored in columns:
        head += [f"{scored.group} ({unit(scored.group)})", "on all networks", "s"]
    return markdown(head, rows)


def describe(task):
    row = task.row
    return (f"{row['rows']} rows, {row['depth']} × {row['width']} {row['activation']}, {row['optimizer']}, "
            f"{row['inputs']}")


def spread(task):
    """Of the usual defaults the worst one's regret, its standard error, the median start's, the share near the best."""
    places = [task.index[s] for s in USUAL]
    worst = max(places, key=lambda p: task.overall[p])
    best = task.index[task.best_start]
    error = task.difference_error({0: worst}, best) / np.sqrt(len(task.own))
    gaps = task.own - task.own[:, [best]]
    errors = gaps.std(0, ddof=1) / np.sqrt(len(gaps))
    near = float(np.mean(gaps.mean(0) <= 2 * errors + 1e-9))
    return task.starts[worst], task.overall[worst], error, float(np.median(task.overall)), near


def matters(task):
    """Whether one of the usual defaults loses more than a little, beyond two standard errors."""
    _, worst, error, _, _ = spread(task)
    return worst > SMALL.get(task.group, 1.0) and worst > 2 * error


def tasks_table(groups, shown):
    """shown(scored): {column: (regret of each task, rule of each task)}"""
    parts = []
    for scored in groups:
        columns = shown(scored)
        head = ["task", "network", "best start", "its error", "worst usual default", "median start",
                "starts near the best", "pytorch", "keras", *columns, "against the better of the two"]
        rows = []
        for i, task in enumerate(scored.tasks):
            name, worst, error, median, near = spread(task)
            row = [task.name, describe(task), task.best_start,
                   f"{task.best_error:.2f} %" if task.classification else f"{task.best_error:.4f}",
                   f"{number(worst, 1)} ± {number(error, 1)} ({name})", number(median, 1), f"{100 * near:.0f} %",
                   number(task.overall[task.index["pytorch"]], 1), number(task.overall[task.index["keras"]], 1)]
            row += [number(values[i], 1) for values, _ in columns.values()]
            last = list(columns.values())[-1][1][i]
            row.append(" ± ".join(number(v, 1) for v in against_defaults(scored, i, last)))
            rows.append(row)
        parts.append(f"**{scored.group}** ({unit(scored.group)})\n\n" + markdown(head, rows, 3))
    return "\n".join(parts)


def against_defaults(scored, i, rule):
    """A rule's difference to PyTorch's or Keras's default, whichever is better on this task, and its standard error."""
    task, choice = scored.tasks[i], scored.choices[rule][i]
    better = min((task.index[s] for s in ("pytorch", "keras")), key=lambda p: task.overall[p])
    if task.separate_test:
        difference = np.mean([task.overall[c] for c in choice.starts.values()]) - task.overall[better]
        return difference, task.difference_error(choice.starts, better) * np.sqrt(len(choice.starts) / len(task.own))
    difference = np.mean([task.own[s, c] - task.own[s, better] for s, c in choice.starts.items()])
    return difference, task.difference_error(choice.starts, better)


def rank_correlations(groups):
    names = ["evidence", "evidence-half", "leave-one-out", "tangent-after"]
    names += [f"risk-{kind}@{ridge}" for kind in ("error", "wrong", "density") for ridge in RIDGES + ["gcv"]]
    rows = []

    def mean_correlation(values, task):
        out = []
        for split in values:
            known = np.isfinite(split)
            out.append(spearmanr(split[known], task.mean_error[known])[0] if known.sum() > 2 else np.nan)
        return np.nanmean(out)

    def row(label, values_of):
        rows.append([label] + [with_interval([mean_correlation(values_of(t), t) for t in scored.tasks])
                               for scored in groups])

    for name in names:
        kind, _, ridge = name.partition("@")
        if ridge == "gcv":
            row(name, lambda t: [risk(t, kind[5:], "gcv", s) for s in range(THEORY_SPLITS)])
        elif "wrong" in name:
            row(name, lambda t: [risk(t, "wrong", ridge, s) for s in range(THEORY_SPLITS)])
        else:
            row(name, lambda t: [criterion_of(t, name, s) for s in range(THEORY_SPLITS)])
    for length, label in enumerate(LENGTHS):
        row(f"pilot of {label}, 1 fold", lambda t: [t.pilots[s, 0, length] for s in range(PILOT_SPLITS)])
    return markdown(["criterion"] + [s.group for s in groups], rows)


def calibration(tasks, ridge):
    """Predicted minus measured share of wrong classes, in points: mean and mean absolute, over a task's starts."""
    bias, size = [], []
    for task in tasks:
        gaps = []
        for split in range(THEORY_SPLITS):
            gap = 100 * risk(task, "wrong", ridge, split) - task.errors[split].mean(1)
            gaps += list(gap[np.isfinite(gap)])
        bias.append(np.mean(gaps)), size.append(np.mean(np.abs(gaps)))
    return bias, size


def calibration_by_ridge(groups):
    rows = []
    for scored in groups:
        if scored.group == "regression":
            continue
        for ridge in RIDGES + ["gcv"]:
            bias, size = calibration(scored.tasks, ridge)
            rows.append([scored.group, ridge, with_interval(bias), with_interval(size)])
    return markdown(["loss", "ridge", "predicted − measured (points)", "off by (points)"], rows, 2)


FACTORS = {
    "depth": lambda t: t.row["depth"], "rows": lambda t: size_class(t.row["rows"]),
    "activation": lambda t: t.row["activation"], "width": lambda t: t.row["width"],
    "optimizer": lambda t: t.row["optimizer"], "inputs": lambda t: t.row["inputs"],
}


def size_class(rows):
    return "up to 250" if rows <= 250 else "500" if rows <= 500 else "1000" if rows <= 1000 else "2000 and 5000"


def by_factor(tasks, factor):
    levels = {}
    for i, task in enumerate(tasks):
        levels.setdefault(FACTORS[factor](task), []).append(i)
    order = ["up to 250", "500", "1000", "2000 and 5000"]
    return sorted(levels.items(), key=lambda item: order.index(item[0]) if item[0] in order else item[0])


def calibration_by_factor(groups, ridge):
    rows = []
    scored = [s for s in groups if s.group == "classification, cross-entropy"]
    tasks = scored[0].tasks if scored else []
    for factor in ("depth", "rows", "activation"):
        for level, places in by_factor(tasks, factor):
            bias, size = calibration([tasks[i] for i in places], ridge)
            rows.append([factor, level, len(places), number(np.mean(bias)), number(np.mean(size))])
    return markdown(["", "", "tasks", "predicted − measured (points)", "off by (points)"], rows, 2)


def regret_by_factor(groups, shown):
    """Classification under both losses together, and regression: mean regret of two defaults and of what is chosen."""
    rows = []
    for label, parts in (("classification (points)", [s for s in groups if s.group != "regression"]),
                         ("regression (% of RMSE)", [s for s in groups if s.group == "regression"])):
        tasks = [t for s in parts for t in s.tasks]
        columns = {}
        for s in parts:
            for name, (values, _) in shown(s).items():
                columns.setdefault(name, []).extend(values)
        for factor in FACTORS:
            for level, places in by_factor(tasks, factor):
                row = [label, f"{factor} {level}", len(places), sum(matters(tasks[i]) for i in places)]
                for start in ("pytorch", "keras"):
                    row.append(number(np.mean([tasks[i].overall[tasks[i].index[start]] for i in places])))
                row += [number(np.mean([values[i] for i in places])) for values in columns.values()]
                rows.append(row)
    names = list(shown(groups[0]))
    return markdown(["", "", "tasks", "where init matters", "pytorch", "keras", *names], rows, 2)
