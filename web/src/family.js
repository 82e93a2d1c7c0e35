// The predicted error over the family of starts: hidden layers' σ_w² against the output layer's, one panel per σ_b² of the
// hidden layers. Every start owns the field of what is nearest to it, no further than others of its kind may lie.
import * as Plot from "@observablehq/plot";
import { Delaunay } from "d3";
import { chart, font, hover, legend, marker_names, markers } from "./chart.js";
import { h } from "./dom.js";
import { nats, plain } from "./format.js";
import { colour_key } from "./heatmap.js";
import { measure_of } from "./measure.js";
import { drop_scale, ramp, round_numbers, unique } from "./scale.js";
import { recommended_place } from "./starts.js";

const enough_for_a_panel = 3;
let maps = 0;

/** All starts with a prediction: { name, role, hidden, bias, output, risk, good, … }. */
export function family_starts(result) {
  const good = new Set(result.as_good ?? []);
  const listed = new Map((result.starts ?? []).map((line) => [line.candidate, line]));
  const chosen = recommended_place(result);
  const all = (result.candidates ?? []).map((c, i) => ({ ...c, place: i, risk: c.scores?.trained_risk, good: good.has(i), line: listed.get(i), chosen: i === chosen }));
  return all.filter((c) => c.layers?.length > 1 && c.risk).map((c) => {
    const hidden = c.layers.slice(0, -1), output = c.layers.at(-1);
    const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
    return {
      ...c, name: marker_names[c.name] ?? c.name, hidden: Math.exp(mean(hidden.map((l) => Math.log(l.weight_variance)))), bias: mean(hidden.map((l) => l.bias_variance)), output: output.weight_variance,
    };
  });
}

export const has_own_output = (starts) => starts.some((s) => Math.abs(Math.log(s.output / s.hidden)) > 1e-9);

/** Panels by the hidden layers' σ_b²: values that several starts share; the others go to the nearest. */
export function panels_of(starts) {
  const counts = new Map();
  for (const s of starts) counts.set(s.bias, (counts.get(s.bias) ?? 0) + 1);
  const shared = unique([...counts].filter(([, n]) => n >= enough_for_a_panel).map(([bias]) => bias));
  const centres = shared.length ? shared : [starts[0].bias];
  const nearest = (bias) => centres.reduce((a, b) => (Math.abs(Math.sqrt(b) - Math.sqrt(bias)) < Math.abs(Math.sqrt(a) - Math.sqrt(bias)) ? b : a));
  return centres.map((centre) => {
    const members = starts.filter((s) => nearest(s.bias) === centre);
    const [low, high] = [Math.min(...members.map((s) => s.bias)), Math.max(...members.map((s) => s.bias))];
    return { members, title: `σ_b² = ${plain(low, 2)}${low < high ? ` to ${plain(high, 2)}` : ""}` };
  });
}

/** A range of a logarithmic axis with room around the values; a value of 0 has no place on it. */
function range(values) {
  const positive = values.filter((v) => v > 0);
  return [Math.min(...positive) / 1.6, 1.6 * Math.max(...positive)];
}

