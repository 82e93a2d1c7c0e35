"""Tables and pictures of docs/choice-quality.md from the raw lines of choice_study.

    python3 bench/choices/analyse.py RESULTS DOCS            # development: picks the rules, writes chosen.tsv
    python3 bench/choices/analyse.py RESULTS DOCS --final    # scores what chosen.tsv names on the data sets held back

    python3 bench/choices/analyse.py RESULTS DOCS --answers FOLDER   # what recommend says (choice_study, PRIORFIT_ANSWERS=1)

The first never opens a file of a task with role `final`; the second picks nothing. Everything between the page's
markers is written here, nothing in it by hand.
"""
import argparse
import csv
import os
import pathlib
import subprocess

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"  # many small systems of equations: threads only get in each other's way

import numpy as np

import answers
import pictures
import protocol
import tables
from results import DEFAULTS, HERE, read_tasks
from rules import FAMILIES
from tables import markdown, number, seconds, unit, with_interval

CHOSEN = HERE / "chosen.tsv"
ALL = "all losses"


def write_block(page, name, text):
    begin, end = f"<!-- {name}: written by bench/choices/analyse.py -->", f"<!-- end of {name} -->"
    old = page.read_text()
    head, rest = old.split(begin)
    page.write_text(head + begin + "\n" + text.strip() + "\n" + end + rest.split(end, 1)[1])


def write_chosen(groups):
    """Of every family the rule that all development tasks pick; the family taken is the one that loses least."""
    lines = []
    for scored in groups:
        taken = protocol.chosen_family(scored)
        for family in FAMILIES:
            lines.append([scored.group, family, scored.names[scored.pick(family)], "taken" if family == taken else "-"])
    shared = protocol.chosen_shared_family(groups)
    for family in FAMILIES:
        lines.append([ALL, family, protocol.shared_pick(groups, family), "taken" if family == shared else "-"])
    with open(CHOSEN, "w") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows([["loss", "family", "rule", "taken"], *lines])


def read_chosen():
    """{(loss, family): rule} and {loss: family taken}"""
    with open(CHOSEN) as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return ({(r["loss"], r["family"]): r["rule"] for r in rows},
            {r["loss"]: r["family"] for r in rows if r["taken"] == "taken"})


def shared_table(groups):
    rows = []
    for family in FAMILIES:
        parts = protocol.shared_leave_one_out(groups, family)
        row = [family, protocol.shared_pick(groups, family)]
        for regret, cost, _ in parts:
            row += [with_interval(regret), seconds(cost.mean())]
        rows.append(row)
    head = ["family", "what all development tasks together choose"]
    for scored in groups:
        head += [f"{scored.group} ({unit(scored.group)})", "s"]
    return markdown(head, rows, 2)


def aim_table(groups, rules_of):
    """rules_of(scored): (label, regret of each task, rule of each task)"""
    rows = []
    for scored in groups:
        label, regret, rules = rules_of(scored)
        fixed = {n: scored.regret[scored.index[n]].mean() for n in DEFAULTS}
        best = min(fixed, key=fixed.get)
        worse = []
        for i, task in enumerate(scored.tasks):
            difference, error = tables.against_defaults(scored, i, rules[i])
            if difference - 2 * error > tables.SMALL.get(scored.group, 1.0):
                worse.append(f"{task.name} ({number(difference, 1)} ± {number(error, 1)})")
        gain = scored.regret[scored.index[best]] - regret
        rows.append([scored.group, label, with_interval(regret), f"{best}: {number(fixed[best])}",
                     with_interval(gain), "yes" if np.mean(regret) <= fixed[best] / 2 else "no",
                     ", ".join(worse) or "none"])
    return markdown(["loss", "rule", "regret", "best fixed default", "what it saves", "at most half",
                     "tasks clearly worse than pytorch or keras"], rows, 2)


