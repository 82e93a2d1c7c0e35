// Which classes are taken for which.
import * as Plot from "@observablehq/plot";
import { chart, font, hover } from "./chart.js";
import { count, percent } from "./format.js";
import { ramp, ramp_ink } from "./scale.js";

const most_printed = 16;  // classes of a matrix whose cells hold figures

/** `counts` of rows by true class, then by the one they were taken for. */
export function confusion({ counts, names = [], title, sentence }) {
  const name = (i) => names[i] ?? String(i);
  const size = counts.length;
  const cells = counts.flatMap((row, truth) => {
    const total = row.reduce((a, b) => a + b, 0);
    return row.map((value, taken) => ({ truth, taken, value, share: total ? value / total : 0, total }));
  });
  // The ramp's strong end stands for all of a class; a square root lets the rare confusions be seen.
  const place = (share) => 1 - Math.sqrt(share);
  const printed = size <= most_printed;
  const draw = (width) => {
    const letters = Math.min(14, Math.max(...counts.map((_, i) => name(i).length)));
    const left = 34 + 7 * letters, side = Math.min(width - left - 6, 30 * size + 60, 460);
    const cut = (i) => (name(i).length > 14 ? `${name(i).slice(0, 13)}…` : name(i));
    const steps = counts.map((_, i) => i).filter((i) => i % Math.ceil(size / 24) === 0);
    const upright = letters > 3;
    return Plot.plot({
      width: left + side + 6, height: side + (upright ? 50 + 6 * letters : 46), marginLeft: left, marginRight: 6, marginTop: 4,
      marginBottom: upright ? 46 + 6 * letters : 42, style: font,
      x: { domain: [-0.5, size - 0.5], axis: null }, y: { domain: [size - 0.5, -0.5], axis: null },
      marks: [
        Plot.rect(cells.filter((c) => c.value > 0), {
          x1: (c) => c.taken - 0.5, x2: (c) => c.taken + 0.5, y1: (c) => c.truth - 0.5, y2: (c) => c.truth + 0.5,
          fill: { value: (c) => ramp(place(c.share)), scale: null }, inset: printed ? 0.75 : 0, className: "cells",
        }),
        Plot.frame({ stroke: "var(--rule)" }),
        printed && side / size >= 24 && Plot.text(cells.filter((c) => c.value > 0), {
          x: "taken", y: "truth", text: (c) => count(c.value), fontSize: side / size < 32 ? 10 : 12,
          fill: { value: (c) => ramp_ink(place(c.share)), scale: null }, fontVariant: "tabular-nums",
        }),
        Plot.axisX(steps, { tickFormat: cut, tickSize: 0, tickRotate: upright ? -90 : 0, label: "predicted class", labelAnchor: "center", labelArrow: "none", labelOffset: upright ? 40 + 6 * letters : 36 }),
        Plot.axisY(steps, { tickFormat: cut, tickSize: 0, label: "true class", labelAnchor: "center", labelArrow: "none", labelOffset: left - 6 }),
        hover(cells, {
          x: "taken", y: "truth", maxRadius: 60,
          title: (c) => `${name(c.truth)} taken for ${name(c.taken)}\n${count(c.value)} of ${count(c.total)} rows (${percent(c.share)})`,
        }),
      ].filter(Boolean),
    });
  };
  return chart({
    kind: "confusion", title, draw, sentence,
    values: {
      columns: [
        { head: "true class", cell: (c) => name(c.truth), row_head: true },
        { head: "predicted", cell: (c) => name(c.taken) },
        { head: "rows", cell: (c) => count(c.value), numeric: true },
        { head: "of its class", cell: (c) => percent(c.share), numeric: true },
      ],
      rows: cells.filter((c) => c.value > 0 && c.truth !== c.taken).sort((a, b) => b.value - a.value),
    },
  });
}