export function family_map(result, starts, sentence) {
  const measure = measure_of(result, starts.map((s) => s.risk));
  const valued = starts.map((s) => ({ ...s, value: typeof s.risk.error === "number" ? measure.value(s.risk) : null })).filter((s) => s.hidden > 0);
  const known = valued.filter((s) => s.value !== null);
  if (known.length < 2) return null;
  const least = Math.min(...known.map((s) => s.value));
  for (const s of known) s.drop = s.value - least;
  const scale = drop_scale(known.map((s) => s.drop));
  const x = range(valued.map((s) => s.hidden)), y = range(valued.map((s) => s.output));
  const panels = panels_of(valued);
  const id = `hatch-${++maps}`;
  const named = marked_starts(valued);

  const draw = (width) => {
    const columns = Math.min(panels.length, Math.max(1, Math.floor(width / 190))), rows = Math.ceil(panels.length / columns);
    const side = (width - 70) / columns, height = Math.round(Math.min(Math.max(1.3 * side, 200), columns > 1 ? 290 : 220));
    const at = panels.flatMap((panel, i) => panel.members.map((s) => ({ ...s, y: Math.max(s.output, y[0]), fx: i % columns, fy: Math.floor(i / columns) })));
    const titles = panels.map((panel, i) => ({ title: panel.title, fx: i % columns, fy: Math.floor(i / columns) }));
    const place = { x: "hidden", y: "y", fx: "fx", fy: "fy" };
    const ticks = (mark, [low, high], most, options) => mark(log_ticks(low, high, most), { text: (v) => plain(v), tickSize: 0, labelAnchor: "center", labelArrow: "none", ...options });
    const drawing = Plot.plot({
      width, height: rows * (height + 26) + 44, marginLeft: 66, marginRight: 4, marginTop: 22, marginBottom: 42, style: font,
      x: { type: "log", domain: x }, y: { type: "log", domain: y }, fx: { axis: null, padding: 0.06, domain: numbers(columns) }, fy: { axis: null, padding: 0.16, domain: numbers(rows) },
      marks: [
        Plot.frame({ fill: "var(--panel)" }),
        fields(at, place, { className: "fields", style: (s) => ({ fill: s.value === null ? "var(--panel)" : ramp(scale.position(s.drop)), stroke: "var(--paper)" }) }),
        fields(at, place, { className: "flat", style: (s) => s.good && { fill: `url(#${id})` } }),
        Plot.line(titles.flatMap((t) => diagonal(x, y).map(([hidden, output]) => ({ ...t, hidden, output }))), { x: "hidden", y: "output", fx: "fx", fy: "fy", z: "title", stroke: "var(--contour)", strokeOpacity: 0.5, strokeDasharray: "2,3", className: "tied" }),
        Plot.dot(at.filter((s) => !named.includes(s.place)), { ...place, r: 2.25, fill: "var(--contour)", stroke: "var(--contour-halo)", strokeWidth: 1, className: "all-starts" }),
        markers(at.filter((s) => named.includes(s.place) && !s.chosen), { ...place, className: "named" }),
        Plot.dot(at.filter((s) => s.chosen), { ...place, r: 11, stroke: "var(--accent)", strokeWidth: 2.5, className: "ring" }),
        markers(at.filter((s) => s.chosen).map((s) => ({ ...s, marker: "recommended" })), { ...place, r: 6.5, className: "recommended" }),
        Plot.text(titles, { fx: "fx", fy: "fy", text: "title", frameAnchor: "top-left", dy: -16, fill: "var(--quiet)" }),
        ticks(Plot.axisX, x, side / 34, { label: "hidden layers' σ_w²", labelOffset: 36 }),
        ticks(Plot.axisY, y, height / 30, { label: "output layer's σ_w²", labelOffset: 61 }),
        hover(at, { ...place, maxRadius: 80, title: (s) => tip(s, measure) }),
      ],
    });
    drawing.prepend(hatch(id));
    return drawing;
  };
  return chart({
    kind: "family-map", title: measure.title, sentence, draw,
    legend: h("div", { class: "legends" }, colour_key(scale, (drop) => (drop === 0 ? "least" : measure.difference(drop)), `${measure.unit} above the least`), legend([
      ...valued.filter((s) => named.includes(s.place)).sort((a, b) => b.chosen - a.chosen).map((s) => ({ name: s.chosen ? `recommended${s.name ? `: ${s.name}` : ""}` : s.name, marker: s.chosen ? "recommended" : s.marker ?? s.name })),
      ...(valued.some((s) => s.good) ? [{ name: "as good as the best", hatch: true }] : []),
      { name: "output as hidden", color: "var(--contour)", width: 1.5, dashed: true }])),
    values: { columns: value_columns(valued, measure), rows: valued },
  });
}

/** Those with a symbol of their own: the table's starts and the defaults of frameworks. */
function marked_starts(starts) {
  for (const s of starts) {
    s.marker = s.chosen ? "recommended" : (s.name ?? "").startsWith("by the evidence") ? "evidence" : Object.values(marker_names).includes(s.name) ? s.name : s.line ? "other" : null;
  }
  return starts.filter((s) => s.marker).map((s) => s.place);
}