def where_it_does_not_matter(groups):
    lines = []
    for scored in groups:
        not_at_all = [t.name for t in scored.tasks if not tables.matters(t)]
        small = f"{tables.SMALL.get(scored.group, 1.0):g} {'%' if scored.group == 'regression' else 'point'}"
        lines.append(f"- {scored.group}: in {len(not_at_all)} of {len(scored.tasks)} tasks even the worst of he, "
                     f"lecun, glorot, keras and pytorch is within {small} or two standard errors of the best start"
                     f" ({', '.join(not_at_all) or 'none'}).")
    return "\n".join(lines) + "\n"


def header(tasks, missing, hopeless):
    text = f"{len(tasks)} tasks of {len({t.data for t in tasks})} data sets, "
    networks, failed = sum(t.train_seconds.size for t in tasks), sum(t.failures for t in tasks)
    text += f"{networks} networks, {failed} of them failed"
    text += f"; not there yet: {', '.join(missing)}." if missing else "."
    if hopeless:
        text += f" Left out, because no start trains there at all: {', '.join(hopeless)}."
    error = {}
    for t in tasks:
        best = t.index[t.best_start]
        error.setdefault(t.group, []).append(np.median((t.own - t.own[:, [best]]).std(0, ddof=1)) / np.sqrt(len(t.own)))
    text += " Standard error of the difference of two starts in one task, all networks, median over tasks: "
    return text + ", ".join(f"{g} {number(np.median(v))} {unit(g)}" for g, v in error.items()) + ".\n"


def development(results, docs):
    tasks, missing, hopeless = read_tasks(results, "development")
    groups = protocol.score(tasks, tasks)
    write_chosen(groups)
    rules, taken = read_chosen()
    shared = {s.group: part for s, part in zip(groups, protocol.shared_leave_one_out(groups, taken[ALL]))}

    def shown(scored):
        regret, _, chosen = scored.leave_one_out(taken[scored.group])
        one, _, same = shared[scored.group]
        return {"one rule for all": (one, same), "rule of this loss": (regret, chosen)}

    def aim(scored):
        regret, _, chosen = scored.leave_one_out(taken[scored.group])
        return f"{taken[scored.group]}: {rules[scored.group, taken[scored.group]]}", regret, chosen

    def shared_aim(scored):
        regret, _, chosen = shared[scored.group]
        return f"one for all: {rules[ALL, taken[ALL]]}", regret, chosen

    def lodo_rows(scored):
        return [(f"{f} (chosen)", f, *scored.leave_one_out(f)[:2]) for f in FAMILIES]

    pictures.bars(groups, docs / "images/choice-quality-regret.png", lambda s: [row[:3] for row in lodo_rows(s)])
    pictures.against_cost(groups, docs / "images/choice-quality-cost.png",
                          lambda s: [(*row[:3], row[3].mean()) for row in lodo_rows(s)])
    text = [
        header(tasks, missing, hopeless),
        "### The aim, on development\n",
        aim_table(groups, aim), aim_table(groups, shared_aim),
        "### Families of rules\n", tables.families_table(groups),
        "One rule for all losses:\n", shared_table(groups),
        "![Regret by rule and loss](images/choice-quality-regret.png)\n",
        "![Regret against cost](images/choice-quality-cost.png)\n",
        "### Every rule without constants of its own\n", tables.rules_table(groups),
        "### What pilots need\n",
        "Mean over all rules of the family that set it so. Pilots in sequence:\n",
        tables.factors_table(groups, "pilots in sequence"),
        "One pilot per start and fold, smoothed:\n", tables.factors_table(groups, "pilots and theory"),
        "The default in use unless another start is better by so many standard deviations:\n",
        tables.factors_table(groups, "default unless significant"),
        "### Where init does not matter\n", where_it_does_not_matter(groups),
        "### Depth, size, activation\n", tables.regret_by_factor(groups, shown),
        "### Task by task\n", tables.tasks_table(groups, shown),
        "### Rank correlations\n", tables.rank_correlations(groups),
        "### Is the predicted share of wrong classes right?\n", tables.calibration_by_ridge(groups),
        "Under cross-entropy, ridge by left-out error:\n", tables.calibration_by_factor(groups, "gcv"),
    ]
    write_block(docs / "choice-quality.md", "development", "\n".join(text))
    report(groups, rules, taken)


