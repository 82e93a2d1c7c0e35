"""Pictures of docs/choice-quality.md: regret by rule and loss, and regret against cost."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from protocol import interval
from rules import FAMILIES
from tables import DEFAULTS, unit

COLOURS = dict(zip(FAMILIES, ["#7f7f7f", "#c7a76c", "#1f77b4", "#2ca02c", "#d62728", "#9467bd", "#e377c2"]))
SHOWN = [*DEFAULTS, "evidence, tied", "evidence", "leave-one-out", "tangent-after", "risk-error@0.001", "risk-error@gcv",
         "risk-wrong@0.001", "risk-wrong@gcv", "pilot of 1 epoch, 1 fold", "pilot of 1/4, 1 fold", "pilot of 1, 1 fold",
         "pilot of 1, 2 folds"]


def bars(groups, path, extra):
    """One panel per loss; extra(scored): [(label, family, regret of each task)] below the rules without constants."""
    figure, axes = plt.subplots(1, len(groups), figsize=(5.2 * len(groups), 8), squeeze=False)
    for axis, scored in zip(axes[0], groups):
        names = [n for n in SHOWN if not (scored.group == "regression" and "wrong" in n)]
        rows = [(n, scored.family[scored.index[n]], scored.regret[scored.index[n]]) for n in names]
        rows += extra(scored)
        for place, (name, family, values) in enumerate(rows):
            low, high = interval(values)
            axis.plot([low, high], [place, place], color=COLOURS[family], lw=2)
            axis.plot(np.mean(values), place, "o", color=COLOURS[family], ms=5)
        axis.set_yticks(range(len(rows)), [name for name, _, _ in rows], fontsize=8)
        axis.set_ylim(len(rows) - 0.4, -0.6)
        axis.axvline(0, color="black", lw=0.6)
        axis.set_xscale("symlog", linthresh=1 if scored.group != "regression" else 10)
        axis.grid(axis="x", alpha=0.3)
        axis.set_title(f"{scored.group}, {len(scored.tasks)} tasks", fontsize=10)
        axis.set_xlabel(f"mean regret ({unit(scored.group)}), 95 % over tasks", fontsize=9)
    save(figure, path)


def against_cost(groups, path, extra):
    figure, axes = plt.subplots(1, len(groups), figsize=(5.2 * len(groups), 4.6), squeeze=False)
    for axis, scored in zip(axes[0], groups):
        cost, regret = np.maximum(scored.seconds.mean(1), 0.02), scored.regret.mean(1)
        for family in FAMILIES:
            members = scored.members(family)
            if len(members):
                crowd = len(members) > 100
                axis.plot(cost[members], regret[members], "o", ms=2 if crowd else 5, alpha=0.15 if crowd else 0.8,
                          color=COLOURS[family], mew=0, rasterized=True)
                axis.plot([], [], "o", color=COLOURS[family], label=family, ms=5)
        for name, family, values, seconds in extra(scored):
            axis.plot(max(seconds, 0.02), np.mean(values), "D", color=COLOURS[family], mec="black", ms=8)
        for name in ("he", "lecun", "keras", "pytorch"):
            axis.annotate(name, (0.02, regret[scored.index[name]]), textcoords="offset points", xytext=(6, -3),
                          fontsize=8)
        axis.set_xscale("log")
        axis.set_yscale("symlog", linthresh=1 if scored.group != "regression" else 10)
        axis.grid(alpha=0.3)
        axis.set_title(scored.group, fontsize=10)
        axis.set_xlabel("seconds of one core per task (0.02: nothing to compute)", fontsize=9)
        axis.set_ylabel(f"mean regret ({unit(scored.group)})", fontsize=9)
    axes[0][-1].legend(fontsize=7, loc="upper right")
    save(figure, path)


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
