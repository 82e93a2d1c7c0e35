// The evidence over the grid, drawn twice: as a map, and against σ_w² with one line for each σ_b².
import * as Plot from "@observablehq/plot";
import { chart, font, hover, legend, marker_color } from "./chart.js";
import { count, list, nats, pair, plain, short } from "./format.js";
import { heatmap } from "./heatmap.js";
import { drop_scale, drop_ticks, same_pair, series, unique } from "./scale.js";

/** Grid cells as the charts want them; `drop` is the distance below the best cell. */
export function evidence_cells(grid) {
  const best = Math.max(...grid.map((c) => c.log_marginal_likelihood ?? -Infinity));
  return best_of_pairs(grid.map((c) => {
    const value = c.log_marginal_likelihood ?? null;
    return { ...c, value, drop: value === null ? Number.NaN : best - value };
  }));
}

/** One cell per pair: where the output layer's variance was tried as well, the cell with the best one. */
export function best_of_pairs(cells) {
  const best = new Map();
  for (const cell of cells) {
    const key = `${cell.weight_variance} ${cell.bias_variance}`;
    const other = best.get(key);
    if (!other || other.value === null || (cell.value !== null && cell.drop < other.drop)) best.set(key, cell);
  }
  return [...best.values()];
}

const below = (drop) => (drop === 0 ? "best" : `−${short(drop)}`);

export function evidence_tip(cell, names) {
  const head = `σ_w² ${plain(cell.weight_variance)}, σ_b² ${plain(cell.bias_variance)}${names.length ? ` · ${names.join(", ")}` : ""}`;
  if (cell.value === null) return `${head}\nno evidence: ${failure(cell)}`;
  const lines = [head, ...(untied(cell) ? [`output layer: σ_w² ${plain(cell.output_weight_variance)}`] : []), `${nats(cell.value)} nats`, cell.drop === 0 ? "the best cell" : `${nats(cell.drop)} below the best`];
  if (typeof cell.per_value === "number") lines.push(`${plain(cell.per_value, 5)} nats per target value`);
  if (cell.jitter > 0) lines.push(`jitter ${plain(cell.jitter)} added`);
  return lines.join("\n");
}

const untied = (cell) => typeof cell.output_weight_variance === "number";

export const failure = (cell) =>
  cell.failed_pivot ? `not positive definite at pivot ${cell.failed_pivot}` : cell.status ?? "the covariance could not be factored";

const names_at = (markers, cell) => markers.filter((m) => same_pair(m, cell)).map((m) => m.name);

const evidence_columns = [
  { head: "σ_w²", cell: (c) => plain(c.weight_variance), numeric: true, row_head: true },
  { head: "σ_b²", cell: (c) => plain(c.bias_variance), numeric: true, row_head: true },
  { head: "output σ_w²", cell: (c) => plain(c.output_weight_variance), numeric: true, untied: true },
  { head: "evidence, nats", cell: (c) => (c.value === null ? failure(c) : nats(c.value)), numeric: true },
  { head: "below the best", cell: (c) => nats(c.drop), numeric: true },
];

export function evidence_map(cells, markers, { title = "Evidence over the grid", interval, centre, sentence = map_sentence(cells) } = {}) {
  return heatmap({
    kind: "evidence-map", title, cells, markers, interval, centre, unit: "nats",
    label: below,
    tip: (c) => evidence_tip(c, names_at(markers, c)),
    sentence,
    values: cells.length <= 200 ? { columns: evidence_columns.filter((c) => !c.untied || cells.some(untied)), rows: cells } : null,
  });
}

function map_sentence(cells) {
  const known = cells.filter((c) => c.value !== null);
  const failed = cells.length - known.length;
  const sorted = [...known].sort((a, b) => a.drop - b.drop);
  const scale = drop_scale(known.map((c) => c.drop));
  const parts = [];
  if (sorted.length > 1) {
    parts.push(`The best pair is ${pair(sorted[0])}; the next, ${pair(sorted[1])}, is ${nats(sorted[1].drop)} nats below it and the ` +
      `worst, ${pair(sorted.at(-1))}, ${nats(sorted.at(-1).drop)}.`);
  }
  if (scale.clipped) {
    const beyond = known.filter((c) => c.drop > scale.clip).length;
    parts.push(`Colour follows the square root of the drop and ends at ${count(scale.clip)} nats; ${cells_are(beyond)} further below.`);
  }
  if (cells.some(untied)) parts.push("Each pair is shown with the output layer's σ_w² that is best for it.");
  if (failed) parts.push(`${failed === 1 ? "One cell" : `${count(failed)} cells`} could not be factored.`);
  return parts.join(" ");
}

const cells_are = (n) => (n === 1 ? "one cell lies" : `${count(n)} cells lie`);

