// A value over the grid of (σ_w², σ_b²): colour is the drop from the best. Each cell has the same size, whatever the
// spacing of the values; what lies between grid values is placed between their cells.
import * as Plot from "@observablehq/plot";
import { chart, font, hover, legend, markers } from "./chart.js";
import { contour_lines } from "./contours.js";
import { h } from "./dom.js";
import { cell_place, cell_ticks, drop_scale, drop_ticks, ramp, ramp_ink, round_numbers, unique } from "./scale.js";

const line_style = { stroke: "var(--accent)", strokeWidth: 2 };
const crowded = 2.5;      // cells between the labels of two contours
const fine_enough = 12;  // cells per side from which contours say more than printed values

/**
 * cells: [{ weight_variance, bias_variance, value, drop, failed }], value null where there is none
 * markers: [{ name, weight_variance, bias_variance }]; line: { name, points: the like of markers }; label(drop): text in a cell; tip(cell): hover text
 * unit: of the drop, which lies `side` the best; key: what the colours mean instead; scale: instead of drop_scale's; interval: { weight_variance: [low, high], bias_variance: [low, high] } around the marker called `centre`
 */
export function heatmap({ cells, markers: wanted = [], line, label, tip, unit, interval, centre = "recommended", key, side = "below", scale = scale_of(cells), ...rest }) {
  const weights = unique(cells.map((c) => c.weight_variance));
  const biases = unique(cells.map((c) => c.bias_variance));
  const fine = weights.length >= fine_enough && biases.length >= fine_enough;
  const placed = cells.map((c) => ({ ...c, x: cell_place(weights, c.weight_variance), y: cell_place(biases, c.bias_variance) }));
  const known = placed.filter((c) => c.value !== null);
  const place = (pairs) => pairs
    .map((m) => ({ ...m, x: cell_place(weights, m.weight_variance), y: cell_place(biases, m.bias_variance) }))
    .filter((m) => m.x !== null && m.y !== null);
  const points = place(wanted), path = place(line?.points ?? []);
  const marked = points.length + path.length > 0;
  const missing = placed.filter((c) => c.value === null);
  const lines = fine ? lines_of(placed, weights, biases, scale) : [];

  const draw = (width) => {
    const left = 36 + 6.5 * Math.max(...cell_ticks(biases, 8).map((t) => String(t.value).length)), right = 4, top = 4, bottom = 42;
    const cell = (width - left - right) / weights.length;
    const height = fine ? Math.min(0.66 * (width - left), 340) : biases.length * Math.min(Math.max(cell * 0.9, 52), 84);
    const roomy = !fine && cell >= 40;
    return Plot.plot({
      width, height: height + top + bottom,
      marginLeft: left, marginRight: right, marginTop: top, marginBottom: bottom,
      style: font,
      x: { domain: [-0.5, weights.length - 0.5], axis: null },
      y: { domain: [-0.5, biases.length - 0.5], axis: null },
      marks: [
        Plot.rect(known, {
          x1: (c) => c.x - 0.5, x2: (c) => c.x + 0.5, y1: (c) => c.y - 0.5, y2: (c) => c.y + 0.5,
          fill: { value: (c) => ramp(scale.position(c.drop)), scale: null },
          inset: fine ? -0.3 : 0.75, className: "cells",
        }),
        Plot.rect(missing, {
          x1: (c) => c.x - 0.5, x2: (c) => c.x + 0.5, y1: (c) => c.y - 0.5, y2: (c) => c.y + 0.5,
          fill: "none", stroke: "var(--rule)", strokeDasharray: "3,3", inset: 1.5, className: "missing",
        }),
        Plot.text(missing, { x: "x", y: "y", text: () => (roomy ? "failed" : "×"), dy: roomy && marked ? 11 : 0, fill: "var(--quiet)" }),
        lines.map((line) => Plot.line(line.points, {
          stroke: "var(--contour)", strokeWidth: 1, strokeOpacity: 0.75, className: "contour", curve: "catmull-rom",
        })),
        Plot.text(contour_labels(lines), {
          x: "x", y: "y", text: "text", fill: "var(--contour)", stroke: "var(--contour-halo)", strokeWidth: 3, fontSize: 10,
        }),
        roomy && Plot.text(known, {
          x: "x", y: "y", text: (c) => label(c.drop), dy: marked ? 11 : 0,
          fill: { value: (c) => ramp_ink(scale.position(c.drop)), scale: null }, fontVariant: "tabular-nums",
        }),
        path.length > 1 && Plot.line(path, { x: "x", y: "y", ...line_style, curve: "monotone-y", className: "line" }),
        path.length > 0 && Plot.dot(path, { x: "x", y: "y", r: 3.5, fill: "var(--accent)", stroke: "var(--paper)", className: "line-points" }),
        interval_marks(interval, points.find((p) => p.name === centre), weights, biases),
        markers(points, { x: "x", y: "y", dy: fine ? 0 : roomy ? -9 : 0 }),
        axis(Plot.axisX, cell_ticks(weights, Math.max(4, Math.floor((width - left) / 44))), { label: "weight variance σ_w²", labelOffset: 36 }),
        axis(Plot.axisY, cell_ticks(biases, Math.max(4, Math.floor(height / 34))), { label: "bias variance σ_b²", labelOffset: left - 5 }),
        hover(placed, { x: "x", y: "y", title: tip, maxRadius: 60 }),
      ].filter(Boolean),
    });
  };
  return chart({
    ...rest, draw,
    legend: h("div", { class: "legends" }, colour_key(scale, label, key ?? `${unit} ${side} the best`), legend([
      ...points.map((p) => ({ name: p.name, marker: p.marker ?? p.name })),
      ...(path.length ? [{ name: line.name, color: line_style.stroke, width: line_style.strokeWidth }] : [])])),
  });
}

