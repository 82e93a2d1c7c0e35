"""Blocks of docs/reproduction.md on the simulation and the evidence."""
from collections import Counter

from data import HE, PAIRS, PAPERS, WEIGHTS, best, evidence_by_size, grids, rows
from text import listed, markdown, nats, pair

SIZES = (1000, 2000, 3000, 5000, 10000, 20000, 30000, 40000, 50000)


def simulated():
    """(target, noise) → seeds, {pair: how often chosen}, RMSE at best, design and far pair."""
    found = {}
    for r in rows("simulation.csv"):
        entry = found.setdefault((r["target"], r["noise_variance"]), (int(r["seeds"]), {}, [float(r[k]) for k in ("rmse_best", "rmse_design", "rmse_far")]))
        entry[1][(float(r["weight_variance"]), float(r["bias_variance"]))] = int(r["chosen"])
    return found


def simulation():
    design = (3.6, 0.02)
    found = simulated()
    paper = {r["figure"]: r["value"] for r in rows("published-simulation.csv")}
    mean, paths = found["mean", "1e-6"], found["paths", "1e-6"]
    recovered = [f"**{chosen.get(design, 0)} of {seeds}**" for seeds, chosen, _ in (mean, paths)]
    others = [", ".join(f"{pair(p)} {n}" for p, n in sorted(chosen.items(), key=lambda x: -x[1]) if p != design) for _, chosen, _ in (mean, paths)]
    lines = [["design pair recovered", paper["recovered"], *recovered], ["other pairs chosen", "", *others]]
    for i, (name, published) in enumerate([("the best pair", paper["rmse_best"]), ("the design pair", ""), ("(3.6, 0.0001)", paper["rmse_far"])]):
        lines.append([f"median RMSE at {name}", published, f"{mean[2][i]:.5f}", f"{paths[2][i]:.5f}"])
    return markdown(["", "paper", "target `mean` (the paper's text)", "target `paths`"], "lrrr", lines)


def simulation_noise():
    design = (3.6, 0.02)
    found = simulated()
    lines = []
    for noise in ("1e-10", "1e-8", "1e-6", "1e-4"):
        paths, mean = found["paths", noise], found["mean", noise]
        lines.append([noise, paths[1].get(design, 0), mean[1].get(design, 0), f"{mean[2][0]:.5f} / {mean[2][2]:.5f}"])
    return markdown(["σ_n²", "`paths`", "`mean`", "RMSE of `mean`, best pair / (3.6, 0.0001)"], "rrrl", lines)


def evidence():
    lines = []
    found = evidence_by_size()
    for size in SIZES:
        grid = found.get(size)
        if not grid:
            lines.append([size, "not run"] + [""] * 7)
            continue
        first = best(grid)
        of = "" if len(grid) == len(PAIRS) else f" of {len(grid)} cells"
        others = {p: v for p, v in grid.items() if p != first}
        behind = [pair(best(others)) + of, nats(max(others.values()) - grid[first])] if others else ["", ""]
        cells = [nats(grid[w, 0.0]) if (w, 0.0) in grid else "" for w in WEIGHTS]
        cells = [f"**{c}**" if first == (w, 0.0) else c for w, c in zip(WEIGHTS, cells)]
        lines.append([size, pair(first) + of, *cells, *behind])
    return markdown(["N", "best pair", "0.4", "1.2", "2 (He)", "2.8", "3.6", "second best", "behind"], "rlrrrrrlr", lines)


def evidence_said():
    found = {s: g for s, g in evidence_by_size().items() if len(g) == len(PAIRS)}
    firsts = Counter(best(g) for g in found.values())
    same = ", ".join(f"{pair(p)} at {listed(s for s, g in found.items() if best(g) == p)}" for p, _ in firsts.most_common())
    passed = [s for s, g in found.items() if g[3.6, 1.0] > g[PAPERS]]
    rest = {s: g for s, g in evidence_by_size().items() if s not in found}
    large = {s: g for s, g in rest.items() if all(p in g for p in PAIRS if p[0] >= HE[0])}
    missing = [s for s in SIZES if s not in found and s not in large]
    text = f"Over the whole grid the best pair is {same}. The paper's own, {pair(PAPERS)}, is the best at "
    text += listed(s for s, g in found.items() if best(g) == PAPERS) + " of these sizes."
    if passed:
        text += f" At {listed(passed)} (3.6, 1) has more evidence than {pair(PAPERS)}: there the best bias is no longer 0 at large σ_w²."
    if large:
        chosen = Counter(best(g) for g in large.values())
        text += " Of the nine pairs with σ_w² ≥ 2 the best is " + ", ".join(
            f"{pair(p)} at {listed(s for s, g in large.items() if best(g) == p)}" for p, _ in chosen.most_common())
        behind = {s: max(g.values()) - max(v for p, v in g.items() if p[0] < HE[0]) for s, g in found.items()}
        text += (f"; those with less were not run there: at {listed(found)} the best of them is "
                 f"{listed(nats(behind[s]) for s in found)} nats behind the best of all.")
    if missing:
        text += f" The whole grid has not been run at {listed(missing)}: what its best pair is there, is not known."
    return text