export function evidence_lines(cells, markers) {
  const known = cells.filter((c) => c.value !== null);
  const weights = unique(cells.map((c) => c.weight_variance));
  const biases = unique(cells.map((c) => c.bias_variance));
  const scale = drop_scale(known.map((c) => c.drop));
  const color = (bias) => series(biases.length < 2 ? 0 : biases.indexOf(bias) / (biases.length - 1));
  const shown = known.filter((c) => c.drop <= scale.clip);
  const logarithmic = weights[0] > 0 && weights.at(-1) / weights[0] > 30;
  const best = known.find((c) => c.drop === 0);
  const draw = (width) => Plot.plot({
    width, height: Math.round(Math.min(Math.max(width * 0.58, 240), 300)),
    marginLeft: 52, marginRight: 12, marginBottom: 42, marginTop: 14,
    style: font, clip: false,
    x: { type: logarithmic ? "log" : "linear", nice: false, insetLeft: 8, insetRight: 8 },
    y: { type: "sqrt", domain: [scale.clip, 0] },
    marks: [
      Plot.gridY(drop_ticks(scale.clip), { stroke: "var(--rule)", strokeOpacity: 1 }),
      biases.map((bias) => Plot.line(known.filter((c) => c.bias_variance === bias), {
        x: "weight_variance", y: "drop", stroke: color(bias), strokeWidth: biases.length > 6 ? 1.25 : 2, clip: true, className: "series",
      })),
      biases.length <= 20 && Plot.dot(shown, {
        x: "weight_variance", y: "drop", r: biases.length > 6 ? 1.5 : 3,
        fill: { value: (c) => color(c.bias_variance), scale: null }, className: "points",
      }),
      best && Plot.dot([best], {
        x: "weight_variance", y: "drop", r: 6.5, stroke: marker_color("recommended"), strokeWidth: 2, fill: "none",
      }),
      Plot.axisX({
        label: "weight variance σ_w²", labelAnchor: "center", labelArrow: "none", tickSize: 0, labelOffset: 36, insetBottom: -2,
        ...(weights.length <= 8 ? { ticks: weights, tickFormat: String } : { ticks: 6, tickFormat: (v) => plain(v) }),
      }),
      Plot.axisY(drop_ticks(scale.clip), {
        tickFormat: short, tickSize: 0, label: "nats below the best", labelAnchor: "center", labelArrow: "none", labelOffset: 48,
      }),
      hover(shown, { x: "weight_variance", y: "drop", title: (c) => evidence_tip(c, names_at(markers, c)) }),
    ].flat().filter(Boolean),
  });
  return chart({
    kind: "evidence-lines",
    title: "Evidence against σ_w²",
    sentence: lines_sentence(known, biases, scale),
    legend: series_legend(biases, color),
    draw,
  });
}

function series_legend(biases, color) {
  const shown = biases.length <= 6 ? biases : [biases[0], biases[Math.floor(biases.length / 2)], biases.at(-1)];
  return legend(shown.map((bias, i) => ({
    name: `${i === 0 ? "σ_b² = " : ""}${plain(bias)}`, color: color(bias),
  })));
}

function lines_sentence(known, biases, scale) {
  const peaks = biases
    .map((bias) => known.filter((c) => c.bias_variance === bias).sort((a, b) => a.drop - b.drop)[0])
    .filter(Boolean);
  const by_weight = new Map();
  for (const p of peaks) by_weight.set(p.weight_variance, [...(by_weight.get(p.weight_variance) ?? []), p.bias_variance]);
  const clip = scale.clipped ? ` What lies more than ${count(scale.clip)} nats below the best is cut off.` : "";
  if (by_weight.size === 1) {
    const [weight] = by_weight.keys();
    const lines = peaks.length === 1 ? "The line" : `All ${count(peaks.length)} lines`;
    const [first, last] = [Math.min, Math.max].map((f) => f(...known.map((c) => c.weight_variance)));
    if (first < last && (weight === last || weight === first)) {
      return `${lines} still ${peaks.length === 1 ? "rises" : "rise"} towards σ_w² = ${plain(weight)}, the ` +
        `${weight === last ? "largest" : "smallest"} value tried.${clip}`;
    }
    return `${lines} ${peaks.length === 1 ? "peaks" : "peak"} at σ_w² = ${plain(weight)}.${clip}`;
  }
  if (biases.length <= 6) {
    const words = [...by_weight].map(([weight, b]) => `at σ_w² = ${plain(weight)} for σ_b² = ${list(b.map((v) => plain(v)))}`);
    return `The peak lies ${list(words)}.${clip}`;
  }
  const ends = [peaks[0], peaks.at(-1)];
  return `The peak moves from σ_w² = ${plain(ends[0].weight_variance)} at σ_b² = ${plain(ends[0].bias_variance)} to ` +
    `${plain(ends[1].weight_variance)} at ${plain(ends[1].bias_variance)}.${clip}`;
}
