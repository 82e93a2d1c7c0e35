// The test or training result per epoch of every trained network of one size; the recommended pair and He stand out (the
// paper's Figure 3, whose caption says training).
import * as Plot from "@observablehq/plot";
import { chart, font, hover } from "./chart.js";
import { count, pair, plain } from "./format.js";
import { same_pair } from "./scale.js";

const he_pair = { weight_variance: 2, bias_variance: 0 };
const looks = {
  other: { stroke: "var(--faint)", strokeWidth: 1 },
  He: { stroke: "var(--ink)", strokeWidth: 1.75 },
  recommended: { stroke: "var(--accent)", strokeWidth: 2.25 },
};
export const curve_keys = (with_he) => [
  { name: "recommended", color: "var(--accent)" },
  ...(with_he ? [{ name: "He", color: "var(--ink)", width: 2.25 }] : []),
  { name: "the other pairs", color: "var(--faint)", width: 1.5 },
];
export const on_test_rows = { field: "curve", kind: "curves", axis: (metric) => metric.axis };
export const on_training_rows = { field: "train_curve", kind: "training-curves", axis: () => "training accuracy, %" };
export const has_he = (sizes) => sizes.some((s) => s.cells.some((c) => same_pair(c, he_pair)));

const name_of = (cell, recommended) =>
  same_pair(cell, recommended) ? "recommended" : same_pair(cell, he_pair) ? "He" : "other";

/**
 * The band of results that all sizes share: what the networks ended with and as much again towards the start, so that
 * the end is readable. A tenth of the networks may end outside of it.
 */
export function curve_domain(sizes, metric, { field } = on_test_rows) {
  const ends = sizes.flatMap((s) => s.cells.map((c) => c[field]?.at(-1))).filter((v) => typeof v === "number").sort(metric.better);
  if (!ends.length) return [0, 1];
  const top = ends[0], bottom = ends[Math.floor(0.9 * (ends.length - 1))];
  const low = bottom + (bottom - top);
  if (metric.key === "rmse") return [0.9 * top, low];
  return [Math.max(Math.floor(low * 20 - 1e-9) / 20, 0), Math.min(1, Math.ceil(top * 50 + 1e-9) / 50)];
}

/** A long curve may hold every `stride`-th epoch only, counted from the last. */
const epoch_at = (cell, curve, i, stride) => (cell.epochs ?? curve.length) - (curve.length - 1 - i) * stride;

export function curves(size, rows, metric, domain, stride, { field, kind, axis } = on_test_rows) {
  const networks = size.cells.map((cell) => {
    const name = name_of(cell, size.recommended);
    const points = (cell[field] ?? []).map((value, i, curve) => ({ name, cell, epoch: epoch_at(cell, curve, i, stride), value }));
    return { name, cell, points: points.filter((p) => p.value !== null) };
  }).filter((n) => n.points.length);
  const order = ["other", "He", "recommended"];
  networks.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const all = networks.flatMap((n) => n.points).filter((p) => p.value >= domain[0] && p.value <= domain[1]);
  const epochs = Math.max(1, ...networks.map((n) => n.points.at(-1).epoch));
  const draw = (width) => Plot.plot({
    width, height: Math.round(Math.min(Math.max(width * 0.66, 220), 320)),
    marginLeft: 58, marginRight: 10, marginTop: 10, marginBottom: 42, style: font,
    x: { domain: [0, epochs] },
    y: { domain },
    marks: [
      Plot.gridY({ ticks: 5, stroke: "var(--rule)", strokeOpacity: 1 }),
      ...networks.map((n) => Plot.line(n.points, { x: "epoch", y: "value", ...looks[n.name], clip: true, className: `curve ${n.name}` })),
      Plot.axisX({ ticks: 5, tickSize: 0, label: "epoch", labelAnchor: "center", labelArrow: "none", labelOffset: 36 }),
      Plot.axisY({ ticks: 5, tickSize: 0, tickFormat: metric.tick, label: axis(metric), labelAnchor: "center", labelArrow: "none", labelOffset: 54 }),
      hover(all, {
        x: "epoch", y: "value",
        title: (p) => [
          `${pair(p.cell)}${p.name === "other" ? "" : ` · ${p.name}`}`, `epoch ${count(p.epoch)}: ${metric.format(p.value)}`,
          p.cell.seed !== undefined && `seed ${p.cell.seed}`].filter(Boolean).join("\n"),
      }),
    ],
  });
  return chart({
    kind, title: `${count(size.size)} samples`, draw,
    sentence: sentence(size, field === "curve" ? rows : [], networks, metric, epochs) + (stride > 1 ? ` One epoch in ${stride} is drawn.` : ""),
    values: {
      columns: [
        { head: "σ_w²", cell: (n) => plain(n.cell.weight_variance), numeric: true, row_head: true },
        { head: "σ_b²", cell: (n) => plain(n.cell.bias_variance), numeric: true, row_head: true },
        { head: "seed", cell: (n) => String(n.cell.seed ?? "—"), numeric: true },
        { head: `after ${count(epochs)} epochs`, cell: (n) => metric.format(n.points.at(-1).value), numeric: true },
      ],
      rows: [...networks].sort((a, b) => metric.better(a.points.at(-1).value, b.points.at(-1).value)),
    },
  });
}

function sentence(size, rows, networks, metric, epochs) {
  if (!networks.length) return "No network has been trained yet.";
  const ends = networks.map((n) => n.points.at(-1).value).sort(metric.better);
  const row = (rule) => rows.find((r) => r.size === size.size && r.rule === rule);
  const [recommended, he] = [row("recommended"), row("He")];
  const same = same_pair(size.recommended, he_pair);
  const parts = [];
  if (recommended && he && !same) {
    parts.push(`The recommended pair ${pair(recommended)} ends at ${metric.format(recommended[metric.key])}, He at ${metric.format(he[metric.key])};`);
  } else if (recommended) {
    parts.push(`The recommended pair ${pair(recommended)}${same ? ", which is He's," : ""} ends at ${metric.format(recommended[metric.key])};`);
  }
  const what = networks.length === 1 ? "one network was" : `${count(networks.length)} networks were`;
  const [low, high] = [metric.format(ends.at(-1)), metric.format(ends[0])];
  parts.push(`${what} trained for ${count(epochs)} epochs and ended ${low === high ? `at ${low}` : `between ${low} and ${high}`}.`);
  const text = parts.join(" ");
  return text[0].toUpperCase() + text.slice(1);
}
