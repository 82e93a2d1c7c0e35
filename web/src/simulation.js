// The page of `priorfit simulate`: is the pair that made the data recovered, and what does a wrong pair cost? (the paper's Figure 2)
import * as Plot from "@observablehq/plot";
import { chart, font, hover, legend } from "./chart.js";
import { h } from "./dom.js";
import { evidence_cells, evidence_map } from "./evidence.js";
import { count, fixed, list, pair, percent, plain } from "./format.js";
import { heatmap } from "./heatmap.js";
import { assumed, command, figures, intro, noise_entry, run_entries } from "./parts.js";
import { same_pair } from "./scale.js";

export function simulation_page(result, page_version) {
  const { example, recovery, rmse, design } = result;
  const target = result.target === "mean" ? "the mean of the paths" : "the paths as outputs";
  const limits = example ? shared_limits(example) : null;
  return h("article", { "data-kind": "simulation" },
    intro(
      "Simulation in one dimension",
      `The pair that made the data was recovered in ${count(recovery.count)} of ${count(recovery.seeds)} seeds.`,
      `Paths were drawn with σ_w² = ${plain(design.weight_variance)}, σ_b² = ${plain(design.bias_variance)}; the evidence then chose ` +
      `among ${count(result.weight_variances.length * result.bias_variances.length)} pairs, seeing ${target}.`),
    figures([
      [percent(recovery.fraction), "recovered"],
      [plain(rmse.argmax, 3), "median RMSE", "at the chosen pair"],
      [plain(rmse.design, 3), "median RMSE", `at the design pair ${pair(design)}`],
      [plain(rmse.worst_pair, 3), "median RMSE", result.worst_pair ? `at the far pair ${pair(result.worst_pair)}` : "at the worst pair"]]),
    assumed([
      ["target", target], ["seeds", count(recovery.seeds)], noise_entry(result.noise_variance),
      ["σ_w² tried", list(result.weight_variances.map((v) => plain(v)))], ["σ_b² tried", list(result.bias_variances.map((v) => plain(v)))],
      ["points", example && `${count(example.train.length)} to learn from, ${count(example.test.length)} to predict`],
      ...run_entries(result, page_version)]),
    h("div", { class: "charts two" },
      chosen_map(result),
      example && evidence_map(evidence_cells(example.grid), [{ name: "design", ...design }], { title: `Evidence, seed ${example.seed}` })),
    result.explanation && h("section", { class: "aside" }, h("h3", {}, "Paths or their mean?"), h("p", {}, result.explanation)),
    example && [
      h("h3", { class: "section-title" }, `Seed ${example.seed}: paths and predictions`),
      h("div", { class: "charts three" },
        paths(example, design),
        by_location(example, "best", limits), equality(example, "best", limits),
        errors(example),
        by_location(example, "worst", limits), equality(example, "worst", limits)),
    ],
    command(result));
}

/** How often each pair had the highest evidence. */
function chosen_map(result) {
  const chosen = (w, b) => result.argmax.find((a) => a.weight_variance === w && a.bias_variance === b)?.count ?? 0;
  const most = Math.max(...result.argmax.map((a) => a.count));
  const cells = result.weight_variances.flatMap((w) => result.bias_variances.map((b) => ({
    weight_variance: w, bias_variance: b, value: chosen(w, b), drop: most - chosen(w, b),
  })));
  const ranked = [...result.argmax].sort((a, b) => b.count - a.count);
  const seeds = result.recovery.seeds;
  const first = ranked[0];
  const rest = ranked.slice(1, 3).map((a) => `${pair(a)} in ${count(a.count)}`);
  return heatmap({
    kind: "chosen-map", title: "How often each pair was chosen", cells, markers: [{ name: "design", ...result.design }],
    scale: counts(most), key: "seeds",
    label: (drop) => count(most - drop),
    tip: (c) => `σ_w² ${plain(c.weight_variance)}, σ_b² ${plain(c.bias_variance)}${same_pair(c, result.design) ? " · design" : ""}\n` +
      `chosen in ${count(c.value)} of ${count(seeds)} seeds`,
    sentence: same_pair(first, result.design)
      ? `The pair that made the data, ${pair(first)}, had the highest evidence in ${count(first.count)} of ${count(seeds)} seeds` +
        `${rest.length ? `; ${list(rest)}` : ""}.`
      : `${pair(first)} had the highest evidence in ${count(first.count)} of ${count(seeds)} seeds${rest.length ? `, ${list(rest)}` : ""}; ` +
        `the data were made with ${pair(result.design)}.`,
  });
}