function axis(mark, ticks, options) {
  return mark(ticks.map((t) => t.place), {
    tickFormat: (place) => String(ticks.find((t) => t.place === place).value),
    labelAnchor: "center", labelArrow: "none", tickSize: 0, ...options,
  });
}

const scale_of = (cells) => drop_scale(cells.filter((c) => c.value !== null).map((c) => c.drop));

export function colour_key(scale, label, what) {
  const ticks = scale.ticks ?? drop_ticks(scale.clip, 0.3);
  return h("div", { class: "colour-key" },
    h("span", { class: "bar" },
      h("span", { class: "gradient" }),
      h("span", { class: "ticks" }, ticks.map((t) => h("span", {
        style: `left:${(100 * scale.position(t)).toFixed(1)}%`,
      }, (t === scale.clip && scale.clipped ? "≥ " : "") + label(t).replace(/^[−+]/, "").replace(/\.0$/, ""))))),
    h("span", { class: "what" }, what));
}

function lines_of(placed, weights, biases, scale) {
  const values = new Array(weights.length * biases.length).fill(Number.NaN);
  for (const c of placed) if (c.value !== null) values[c.y * weights.length + c.x] = c.drop;
  const least = Math.min(...values.filter((v) => v > 0));
  const levels = round_numbers(Math.max(least, scale.clip / 1000), scale.clip);
  return contour_lines(values, weights.length, biases.length, levels);
}

/** One label per level, on its longest line, away from the labels before it. */
function contour_labels(lines) {
  const longest = new Map();
  for (const line of lines) if ((longest.get(line.level)?.points.length ?? 0) < line.points.length) longest.set(line.level, line);
  const labels = [];
  for (const { level, points } of longest.values()) {
    if (points.length < 6) continue;
    const distance = (p) => Math.min(...labels.map((l) => Math.hypot(l.x - p[0], l.y - p[1])), 1e9);
    const inner = points.slice(2, -2);
    const [x, y] = labels.length ? inner.reduce((a, b) => (distance(b) > distance(a) ? b : a)) : inner[Math.floor(inner.length / 2)];
    if (labels.length && distance([x, y]) < crowded) continue;
    labels.push({ x, y, text: level >= 1000 ? `${level / 1000}k` : String(level) });
  }
  return labels;
}

function interval_marks(interval, centre, weights, biases) {
  if (!interval || !centre) return null;
  const clamp = (values, v) => cell_place(values, Math.min(Math.max(v, values[0]), values.at(-1)));
  const [w, b] = [interval.weight_variance, interval.bias_variance];
  return [
    w && Plot.ruleY([centre], { y: "y", x1: clamp(weights, w[0]), x2: clamp(weights, w[1]), ...line_style }),
    b && Plot.ruleX([centre], { x: "x", y1: clamp(biases, b[0]), y2: clamp(biases, b[1]), ...line_style }),
  ].filter(Boolean);
}
