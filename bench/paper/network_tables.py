"""Blocks of docs/reproduction.md on trained networks: Figure 3, Table 1, and whether the evidence orders them."""
import deep_tables
from data import BIASES, EPOCHS, HE, PAIRS, PAPERS, WEIGHTS, best, evidence_by_size, mean_and_error, rows, trained
from text import correlation, listed, markdown, pair, percent, points, with_error

CURVES, TABLE = (1000, 3000, 5000), (10000, 20000, 30000, 40000, 50000)
LOSSES = {"squared": "squared error", "cross-entropy": "cross-entropy"}


FEWEST = 8  # pairs that a part of a grid needs to be shown


def complete(loss, sizes):
    """Sizes of which every pair was trained."""
    return {n: t for n, t in trained(loss).items() if n in sizes and t.whole()}


def shown(loss, sizes):
    """Those, and sizes of which most pairs were."""
    grids = evidence_by_size()
    return {n: t for n, t in trained(loss).items() if n in sizes and len(t.pairs) >= FEWEST and HE in t.pairs and len(grids.get(n, {})) == len(PAIRS)}


def of_pairs(t):
    return "" if t.whole() else f", {len(t.pairs)} of {len(PAIRS)} pairs"


def many(count, word):
    return f"{count} {word}{'' if count == 1 else 's'}"


def recommended(size):
    return best(evidence_by_size()[size])


def map_of(size, t):
    """Test accuracy of every pair; training accuracy behind it where it was kept."""
    means = t.means()
    names = {HE: " (He)", PAPERS: " (the paper's choice)", recommended(size): " (recommended)"}
    lines = []
    for w in WEIGHTS:
        cells = []
        for b in BIASES:
            p = (w, b)
            if p not in means:
                cells.append("not run")
                continue
            text = percent(means[p]) if len(t.seeds) == 1 else with_error(means[p], t.error(p))
            text = f"**{text}**" if means[p] == max(means.values()) else text
            if t.accuracies(p, "train"):
                text += f", {percent(t.mean(p, 'train'))}"
            cells.append(text + names.get(p, ""))
        lines.append([f"{w:g}", *cells])
    kept = [bool(t.accuracies(p, "train")) for p in t.pairs]
    what = f"N = {size}, {many(len(t.seeds), 'network')} per pair{of_pairs(t)}" + (
        "; test accuracy (training accuracy was not kept)" if not any(kept) else "; test accuracy, then training accuracy" + ("" if all(kept) else " where it was kept"))
    return what + ":\n\n" + markdown(["σ_w² \\ σ_b²", *(f"{b:g}" for b in BIASES)], "rrrr", lines)


def rules_of(size, t):
    means = t.means()
    chosen = {"best": best(means), "He": HE, "recommended": recommended(size), "worst": min(means, key=means.get)}
    chosen = {rule: p for rule, p in chosen.items() if p in means}
    order = sorted(chosen, key=lambda rule: (-means[chosen[rule]], list(chosen).index(rule)))
    return [[f"{size}{of_pairs(t)}" if i == 0 else "", rule, with_error(means[chosen[rule]], t.error(chosen[rule])), pair(chosen[rule]),
             points(t.regret(chosen[rule])), t.rank(chosen[rule])] for i, rule in enumerate(order)]


RULES = ["N", "rule", "accuracy ± standard error", "pair", "behind the best, points", "rank"]


def missing(loss, sizes):
    """What is not there, or not whole."""
    found, drawn = trained(loss), shown(loss, sizes)
    none = [n for n in sizes if n not in drawn]
    part = [f"at {n} {len(t.pairs)} of {len(PAIRS)} pairs were trained" for n, t in found.items() if n in sizes and not t.whole()]
    return "".join([f"Not run: {listed(none)}." if none else "", " Not finished: " + listed(part) + "." if part else ""])


def maps(loss, sizes):
    done = shown(loss, sizes)
    parts = [map_of(n, t) for n, t in done.items()]
    if done:
        parts.append(markdown(RULES, "rlrlrr", [line for n, t in done.items() for line in rules_of(n, t)]))
    return "\n\n".join([*parts, *filter(None, [missing(loss, sizes)])])


def table():
    """The paper's Table 1 beside ours, row by row."""
    found = complete("squared", TABLE)
    published = {(int(r["size"]), r["rule"]): f"{100 * float(r['accuracy']):.2f} % ({r['weight_variance']}, {r['bias_variance']})" for r in rows("published-table.csv")}
    lines = []
    for n in TABLE:
        t = found.get(n)
        ours = {}
        if t:
            means = t.means()
            for rule, p in {"best": best(means), "worst": min(means, key=means.get), "He": HE, "recommended": recommended(n)}.items():
                behind = "" if rule in ("best", "worst") else f", {points(t.regret(p))} points behind the best, rank {t.rank(p)} of {len(PAIRS)}"
                ours[rule] = f"{with_error(means[p], t.error(p))} {pair(p)}{behind}"
        for i, rule in enumerate(("best", "worst", "He", "recommended")):
            lines.append([n if i == 0 else "", rule, published[n, rule], ours.get(rule, "not run")])
    return markdown(["N", "rule", "paper", "ours"], "rlll", lines)