function tip(s, measure) {
  const layer = (l) => `${plain(l.weight_variance, 3)}, ${plain(l.bias_variance, 3)}`;
  return [
    s.name ?? (s.chosen ? "recommended" : ""), `hidden layers: σ_w², σ_b² ${unique_texts(s.layers.slice(0, -1).map(layer)).join("; ")}`, `output layer: σ_w², σ_b² ${layer(s.layers.at(-1))}`,
    s.value === null ? s.risk.failure ?? "not predicted" : `${measure.format(s.value)} predicted`, s.good && "as good as the best"].filter(Boolean).join("\n");
}

const unique_texts = (texts) => [...new Set(texts)];
const numbers = (count) => Array.from({ length: count }, (_, i) => i);

function value_columns(starts, measure) {
  const variances = (s) => `(${plain(s.hidden, 3)}, ${plain(s.bias, 2)}${s.output === s.hidden ? "" : `, output ${plain(s.output, 2)}`})`;
  const scored = (name) => starts.some((s) => s.scores?.[name]);
  return [
    { head: "start", cell: (s) => s.name ?? variances(s), row_head: true },
    { head: "predicted", cell: (s) => (s.value === null ? s.risk.failure ?? "—" : measure.told(s.value)), numeric: true },
    scored("pilot") && { head: "measured", cell: (s) => (typeof s.scores.pilot?.value === "number" ? measure.measured(s.scores.pilot.value) : "–"), numeric: true },
    scored("evidence") && { head: "evidence, nats", cell: (s) => (s.scores.evidence ? nats(s.scores.evidence.log_marginal_likelihood) : "–"), numeric: true },
  ].filter(Boolean);
}

/** Where the output layer has the hidden layers' variance, within the frame. */
function diagonal([x1, x2], [y1, y2]) {
  const low = Math.max(x1, y1), high = Math.min(x2, y2);
  return low < high ? [[low, low], [high, high]] : [];
}

/** Powers of ten, with 2 and 5 between them where they fit. */
function log_ticks(low, high, most) {
  const fine = round_numbers(low, high);
  if (fine.length <= most) return fine;
  const coarse = fine.filter((v) => /^0*1|^0\.0*1|e-?\d+$/.test(String(v)));
  return coarse.length >= 2 ? coarse : fine.filter((_, i) => i % Math.ceil(fine.length / Math.max(2, most)) === 0);
}

const reach = { across: 1.7, along: 10 ** 0.5 };  // factors of σ_w²: hidden layers', the output layer's

/** A path per start: the part of the panel that is nearest to it, cut off at `reach`. style(start): attributes, or none. */
function fields(starts, place, { className, style }) {
  return Plot.dot(starts, {
    ...place,
    render(index, { x, y }, values, { marginLeft, marginTop, width, height, marginRight, marginBottom }) {
      const shown = [...index], nearest = Delaunay.from(shown, (i) => values.x[i], (i) => values.y[i]);
      const [across, along] = [Math.abs(x(reach.across) - x(1)), Math.abs(y(reach.along) - y(1))];
      return svg("g", { class: className }, ...shown.flatMap((i, nth) => {
        const look = style(starts[i]), [cx, cy] = [values.x[i], values.y[i]];
        const corners = look && nearest.voronoi([
          Math.max(cx - across, marginLeft), Math.max(cy - along, marginTop), Math.min(cx + across, width - marginRight), Math.min(cy + along, height - marginBottom),
        ]).cellPolygon(nth);
        return corners ? [svg("path", { ...look, d: `M${corners.map((p) => p.map((v) => v.toFixed(1)).join(",")).join("L")}Z` })] : [];
      }));
    },
  });
}

const svg_space = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(svg_space, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function hatch(id) {
  return svg("defs", {}, svg("pattern", { id, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("line", { x1: 0, y1: 0, x2: 0, y2: 7, stroke: "var(--hatch)", "stroke-width": 2.5 })));
}
