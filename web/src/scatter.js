// Does the evidence know which pair trains best? Each dot is a pair.
import * as Plot from "@observablehq/plot";
import { chart, font, hover, legend, markers } from "./chart.js";
import { count, fixed, nats, pair, plain, short } from "./format.js";
import { drop_scale, drop_ticks, same_pair } from "./scale.js";

export function scatter(evidence, trained, correlation, metric, named) {
  const points = evidence.flatMap((e) => {
    const t = trained.find((c) => same_pair(c, e));
    return e.value === null || !t || t.value === null ? [] : [{ ...e, trained: t.value, short: t.drop }];
  });
  const scale = drop_scale(points.map((p) => p.drop));
  const placed = points.map((p) => ({ ...p, x: Math.min(p.drop, scale.clip), beyond: p.drop > scale.clip }));
  const marked = named.flatMap((n) => placed.filter((p) => same_pair(p, n)).map((p) => ({ ...p, name: n.name })));
  const draw = (width) => Plot.plot({
    width, height: Math.round(Math.min(Math.max(width * 0.66, 220), 320)),
    marginLeft: 58, marginRight: 14, marginTop: 10, marginBottom: 42, style: font,
    x: { type: "sqrt", domain: [scale.clip, 0], insetLeft: 8, insetRight: 8 },
    y: { inset: 8, nice: true },
    marks: [
      Plot.gridY({ ticks: 5, stroke: "var(--rule)", strokeOpacity: 1 }),
      Plot.dot(placed.filter((p) => !p.beyond), { x: "x", y: "trained", r: 3.5, fill: "var(--ramp-1)", className: "pairs" }),
      Plot.dot(placed.filter((p) => p.beyond), {
        x: "x", y: "trained", r: 3.5, stroke: "var(--ramp-1)", strokeWidth: 1.5, fill: "none", className: "pairs beyond",
      }),
      markers(marked, { x: "x", y: "trained" }),
      Plot.axisX(drop_ticks(scale.clip, 0.24), {
        tickFormat: (v) => (v === scale.clip && scale.clipped ? `≥ ${short(v)}` : v === 0 ? "best" : short(v)), tickSize: 0,
        label: "evidence, nats below the best", labelAnchor: "center", labelArrow: "none", labelOffset: 36,
      }),
      Plot.axisY({ ticks: 5, tickSize: 0, tickFormat: metric.tick, label: metric.axis, labelAnchor: "center", labelArrow: "none", labelOffset: 54 }),
      hover(placed, {
        x: "x", y: "trained",
        title: (p) => `σ_w² ${plain(p.weight_variance)}, σ_b² ${plain(p.bias_variance)}\n${metric.format(p.trained)} ${metric.name}\n` +
          (p.drop === 0 ? "the highest evidence" : `${nats(p.drop)} nats below the best`),
      }),
    ],
  });
  return chart({
    kind: "scatter", title: "Evidence against the trained result", draw,
    sentence: sentence(points, correlation, metric, scale),
    legend: legend(marked.map((m) => ({ name: m.name, marker: m.name }))),
  });
}

function sentence(points, correlation, metric, scale) {
  if (!points.length) return "No pair has both an evidence and a trained network yet.";
  const top = points.find((p) => p.drop === 0);
  const best = points.find((p) => p.short === 0);
  const parts = [];
  if (typeof correlation === "number") parts.push(`Rank correlation ${fixed(correlation, 2)}: ${verdict(correlation)}.`);
  if (top && best) {
    parts.push(top === best
      ? `The pair with the highest evidence, ${pair(top)}, also trained best.`
      : `The highest evidence, ${pair(top)}, trained to ${metric.format(top.trained)}; the best trained, ${pair(best)}, ` +
        `reached ${metric.format(best.trained)} and lies ${nats(best.drop)} nats below.`);
  }
  if (scale.clipped) parts.push(`Hollow dots lie more than ${count(scale.clip)} nats below.`);
  return parts.join(" ");
}

function verdict(correlation) {
  if (correlation >= 0.7) return "the evidence orders the pairs much as training does";
  if (correlation >= 0.3) return "the evidence orders the pairs partly as training does";
  if (correlation > -0.3) return "the evidence says little about which pair trains best";
  return "pairs with more evidence tend to train worse";
}