def agreement(loss, size, t):
    """Rank correlation of the means, and its mean and error over the seeds."""
    grid = evidence_by_size()[size]
    of_means = t.correlation(grid)
    one_by_one, error = mean_and_error([t.correlation(grid, s) for s in t.seeds])
    first = recommended(size)
    gain, gain_error = mean_and_error([t.test[(*first, s)] - t.test[(*HE, s)] for s in t.seeds])
    return of_means, one_by_one, error, gain, gain_error


def finding():
    lines = []
    for n in (*CURVES, *TABLE):
        for loss, name in LOSSES.items():
            t = trained(loss).get(n)
            if n not in shown(loss, (n,)):
                if loss == "squared" or n <= 20000:
                    lines.append([n, name, "not run", "", "", "", "", ""])
                continue
            of_means, one, error, gain, gain_error = agreement(loss, n, t)
            first = recommended(n)
            lines.append([n, name, f"{len(t.seeds)}{of_pairs(t)}", correlation(of_means),
                          correlation(one) + (f" ± {error:.2f}" if error is not None else ""), f"{pair(best(t.means()))}",
                          f"{points(t.regret(first))}, {t.rank(first)} of {len(t.pairs)}",
                          points(gain) + (f" ± {points(gain_error)}" if gain_error is not None else "")])
    return markdown(["N", "loss", "networks per pair", "rank correlation, means of networks", "of one seed's networks (± standard error over seeds)", "best pair",
                     "recommended: points behind the best, rank", "recommended against He, points"], "rlrrrlrr", lines)


def finding_said():
    """What the table says, whatever it is."""
    parts = []
    for loss, name in LOSSES.items():
        found = shown(loss, CURVES + TABLE)
        if not found:
            continue
        values = {n: agreement(loss, n, t) for n, t in found.items()}
        parts.append(f"Under {name} the rank correlation of evidence and trained accuracy is " +
                     listed(f"{correlation(v[0])} at {n}" + ("" if found[n].whole() else f" (over {len(found[n].pairs)} pairs only)") for n, v in values.items()) +
                     "; the recommended pair is " + listed(f"{points(abs(v[3]))} points {'ahead of' if v[3] > 0 else 'behind'} He's at {n}" for n, v in values.items()) + ".")
    single = sorted({n for loss in LOSSES for n, t in shown(loss, CURVES + TABLE).items() if len(t.seeds) == 1})
    if single:
        parts.append(f"Where there is one network per pair (at {listed(single)}), how much these correlations vary from seed to seed is not known.")
    both = {n: (t, trained("squared")[n]) for n, t in shown("cross-entropy", CURVES + TABLE).items() if n in shown("squared", CURVES + TABLE)}
    for n, (by_entropy, by_square) in both.items():
        by_square.pairs = by_entropy.pairs  # the same ones
        values = [t.correlation(evidence_by_size()[n]) for t in (by_entropy, by_square)]
        parts.append(f"Over the same {len(by_entropy.pairs)} pairs at {n} samples: {correlation(values[0])} under cross-entropy, {correlation(values[1])} under squared error.")
    return " ".join(parts)


def state():
    """Which parts are there: one line each, from the files."""
    grids = evidence_by_size()
    whole = [n for n, g in grids.items() if len(g) == len(PAIRS)]
    some = {n: len(g) for n, g in grids.items() if len(g) < len(PAIRS)}
    none = [n for n in (30000, 40000, 50000) if n not in grids]
    lines = [["simulation, both targets", "done"], [f"evidence over the grid at {listed(whole)}", "done"]]
    lines += [[f"evidence at {n}", f"{k} of {len(PAIRS)} cells"] for n, k in some.items()]
    if none:
        lines.append([f"evidence at {listed(none)}", "not run"])
    fitted = {int(r["size"]) for r in rows("continuous.csv")}
    lines += [[f"maximum between the cells, noise fitted, at {n}", "done" if n in fitted else "not run"] for n in (10000, 20000)]
    for loss, name in LOSSES.items():
        found = trained(loss)
        for n in CURVES + (TABLE if loss == "squared" else TABLE[:2]):
            t = found.get(n)
            done = "not run" if not t else f"done, {many(len(t.seeds), 'network')} per pair" if t.whole() else f"not finished: {len(t.pairs)} of {len(PAIRS)} pairs"
            lines.append([f"{EPOCHS} epochs by {name} at {n}", done])
    deep = deep_tables.read()
    lines.append(["deeper networks on Fashion-MNIST and CIFAR-10", f"done, {len(deep)} rows; choices of trained-risk for {sum(d.by_risk is not None for d in deep)}"])
    return markdown(["part", "state"], "ll", lines)
