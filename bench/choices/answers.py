"""What `recommend` itself says, judged by networks on test rows: docs/choice-quality.md's last section."""
import pathlib

import numpy as np

from protocol import interval
from results import LOSSES
from tables import markdown, number, seconds, unit

SMALL = {True: 0.5, False: 2.0}  # points, or per cent of RMSE: less is no difference worth a change


class Answer:
    """One line of RESULTS/TASK.tsv. gain, lower, upper: what was said; true_gain: on test rows; points or per cent."""

    def __init__(self, task, line):
        self.task, self.split = task, int(line[1]) - 1
        self.change, self.seconds = line[2] == "change", float(line[4])
        self.gain, self.lower, self.upper = (100 * float(value) for value in line[5:8])
        current, finalist = float(line[9]), float(line[10])
        if task.classification:
            self.true_gain = 100 * (current - finalist)
            self.current, self.chosen = 100 * current, 100 * (finalist if self.change else current)
        else:
            self.true_gain = 100 * (1 - np.sqrt(finalist / current))
            self.current, self.chosen = np.sqrt(current), np.sqrt(finalist if self.change else current)

    def regret(self, error):
        """As Task.own: against the best start, errors relative to the split's median start first."""
        median = self.task.medians[self.split]
        if self.task.classification:
            return error - median - self.task.below
        return 100 * (error / median / self.task.below - 1)


def read(tasks, folder):
    answers = []
    for task in tasks:
        path = pathlib.Path(folder) / (task.name + ".tsv")
        for text in path.read_text().splitlines() if path.exists() else []:
            answers.append(Answer(task, text.split("\t")))
    return answers


def by_task(answers, value):
    names = dict.fromkeys(a.task.name for a in answers)
    return np.array([np.mean([value(a) for a in answers if a.task.name == name]) for name in names])


def with_interval(values):
    low, high = interval(values)
    return f"{number(np.mean(values))} [{number(low)}, {number(high)}]"


def verdict_table(answers):
    rows = []
    for group in LOSSES:
        for change in (True, False):
            mine = [a for a in answers if a.task.group == group and a.change == change]
            gains = np.array([a.true_gain for a in mine])
            small = SMALL[group != "regression"]
            rows.append([group, "change" if change else "keep", str(len(mine)), str(int((gains > small).sum())),
                         str(int((np.abs(gains) <= small).sum())), str(int((gains < -small).sum())),
                         number(gains.mean()) if mine else "–"])
    return markdown(["loss", "it said", "times", "the other start is better", "no difference", "worse", "mean gain on test rows"],
                    rows, 2)


def regret_table(answers):
    rows = []
    for group in LOSSES:
        mine = [a for a in answers if a.task.group == group and np.isfinite(a.chosen) and np.isfinite(a.current)]
        if not mine:
            continue
        rows.append([f"{group} ({unit(group)})", str(len({a.task.name for a in mine})),
                     with_interval(by_task(mine, lambda a: a.regret(a.chosen))),
                     with_interval(by_task(mine, lambda a: a.regret(a.current))),
                     with_interval(by_task(mine, lambda a: a.regret(a.current) - a.regret(a.chosen))),
                     seconds(np.mean([a.seconds for a in mine]))])
    return markdown(["loss", "tasks", "regret of the answer", "of PyTorch's default", "what it saves", "s of one core"], rows, 2)


def coverage(answers):
    known = [a for a in answers if np.isfinite([a.lower, a.upper, a.true_gain]).all() and a.upper > a.lower]
    inside = sum(a.lower <= a.true_gain <= a.upper for a in known)
    below = sum(a.true_gain < a.lower for a in known)
    false = [a for a in answers if a.change and a.true_gain < 0]
    changes = [a for a in answers if a.change]
    return (f"The gain on test rows, which took no part in anything, lies within the 95 % interval in {inside} of {len(known)} answers,"
            f" below it in {below}. Of {len(changes)} answers that said \"change\", {len(false)} changed to a start that did worse"
            " on test rows, by however little.\n")


def block(tasks, folder, commit):
    answers = read(tasks, folder)
    missing = [t.name for t in tasks if t.name not in {a.task.name for a in answers}]
    head = f"As of commit {commit}: {len(answers)} answers of {len({a.task.name for a in answers})} tasks"
    head += f"; not asked yet: {', '.join(missing)}.\n" if missing else ".\n"
    return "\n".join([head, regret_table(answers), verdict_table(answers),
                      coverage(answers)])


def draws_table(path):
    lines = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    rows = []
    for data, current in dict.fromkeys((line[0], line[1]) for line in lines):
        mine = [line for line in lines if line[0] == data]
        rows.append([data, current, str(len(mine)), str(sum(line[3] == "change" for line in mine)),
                     str(sum(line[3] == "keep" for line in mine)), str(len({line[7] for line in mine}))])
    return markdown(["data", "start in use", "draws", "change", "keep", "different best other starts"], rows, 2)
