"""Which rule to take, and what it costs: leave-one-data-set-out within development."""
import numpy as np

from results import LOSSES, USUAL, experience
from rules import FAMILIES, every_choice

RESAMPLES, SEED = 4000, 18


def interval(values):
    """95 % by bootstrap over tasks."""
    values = np.asarray(values, float)
    if len(values) < 2:
        return float("nan"), float("nan")
    draws = np.random.default_rng(SEED).integers(len(values), size=(RESAMPLES, len(values)))
    return tuple(np.percentile(values[draws].mean(1), [2.5, 97.5]))


class Scored:
    """The rules that all tasks of one loss have, on all of them. regret, overall, seconds: rules × tasks."""

    def __init__(self, group, tasks, choices):
        self.group, self.tasks = group, [t for t in tasks if t.group == group]
        of = [choices[t.name] for t in self.tasks]
        self.names = [n for n in of[0] if all(n in c for c in of)] if of else []
        self.index = {n: i for i, n in enumerate(self.names)}
        self.choices = [[c[n] for c in of] for n in self.names]
        pairs = [list(zip(row, self.tasks)) for row in self.choices]
        self.regret = np.array([[c.regret(t) for c, t in row] for row in pairs])
        self.overall = np.array([[c.overall(t) for c, t in row] for row in pairs])
        self.seconds = np.array([[c.seconds for c, t in row] for row in pairs])
        self.family = np.array([row[0].family for row in self.choices])
        self.sets = np.array([t.data for t in self.tasks])

    def members(self, family):
        return np.flatnonzero(self.family == family)

    def pick(self, family, tasks=None):
        """The family's rule by some of the tasks (places; all): by each factor's own mean where factors are crossed, so
        that the luckiest of thousands of rules is not taken for the best; the least mean regret otherwise."""
        tasks = np.arange(len(self.tasks)) if tasks is None else tasks
        members = self.members(family)
        means = self.regret[np.ix_(members, tasks)].mean(1)
        return int(members[crossed(means, [self.choices[m][0].factors for m in members])])

    def leave_one_out(self, family):
        """Regret and seconds of each task under the rule that the other data sets pick; and that rule."""
        picks = {d: self.pick(family, np.flatnonzero(self.sets != d)) for d in dict.fromkeys(self.sets)}
        rules = [picks[d] for d in self.sets]
        columns = np.arange(len(self.tasks))
        return self.regret[rules, columns], self.seconds[rules, columns], rules


def score(tasks, teachers):
    """teachers: tasks whose results may be known, those of a task's own data set excepted."""
    choices = {t.name: every_choice(t, experience(t, teachers)) for t in tasks}
    return [Scored(group, tasks, choices) for group in LOSSES if any(t.group == group for t in tasks)]


def chosen_family(scored):
    """The family whose rules, picked on other data sets, lose least."""
    able = [f for f in FAMILIES if len(scored.members(f))]
    return min(able, key=lambda f: scored.leave_one_out(f)[0].mean())


def crossed(means, factors):
    """Place of the least mean; where factors are crossed, of the levels that are best each on average."""
    if not factors[0]:
        return int(np.argmin(means))
    wanted = []
    for place in range(len(factors[0])):
        levels = {}
        for mean, factor in zip(means, factors):
            levels.setdefault(factor[place], []).append(mean)
        wanted.append(min(levels, key=lambda level: np.mean(levels[level])))
    return factors.index(tuple(wanted))


def shared_pick(groups, family, without=None):
    """One rule for all losses: regrets in units of what the usual defaults lose on average."""
    names = [n for n in groups[0].names if all(n in s.index for s in groups)]
    names = [n for n in names if groups[0].family[groups[0].index[n]] == family]
    total = np.zeros(len(names))
    for scored in groups:
        tasks = np.flatnonzero(scored.sets != without)
        usual = scored.regret[np.ix_([scored.index[n] for n in USUAL], tasks)].mean()
        total += scored.regret[np.ix_([scored.index[n] for n in names], tasks)].mean(1) / usual
    factors = [groups[0].choices[groups[0].index[n]][0].factors for n in names]
    return names[crossed(total, factors)]


def shared_leave_one_out(groups, family):
    """For each loss: regret, seconds and rule of each task, under the one rule that all other data sets pick."""
    picks = {d: shared_pick(groups, family, d) for d in {d for s in groups for d in s.sets}}
    out = []
    for scored in groups:
        rules = [scored.index[picks[d]] for d in scored.sets]
        columns = np.arange(len(rules))
        out.append((scored.regret[rules, columns], scored.seconds[rules, columns], rules))
    return out


def chosen_shared_family(groups):
    """As chosen_family, for one rule for all losses."""
    def loss(family):
        return sum(regret.mean() / s.regret[[s.index[n] for n in USUAL]].mean()
                   for s, (regret, _, _) in zip(groups, shared_leave_one_out(groups, family)))

    return min(FAMILIES, key=loss)