const counts = (most) => ({
  clip: most, clipped: false, ticks: [0, most / 2, most].filter((v) => Number.isInteger(v)), position: (drop) => drop / most,
});

function paths(example, design) {
  const lines = example.paths.map((path, i) => path.map((y, j) => ({ path: i + 1, x: example.locations[j], y })));
  const points = lines.flat();
  const heights = points.map((p) => p.y);
  const color = (i) => `color-mix(in oklab, var(--series-1) ${Math.round((100 * i) / Math.max(1, lines.length - 1))}%, var(--series-0))`;
  const draw = (width) => Plot.plot({
    ...frame(width),
    marks: [
      Plot.gridY({ ticks: 5, stroke: "var(--rule)", strokeOpacity: 1 }),
      ...lines.map((line, i) => Plot.line(line, { x: "x", y: "y", stroke: color(i), strokeWidth: 1.5, className: "path" })),
      ...axes("location x", "value"),
      hover(points, { x: "x", y: "y", title: (p) => `path ${p.path}\nat ${plain(p.x, 3)}: ${plain(p.y, 4)}` }),
    ],
  });
  return chart({
    kind: "paths", title: `Sample paths from ${pair(design)}`, draw,
    sentence: `${count(lines.length)} paths at ${count(example.locations.length)} locations, with values from ${fixed(Math.min(...heights), 2)} to ` +
      `${fixed(Math.max(...heights), 2)}.`,
  });
}

const flat = (values) => (Array.isArray(values[0]) ? values : [values]);

/** The points of one fit: { x, truth, predicted, path }. */
function fit_points(fit) {
  const predicted = flat(fit.predicted), truth = flat(fit.true);
  return predicted.flatMap((row, path) => row.map((value, i) => ({
    x: fit.locations[i], predicted: value, truth: truth[path][i], path: predicted.length > 1 ? path + 1 : null,
  })));
}

function shared_limits(example) {
  const values = ["best", "worst"].flatMap((name) => fit_points(example[name]).flatMap((p) => [p.predicted, p.truth]));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = 0.04 * (high - low || 1);
  return [low - room, high + room];
}

const fit_tip = (p) =>
  `${p.path ? `path ${p.path}, ` : ""}x = ${plain(p.x, 3)}\ntrue ${plain(p.truth, 5)}\npredicted ${plain(p.predicted, 5)}`;

// The paper calls (3.6, 0.0001) its worst pair; with other targets or noise another pair may have less evidence still.
const fit_name = (example, name) => `${name === "best" ? "Highest evidence" : "Far pair"} ${pair(example[name])}`;

function largest_error(points) {
  return points.reduce((a, b) => (Math.abs(b.predicted - b.truth) > Math.abs(a.predicted - a.truth) ? b : a));
}

