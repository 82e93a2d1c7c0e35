"""Blocks of docs/reproduction.md on deeper networks."""
from data import HE, RESULTS, best, mean_and_error, pair_of, rank_correlation, rows
from text import correlation, listed, markdown, pair, points


class Deep:
    """Of one data set, depth and size: accuracies of every pair's networks, evidence, and what trained-risk chooses."""

    def __init__(self, key, lines, chosen):
        self.key = key
        self.networks, self.evidence = {}, {}
        for r in lines:
            self.networks.setdefault(pair_of(r), []).append(float(r["accuracy"]))
            self.evidence[pair_of(r)] = float(r["log_marginal_likelihood"])
        self.means = {p: mean_and_error(v)[0] for p, v in self.networks.items()}
        self.by_evidence, self.by_risk = best(self.evidence), chosen

    def regret(self, p):
        return max(self.means.values()) - self.means[p]

    def rank(self, p):
        return 1 + sum(v > self.means[p] + 1e-12 for v in self.means.values())

    def correlation(self):
        pairs = list(self.means)
        return rank_correlation([self.evidence[p] for p in pairs], [self.means[p] for p in pairs])

    def gain(self, p):
        """Against He, and the standard error of the difference."""
        (a, ea), (b, eb) = mean_and_error(self.networks[p]), mean_and_error(self.networks[HE])
        return a - b, (ea**2 + eb**2) ** 0.5

    def shown(self, p, name=True, place=True):
        value, error = mean_and_error(self.networks[p])
        text = f"{100 * value:.2f} ± {100 * error:.2f} %" + (f" {pair(p)}" if name else "")
        return text + (f", {points(self.regret(p))}, {self.rank(p)}" if place else "")


def read():
    chosen = {(r["data"], r["depth"], r["samples"]): pair_of(r) for r in rows("deep-choices.csv")}
    groups = {}
    for r in rows("deep.csv", RESULTS):
        groups.setdefault((r["data"], r["depth"], r["samples"]), []).append(r)
    order = {"fashion-mnist": 0, "cifar10": 1}
    return [Deep(k, groups[k], chosen.get(k)) for k in sorted(groups, key=lambda k: (order[k[0]], int(k[1]), int(k[2])))]


def deep():
    lines = [[*d.key, d.shown(best(d.means), place=False), d.shown(HE, name=False), d.shown(d.by_evidence), correlation(d.correlation()),
              d.shown(d.by_risk) if d.by_risk else "not run"] for d in read()]
    return markdown(["data", "depth", "N", "best", "He (2, 0)", "recommended by the evidence", "rank correlation", "recommended by trained-risk"], "lrrlllrl", lines)


def mean_regret(all_of, of):
    return points(sum(d.regret(of(d)) for d in all_of) / len(all_of))


def deep_said():
    found = read()
    behind = [d for d in found if d.gain(d.by_evidence)[0] < 0]
    ahead = [d for d in found if d.gain(d.by_evidence)[0] > 0]
    clear = [d for d in ahead if d.gain(d.by_evidence)[0] > d.gain(d.by_evidence)[1]]
    worst = min(found, key=lambda d: d.gain(d.by_evidence)[0])
    negative = sum(d.correlation() < 0 for d in found)
    return (f"In {len(behind)} of the {len(found)} rows the evidence's choice trains worse than He's, by up to "
            f"{points(-worst.gain(worst.by_evidence)[0])} points ({worst.key[0]}, depth {worst.key[1]}, {worst.key[2]} samples), and in {negative} of them pairs with more "
            f"evidence tend to train worse. In the {len(ahead)} rows where it is ahead of He, it is so by more than the standard error of the difference in "
            f"{len(clear)}. The mean regret over the rows is {mean_regret(found, lambda d: d.by_evidence)} points for the evidence and "
            f"{mean_regret(found, lambda d: HE)} for He.")


def risk_said():
    found = [d for d in read() if d.by_risk]
    if not found:
        return "Its choices have not been computed."
    ahead = sum(d.gain(d.by_risk)[0] > 0 for d in found)
    behind = [d for d in found if d.gain(d.by_risk)[0] < 0]
    hits = sum(d.rank(d.by_risk) == 1 for d in found)
    text = (f"Mean regret over {len(found)} rows {mean_regret(found, lambda d: d.by_risk)} points; the best pair in {hits}, ahead of He in {ahead}, behind in {len(behind)}")
    if behind:
        text += " (" + "; ".join(f"{d.key[0]}, depth {d.key[1]}, {d.key[2]} samples: {points(-d.gain(d.by_risk)[0])} points" for d in behind) + ")"
    return text + "."
