// The page of `priorfit phase`: how many layers a signal crosses from each pair, with the critical line.
import { h, table } from "./dom.js";
import { count, fixed, list, plain, plural, short } from "./format.js";
import { heatmap } from "./heatmap.js";
import { assumed, command, intro, network_entries, run_entries } from "./parts.js";

/** Layers a signal crosses, 6 ξ; JSON has null for infinity. */
const reach = (signal) => (signal.depth_scale === null ? Infinity : 6 * signal.depth_scale);
const layers = (number) => (Number.isFinite(number) ? count(Math.floor(number)) : "∞");
const or_infinite = (value, write) => (value === null ? "∞" : write(value));

export const signal_columns = [
  { head: "phase", cell: (r) => r.signal.phase },
  { head: "q*", cell: (r) => or_infinite(r.signal.fixed_point, plain), numeric: true },
  { head: "χ₁", cell: (r) => fixed(r.signal.chi, 4), numeric: true },
  { head: "ξ, layers", cell: (r) => or_infinite(r.signal.depth_scale, plain), numeric: true },
  { head: "crosses layers", cell: (r) => layers(reach(r.signal)), numeric: true },
];

export function phase_page(result, page_version) {
  const { depth, activation } = result.network;
  const cells = result.cells.map((c) => ({ ...c, value: c.chi, drop: 1 / reach(c) }));
  const crossed = cells.filter((c) => c.survives).length;
  return h("article", { "data-kind": "phase" },
    intro(`Signal propagation of ${activation}`, heading(result),
      "On the critical line small differences between inputs, and gradients on their way back, keep their size over many layers. Where " +
      "χ₁ < 1 (ordered) inputs become alike and gradients vanish; where χ₁ > 1 (chaotic) gradients explode.",
      `A signal crosses ${plural(depth, "layer")} from ${count(crossed)} of ${plural(cells.length, "pair")}.`),
    h("div", { class: "charts" }, map(cells, result)),
    line_section(result),
    assumed([...network_entries(result.network), ["a signal crosses", "6 ξ layers, ξ = 1/|log χ₁|"], ["start", "variance 1"],
      ...run_entries(result, page_version)]),
    command(result));
}

const at = (point) => `σ_w² = ${plain(point.weight_variance, 5)} at σ_b² = ${plain(point.bias_variance)}`;

function heading({ critical_line: line, network: { activation } }) {
  const reached = line.filter((p) => p.reached);
  if (!line.length) return `For ${activation} no σ_w² is critical at any σ_b² of the map.`;
  if (!reached.length) return `For ${activation} no signal of variance 1 settles on the critical line.`;
  if (reached.length === 1) return `For ${activation} the critical pair is ${at(reached[0])}.`;
  return `For ${activation} the critical line runs from ${at(reached[0])} to ${at(reached.at(-1))}.`;
}

/** Half of the colours are for pairs from which a signal crosses the network, half for the others. */
function depth_scale_of(depth) {
  const share = (drop) => { const x = drop * depth; return x === Infinity ? 1 : x / (1 + x); };
  return { clip: 4 / depth, clipped: false, position: share, ticks: [0, 1 / depth, 4 / depth] };
}

function map(cells, { critical_line: line, network: { depth } }) {
  const strays = line.filter((p) => !p.reached);
  return heatmap({
    kind: "phase-map", title: "Layers a signal crosses", cells,
    line: { name: "the phases change", points: line.map((p) => ({ ...p, weight_variance: p.turns_at })) },
    scale: depth_scale_of(depth), key: "layers a signal crosses",
    label: (drop) => (drop === 0 ? "∞" : short(Math.floor(1 / drop))),
    tip: (c) => [`σ_w² ${plain(c.weight_variance)}, σ_b² ${plain(c.bias_variance)} · ${c.phase}`,
      `χ₁ = ${fixed(c.chi, 4)}, q* = ${or_infinite(c.fixed_point, plain)}`,
      `a signal crosses ${layers(reach(c))} layers`].join("\n"),
    sentence: [
      `${list(["ordered", "critical", "chaotic"].map((phase) => [cells.filter((c) => c.phase === phase).length, phase])
        .filter(([number]) => number > 0).map(([number, phase]) => `${count(number)} ${phase}`))} pairs.`,
      line.length > 1 ? " Ordered left of the line, chaotic right of it." : "",
      strays.length ? ` At σ_b² = ${list(strays.map((p) => plain(p.bias_variance)))} a signal of variance 1 does not settle at the ` +
        "critical fixed point; the line is where its phases change." : ""],
    values: cells.length <= 200 ? {
      columns: [
        { head: "σ_w²", cell: (c) => plain(c.weight_variance), numeric: true, row_head: true },
        { head: "σ_b²", cell: (c) => plain(c.bias_variance), numeric: true, row_head: true },
        ...signal_columns.map((column) => ({ ...column, cell: (c) => column.cell({ signal: c }) })),
      ],
      rows: cells,
    } : null,
  });
}

function line_section({ critical_line: line }) {
  if (!line.length) return null;
  return h("section", { class: "wide", "data-part": "critical-line" }, h("h3", {}, "The critical line"),
    table([
      { head: "σ_b²", cell: (p) => plain(p.bias_variance), numeric: true, row_head: true },
      { head: "critical σ_w²", cell: (p) => fixed(p.weight_variance, 6), numeric: true },
      { head: "q*", cell: (p) => plain(p.fixed_point, 6), numeric: true },
      { head: "a signal of variance 1", cell: (p) => (p.reached ? "settles there" : `settles elsewhere; its phases change at ${fixed(p.turns_at, 6)}`) },
    ], line));
}