function by_location(example, name, limits) {
  const points = fit_points(example[name]);
  const off = largest_error(points);
  const draw = (width) => Plot.plot({
    ...frame(width), y: { domain: limits },
    marks: [
      Plot.gridY({ ticks: 5, stroke: "var(--rule)", strokeOpacity: 1 }),
      Plot.dot(points, { x: "x", y: "truth", r: 4, stroke: "var(--ink)", strokeWidth: 1.25, fill: "none", className: "true" }),
      Plot.dot(points, { x: "x", y: "predicted", r: 2, fill: "var(--accent)", className: "predicted" }),
      ...axes("location x", "value"),
      hover(points, { x: "x", y: "truth", title: fit_tip }),
    ],
  });
  return chart({
    kind: `by-location-${name}`, title: fit_name(example, name), draw,
    legend: legend([{ name: "true", color: "var(--ink)", ring: true }, { name: "predicted", color: "var(--accent)", dot: true }]),
    sentence: `RMSE ${plain(example[name].rmse, 3)}; the largest miss, at x = ${plain(off.x, 3)}, is ${plain(Math.abs(off.predicted - off.truth), 2)}.`,
  });
}

/** Misses too small to be seen beside the values themselves, of both fits on one scale. */
function errors(example) {
  const looks = { best: "var(--accent)", worst: "var(--ink)" };
  const points = ["worst", "best"].flatMap((name) =>
    fit_points(example[name]).map((p) => ({ ...p, name, error: p.predicted - p.truth })));
  const draw = (width) => Plot.plot({
    ...frame(width), marginLeft: 68,
    marks: [
      Plot.gridY({ ticks: 5, stroke: "var(--rule)", strokeOpacity: 1 }),
      Plot.ruleY([0], { stroke: "var(--faint)" }),
      Plot.dot(points, {
        x: "x", y: "error", r: 2.5, fill: { value: (p) => looks[p.name], scale: null }, className: "errors",
      }),
      ...axes("location x", "predicted − true", 64),
      hover(points, { x: "x", y: "error", title: (p) => `${pair(example[p.name])}\nx = ${plain(p.x, 3)}\nmiss ${plain(p.error, 3)}` }),
    ],
  });
  const [best, worst] = [example.best.rmse, example.worst.rmse];
  return chart({
    kind: "errors", title: "What is missed", draw,
    legend: legend([
      { name: `highest evidence ${pair(example.best)}`, color: looks.best, dot: true },
      { name: `far pair ${pair(example.worst)}`, color: looks.worst, dot: true }]),
    sentence: best < worst
      ? `The far pair misses by more: RMSE ${plain(worst, 3)} against ${plain(best, 3)}.`
      : `The far pair does not miss by more here: RMSE ${plain(worst, 3)} against ${plain(best, 3)}.`,
  });
}

function equality(example, name, limits) {
  const points = fit_points(example[name]);
  const other = example[name === "best" ? "worst" : "best"];
  const draw = (width) => Plot.plot({
    ...frame(width), x: { domain: limits }, y: { domain: limits },
    marks: [
      Plot.line([[limits[0], limits[0]], [limits[1], limits[1]]], { stroke: "var(--faint)", strokeWidth: 1.5, className: "equality" }),
      Plot.dot(points, { x: "truth", y: "predicted", r: 2.5, fill: "var(--accent)", className: "predicted" }),
      ...axes("true", "predicted"),
      hover(points, { x: "truth", y: "predicted", title: fit_tip }),
    ],
  });
  const ratio = example[name].rmse / other.rmse;
  return chart({
    kind: `equality-${name}`, title: "Line of equality", draw,
    sentence: `Points on the line are predicted exactly. ` + (Number.isFinite(ratio) && ratio !== 1
      ? `The RMSE here is ${plain(example[name].rmse, 3)}, at the ${name === "best" ? "far pair" : "highest evidence"} ${plain(other.rmse, 3)}.`
      : ""),
  });
}

const frame = (width) => ({
  width, height: Math.round(Math.min(Math.max(width * 0.66, 220), 320)),
  marginLeft: 52, marginRight: 12, marginTop: 10, marginBottom: 42, style: font,
});

const axes = (x, y, offset = 48) => [
  Plot.axisX({ ticks: 5, tickSize: 0, label: x, labelAnchor: "center", labelArrow: "none", labelOffset: 36 }),
  Plot.axisY({ ticks: 5, tickSize: 0, label: y, labelAnchor: "center", labelArrow: "none", labelOffset: offset }),
];