def redraws():
    found = grids(rows("redraws.csv"), "size", "seed")
    lines = []
    for size in sorted({int(s) for s, _ in found}):
        draws = {int(seed): g for (s, seed), g in found.items() if int(s) == size}
        chosen = Counter(best(g) for g in draws.values())
        ahead = [g[best(g)] - max(v for p, v in g.items() if p != best(g)) for g in draws.values()]
        seconds = Counter(best({p: v for p, v in g.items() if p != best(g)}) for g in draws.values())
        over_he = [g[best(g)] - g[HE] for g in draws.values()]
        lines.append([size, len(draws), ", ".join(f"{pair(p)} {n}" for p, n in chosen.most_common()),
                      ", ".join(f"{pair(p)} {n}" for p, n in seconds.most_common()),
                      f"{nats(min(ahead))} to {nats(max(ahead))}", f"{nats(min(over_he))} to {nats(max(over_he))}"])
    return markdown(["N", "draws", "best pair, draws", "second best, draws", "nats ahead of the second", "nats ahead of He"], "rrllrr", lines)


def continuous():
    lines = []
    for r in sorted(rows("continuous.csv"), key=lambda r: int(r["size"])):
        def figure(name, digits):
            value = f"{float(r[name]):.{digits}g}"
            low, high = r[f"{name}_low"], r[f"{name}_high"]
            return value + (f" ({float(low):.{digits}g} to {float(high):.{digits}g})" if low and high else "")
        bound = ", ".join({"bias_variance:lower": "σ_b² at 0", "noise_variance:lower": "σ_n² at the least allowed"}.get(b, b) for b in r["at_bound"].split())
        lines.append([r["size"], figure("weight_variance", 3), figure("bias_variance", 2), figure("noise_variance", 2), bound, nats(float(r["log_marginal_likelihood"]))])
    done = {int(line[0]) for line in lines}
    lines += [[n, "not run", "", "", "", ""] for n in (10000, 20000) if n not in done]
    return markdown(["N", "σ_w² (95 %)", "σ_b² (95 %)", "σ_n² (95 %)", "at a bound", "nats"], "rlllrr", lines)


NOISES = ("1e-10", "1e-8", "1e-6", "1e-5", "1e-4", "1e-3", "1e-2", "1e-1")
CHOICES = [("unit", "1/d"), ("unit", "none"), ("standardize", "1/d"), ("standardize", "none")]


def open_choices():
    """One line per size and noise; the argmax, bold where it is the paper's."""
    found = grids(rows("open.csv"), "size", "noise_variance", "pixels", "scaling")
    lines = []
    for size in ("1000", "5000"):
        for noise in NOISES:
            cells = []
            for pixels, scaling in CHOICES:
                grid = found.get((size, noise, pixels, scaling))
                text = pair(best(grid)) if grid else "not run"
                if grid and len(grid) < len(PAIRS):
                    text += f" of {len(grid)}"
                cells.append(f"**{text}**" if grid and best(grid) == PAPERS else text)
            lines.append([size, noise, *cells])
    head = ["N", "σ_n²", "pixels / 255, with 1/d (ours)", "pixels / 255, without", "standardised, with 1/d", "standardised, without"]
    return markdown(head, "rrllll", lines)


def open_said():
    found = grids(rows("open.csv"), "size", "noise_variance", "pixels", "scaling")
    whole = {k: g for k, g in found.items() if len(g) == len(PAIRS)}
    hits = [k for k, g in whole.items() if best(g) == PAPERS]
    text = f"Of {len(whole)} combinations tried, {len(hits) or 'none'} give{'s' if len(hits) < 2 else ''} the paper's {pair(PAPERS)}"
    if hits:
        text += ": " + "; ".join(f"{s} rows, σ_n² = {n}, pixels {'/ 255' if p == 'unit' else 'standardised'}, {'with' if d == '1/d' else 'without'} 1/d" for s, n, p, d in hits)
    text += "."
    margin = {k: g[best(g)] - g[PAPERS] for k, g in whole.items() if best(g) != PAPERS}
    if margin:
        k = min(margin, key=lambda k: margin[k] / int(k[0]))
        text += (f" The paper's pair comes nearest to the best, per row, at {k[0]} rows with σ_n² = {k[1]}, pixels {'/ 255' if k[2] == 'unit' else 'standardised'}, "
                 f"{'with' if k[3] == '1/d' else 'without'} 1/d: {nats(margin[k])} nats behind {pair(best(whole[k]))}.")
    return text
