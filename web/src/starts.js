// The starts that are compared: what each was measured to reach and what was predicted, with intervals, beside the one in use.
import * as Plot from "@observablehq/plot";
import { chart, font, hover, legend } from "./chart.js";
import { percent, plain } from "./format.js";

const accuracy = { axis: "accuracy, %", tick: (v) => plain(100 * v, 3), format: (v) => percent(v, 1) };
const rmse = { axis: "RMSE", tick: (v) => plain(v, 3), format: (v) => plain(v, 4) };
const series = [
  { key: "measurement", name: "measured", dot: { fill: "var(--ramp-0)", stroke: "var(--paper)" }, bar: "var(--ramp-0)" },
  { key: "prediction", name: "predicted", dot: { fill: "var(--paper)", stroke: "var(--ramp-1)" }, bar: "var(--ramp-1)" },
];
const narrow_below = 860;

/** The candidate that is recommended: on "keep" the one in use, which comes first. */
export const recommended_place = (result) => (result.verdict?.action === "change" ? result.starts?.[0]?.candidate : 0);

export function starts_chart(result, sentence) {
  const rows = (result.starts ?? []).map((start, place) => ({ ...start, place, chosen: start.candidate === recommended_place(result) }));
  const metric = result.verdict?.metric === "accuracy" ? accuracy : rmse;
  const shown = series.filter(({ key }) => rows.some((row) => typeof row[key]?.value === "number"));
  if (!shown.length) return null;
  const points = shown.flatMap((kind, nth) => rows.filter((row) => typeof row[kind.key]?.value === "number").map((row) => {
    const { value, standard_error } = row[kind.key];
    const reach = standard_error ?? 0;
    return { row, kind, value, low: value - reach, high: value + reach, nth };
  }));
  const current = rows.find((row) => row.candidate === 0);
  const reference = current?.measurement?.value ?? current?.prediction?.value;
  const columns = [
    { head: "start", cell: (row) => row.name, row_head: true }, ...shown.map(({ name }) => ({ head: name, cell: (row) => row[name], numeric: true })),
    { head: `against ${current?.name ?? ""}`, cell: (row) => row.against ?? "", numeric: true }];

  const draw = (width) => {
    const narrow = width < narrow_below;
    // Side by side in their row; where it is narrow, below the name.
    const shift = narrow ? (nth) => 0.1 + 0.24 * nth : (nth) => (shown.length > 1 ? 0.3 * nth - 0.15 : 0);
    const placed = points.map((p) => ({ ...p, y: p.row.place + shift(p.nth) }));
    const step = narrow ? 54 : 36, top = narrow ? 6 : 26, bottom = 42;
    const [left, right] = narrow ? [6, 84] : [225, shown.length > 1 ? 390 : 280];
    const low = Math.min(...points.map((p) => p.low)), high = Math.max(...points.map((p) => p.high)), room = 0.06 * (high - low) || 0.01 * Math.abs(high) || 1;
    const words = (text, options) => Plot.text(rows, { y: "place", text, fontVariant: "tabular-nums", fontWeight: { value: (row) => (row.chosen ? 650 : 400), scale: null }, ...options });
    // Columns of words to the right, as the terminal prints them.
    const places = shown.length > 1 ? [104, 208, 380] : [104, 270];
    const column = (nth, text, head) => [
      words(text, { frameAnchor: "right", textAnchor: "end", dx: places[nth] }),
      Plot.text([head], { frameAnchor: "top-right", textAnchor: "end", dx: places[nth], dy: -18, fill: "var(--quiet)" })];
    return Plot.plot({
      width, height: rows.length * step + top + bottom, marginLeft: left, marginRight: right, marginTop: top, marginBottom: bottom, style: font,
      x: { domain: [low - room, high + room] }, y: { domain: [-0.5, rows.length - 0.5], reverse: true, axis: null },
      marks: [
        !narrow && Plot.gridX({ ticks: 6, stroke: "var(--rule)", strokeOpacity: 1 }),
        narrow && Plot.ruleY(rows, { y: (row) => row.place + 0.5, stroke: "var(--rule)" }),
        typeof reference === "number" && Plot.ruleX(rows, {
          x: () => reference, y1: (row) => row.place - (narrow ? 0.18 : 0.5), y2: (row) => row.place + 0.5, stroke: "var(--ink)", strokeDasharray: "4,3", className: "reference",
        }),
        Plot.link(placed, { x1: "low", x2: "high", y1: "y", y2: "y", stroke: { value: (p) => p.kind.bar, scale: null }, strokeWidth: 2, className: "intervals" }),
        shown.map((kind) => Plot.dot(placed.filter((p) => p.kind === kind), { x: "value", y: "y", r: 5, strokeWidth: 1.75, ...kind.dot, className: `starts ${kind.name}` })),
        Plot.dot(placed.filter((p) => p.row.chosen && p.kind === shown[0]), { x: "value", y: "y", r: 8.5, stroke: "var(--accent)", strokeWidth: 2, className: "chosen" }),
        narrow
          ? [words((row) => row.name, { frameAnchor: "left", textAnchor: "start", dy: -19 }),
            words((row) => row[shown[0].name], { frameAnchor: "right", textAnchor: "end", dx: 82, dy: -19 }),
            words((row) => row.against ?? "", { frameAnchor: "right", textAnchor: "end", dx: 82, dy: 2 })]
          : [words((row) => row.name, { frameAnchor: "left", textAnchor: "end", dx: -14 }),
            shown.map((kind, nth) => column(nth, (row) => row[kind.name], kind.name)), column(shown.length, (row) => row.against ?? "", `against ${current?.name ?? ""}`)],
        Plot.axisX({ ticks: narrow ? 4 : 6, tickSize: 0, tickFormat: metric.tick, label: metric.axis, labelAnchor: "center", labelArrow: "none", labelOffset: 36 }),
        hover(placed, { x: "value", y: "y", title: (p) => [p.row.name, `${p.kind.name}: ${p.row[p.kind.name]}`, p.row.against && `against ${current.name}: ${p.row.against}`].filter(Boolean).join("\n") }),
      ].flat(3).filter(Boolean),
    });
  };
  return chart({
    kind: "starts", title: "Starts", sentence, draw,
    legend: legend([
      ...shown.map((kind) => ({ name: kind.name, color: kind.key === "measurement" ? "var(--ramp-0)" : "var(--ramp-1)", ...(kind.key === "measurement" ? { dot: true } : { ring: true }) })),
      { name: "recommended", ring: true, color: "var(--accent)" },
      ...(typeof reference === "number" ? [{ name: current.name, color: "var(--ink)", width: 1.5, dashed: true }] : [])]),
    values: { columns, rows },
  });
}