def report(groups, rules, taken):
    for scored in groups:
        print(f"{scored.group}: {len(scored.tasks)} tasks")
        for family in FAMILIES:
            regret, cost, _ = scored.leave_one_out(family)
            mark = "*" if taken[scored.group] == family else " "
            print(f" {mark} {family}: {with_interval(regret)}, {seconds(cost.mean())} s; {rules[scored.group, family]}")
    print(f"all losses: {taken[ALL]}; {rules[ALL, taken[ALL]]}")


def final(results, docs):
    rules, taken = read_chosen()
    print("chosen on development, before any final result is read:")
    for loss, family in taken.items():
        print(f"  {loss}: {rules[loss, family]}")
    def git(*words):
        return subprocess.run(["git", *words, "--", str(HERE)], capture_output=True, text=True, cwd=HERE).stdout.strip()

    commit = git("log", "-1", "--format=%h")
    if not commit or git("status", "--porcelain"):
        raise SystemExit("analyse.py: commit bench/choices, chosen.tsv included, before the final score")
    tasks, missing, hopeless = read_tasks(results, "final")
    groups = protocol.score(tasks, read_tasks(results, "development")[0])

    def of(scored, rule):
        place = scored.index[rule]
        return scored.regret[place], [place] * len(scored.tasks)

    def shown(scored):
        return {"one rule for all": of(scored, rules[ALL, taken[ALL]]),
                "rule of this loss": of(scored, rules[scored.group, taken[scored.group]])}

    def aim(scored):
        rule = rules[scored.group, taken[scored.group]]
        return rule, *of(scored, rule)

    def shared_aim(scored):
        return f"one for all: {rules[ALL, taken[ALL]]}", *of(scored, rules[ALL, taken[ALL]])

    def family_rows(scored):
        return [(f"{f} (chosen)", f, scored.regret[scored.index[rules[scored.group, f]]],
                 scored.seconds[scored.index[rules[scored.group, f]]]) for f in FAMILIES]

    rows = []
    for scored in groups:
        for family in FAMILIES:
            place = scored.index[rules[scored.group, family]]
            rows.append([scored.group, family, scored.names[place], with_interval(scored.regret[place]),
                         with_interval(scored.overall[place]), seconds(scored.seconds[place].mean())])
    pictures.bars(groups, docs / "images/choice-quality-final.png", lambda s: [row[:3] for row in family_rows(s)])
    text = [
        f"Rules as of commit {commit}. " + header(tasks, missing, hopeless),
        aim_table(groups, aim), aim_table(groups, shared_aim),
        "What development picked of every family:\n",
        markdown(["loss", "family", "rule", "regret", "on all networks", "s"], rows, 3),
        "![Regret by rule and loss, final](images/choice-quality-final.png)\n",
        tables.rules_table(groups), where_it_does_not_matter(groups),
        tables.regret_by_factor(groups, shown), tables.tasks_table(groups, shown),
    ]
    write_block(docs / "choice-quality.md", "final", "\n".join(text))
    print(aim_table(groups, aim), aim_table(groups, shared_aim), sep="\n")


def score_answers(results, docs, folder):
    commit = (pathlib.Path(folder) / "commit.txt").read_text().strip()  # of the program that was asked
    parts = []
    for role in ("final", "development"):
        parts += [f"### {role.capitalize()} data sets\n", answers.block(read_tasks(results, role)[0], folder, commit)]
    write_block(docs / "choice-quality.md", "answers", "\n".join(parts))
    draws = pathlib.Path(folder) / "draws.tsv"
    if draws.exists():
        write_block(docs / "choice-quality.md", "draws", answers.draws_table(draws))
    print("\n".join(parts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="folder with one TASK.tsv per task")
    parser.add_argument("docs", type=pathlib.Path, help="folder with choice-quality.md and images/")
    parser.add_argument("--final", action="store_true", help="score the rules of chosen.tsv on the final data sets")
    parser.add_argument("--answers", help="folder with what recommend said of each task")
    arguments = parser.parse_args()
    if arguments.answers:
        score_answers(arguments.results, arguments.docs, arguments.answers)
    else:
        (final if arguments.final else development)(arguments.results, arguments.docs)


main()
