// The page of `priorfit train`: how the loss fell, how good the network is, and where it errs. Its sentences come with the result.
import * as Plot from "@observablehq/plot";
import { chart, font, hover, legend } from "./chart.js";
import { h } from "./dom.js";
import { count, fixed, percent, plain } from "./format.js";
import { assumed, command, data_entries, figures, intro, notes, run_entries } from "./parts.js";
import { ramp, ramp_ink } from "./scale.js";

const looks = {
  train: { name: "training", color: "var(--ink)", width: 1.75 },
  validation: { name: "validation", color: "var(--ramp-2)", width: 1.75 },
  test: { name: "test", color: "var(--accent)", width: 2.25 },
};
const most_printed = 16;  // classes of a matrix whose cells hold figures

export function training_page(result, page_version) {
  const words = (kind) => (result.sentences ?? []).filter((s) => s.kind === kind).map((s) => s.text);
  const sentence = (kind) => words(kind)[0] ?? "";
  const answers = result.answers ?? {};
  return h("article", { "data-kind": "training" },
    intro(`Training on ${result.data?.name ?? "data"}`, sentence("headline") || "A trained network.", ...words("event")),
    notes(result.data),
    figures(measured(result)),
    h("div", { class: "charts two" },
      curves(result, "loss", "Loss by epoch", { axis: "loss", format: (v) => plain(v), log: true }, sentence("loss")),
      curves(result, ...quality_of(result), sentence("quality")),
      answers.confusion && confusion(answers, sentence("confusion")),
      answers.predictions && predictions(answers, sentence("predictions")),
      h("div", { class: "beside" }, assumed([
        ...data_entries(result.data), ["network", words("assumption")[1]?.replace(/^network: /, "")],
        ["training", words("assumption")[2]], ...run_entries(result, page_version)]))),
    command(result));
}

function measured(result) {
  const of = result.test ?? result.train;
  const rows = result.test ? "test rows" : "training rows";
  return [
    typeof of?.accuracy === "number" && [percent(of.accuracy, 2), "accuracy", `of ${count(of.samples)} ${rows}`],
    typeof of?.balanced_accuracy === "number" && [percent(of.balanced_accuracy, 2), "balanced accuracy", "mean over classes"],
    typeof of?.top5_accuracy === "number" && [percent(of.top5_accuracy, 2), "top 5", "right class among the five largest"],
    typeof of?.negative_log_likelihood === "number" && [fixed(of.negative_log_likelihood, 4), "negative log likelihood", "nats per row"],
    typeof of?.rmse === "number" && [plain(of.rmse), "RMSE", `of ${count(of.samples)} ${rows}`],
    typeof of?.r_squared === "number" && [fixed(of.r_squared, 3), "R²"],
    [plain(of?.loss), "loss"],
    [count(result.history?.at(-1)?.epoch ?? 0), "epochs", result.best_epoch && `best: ${count(result.best_epoch)}`],
  ].filter(Boolean);
}

const quality_of = (result) => (result.data?.task === "classification"
  ? ["accuracy", "Accuracy by epoch", { axis: "accuracy, %", format: (v) => percent(v, 2), tick: (v) => plain(100 * v) }]
  : ["rmse", "Error by epoch", { axis: "RMSE, in the target's units", format: (v) => plain(v) }]);

const of_epoch = {
  train: (record, key) => record[`train_${key}`],
  validation: (record, key) => record.validation?.[key],
  test: (record, key) => record.test?.[key],
};

function curves(result, key, title, { axis, format, tick = format, log = false }, sentence) {
  const series = Object.keys(looks).map((set) => ({
    set,
    points: (result.history ?? []).map((record) => ({ set, epoch: record.epoch, value: of_epoch[set](record, key) }))
      .filter((p) => typeof p.value === "number"),
  })).filter((s) => s.points.length);
  if (!series.length) return null;
  const all = series.flatMap((s) => s.points);
  const epochs = Math.max(...all.map((p) => p.epoch));
  const logarithmic = log && all.every((p) => p.value > 0) && Math.max(...all.map((p) => p.value)) > 10 * Math.min(...all.map((p) => p.value));
  const draw = (width) => Plot.plot({
    width, height: Math.round(Math.min(Math.max(width * 0.66, 220), 320)),
    marginLeft: 58, marginRight: 10, marginTop: 10, marginBottom: 42, style: font,
    x: { domain: [epochs > 1 ? 1 : 0, epochs] },
    y: { type: logarithmic ? "log" : "linear", nice: !logarithmic },
    marks: [
      Plot.gridY({ ticks: logarithmic ? 3 : 5, stroke: "var(--rule)", strokeOpacity: 1 }),
      result.best_epoch && Plot.ruleX([result.best_epoch], { stroke: "var(--faint)", strokeDasharray: "3,3", className: "best" }),
      ...series.map((s) => Plot.line(s.points, {
        x: "epoch", y: "value", stroke: looks[s.set].color, strokeWidth: looks[s.set].width, className: `curve ${s.set}`,
      })),
      epochs === 1 && Plot.dot(all, { x: "epoch", y: "value", fill: (p) => p.set, r: 4 }),
      Plot.axisX({ ticks: 5, tickSize: 0, label: "epoch", labelAnchor: "center", labelArrow: "none", labelOffset: 36 }),
      Plot.axisY({ ticks: logarithmic ? 3 : 5, tickSize: 0, tickFormat: tick, label: axis, labelAnchor: "center", labelArrow: "none", labelOffset: 54 }),
      hover(all, { x: "epoch", y: "value", title: (p) => `${looks[p.set].name}, epoch ${count(p.epoch)}\n${format(p.value)}` }),
    ].filter(Boolean),
  });
  return chart({
    kind: `${key}-curves`, title, draw,
    sentence: sentence + (result.curve_stride > 1 ? ` One epoch in ${result.curve_stride} is drawn.` : ""),
    legend: legend([...series.map((s) => looks[s.set]),
      ...(result.best_epoch ? [{ name: "weights kept", color: "var(--faint)", width: 1.5 }] : [])]),
    values: {
      columns: [
        { head: "epoch", cell: (r) => count(r.epoch), numeric: true, row_head: true },
        ...series.map((s) => ({ head: looks[s.set].name, cell: (r) => format(of_epoch[s.set](r, key)), numeric: true })),
      ],
      rows: result.history,
    },
  });
}

function confusion({ confusion: counts, names = [], rows }, sentence) {
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
        Plot.axisX(steps, { tickFormat: cut, tickSize: 0, tickRotate: upright ? -90 : 0, label: "the network's answer", labelAnchor: "center", labelArrow: "none", labelOffset: upright ? 40 + 6 * letters : 36 }),
        Plot.axisY(steps, { tickFormat: cut, tickSize: 0, label: "true class", labelAnchor: "center", labelArrow: "none", labelOffset: left - 6 }),
        hover(cells, {
          x: "taken", y: "truth", maxRadius: 60,
          title: (c) => `${name(c.truth)} taken for ${name(c.taken)}\n${count(c.value)} of ${count(c.total)} rows (${percent(c.share)})`,
        }),
      ].filter(Boolean),
    });
  };
  return chart({
    kind: "confusion", title: `Confusion matrix of the ${rows === "test" ? "test" : "training"} rows`, draw, sentence,
    values: {
      columns: [
        { head: "true class", cell: (c) => name(c.truth), row_head: true },
        { head: "answer", cell: (c) => name(c.taken) },
        { head: "rows", cell: (c) => count(c.value), numeric: true },
        { head: "of its class", cell: (c) => percent(c.share), numeric: true },
      ],
      rows: cells.filter((c) => c.value > 0 && c.truth !== c.taken).sort((a, b) => b.value - a.value),
    },
  });
}

function predictions({ predictions: triples, names = [], rows }, sentence) {
  const points = triples.filter(([, truth, predicted]) => typeof truth === "number" && typeof predicted === "number")
    .map(([output, truth, predicted]) => ({ output, truth, predicted }));
  if (!points.length) return null;
  const values = points.flatMap((p) => [p.truth, p.predicted]);
  const ends = [Math.min(...values), Math.max(...values)];
  const several = points.some((p) => p.output > 0);
  const draw = (width) => {
    const side = Math.min(width, 460);
    return Plot.plot({
      width: side, height: Math.round(side * 0.86), marginLeft: 62, marginRight: 14, marginTop: 12, marginBottom: 42, style: font,
      x: { domain: ends, nice: true }, y: { domain: ends, nice: true },
      marks: [
        Plot.gridY({ ticks: 5, stroke: "var(--rule)", strokeOpacity: 1 }),
        Plot.line([[ends[0], ends[0]], [ends[1], ends[1]]], { stroke: "var(--faint)", strokeWidth: 1.5, className: "equality" }),
        Plot.dot(points, { x: "truth", y: "predicted", r: 2.5, fill: "var(--ramp-1)", fillOpacity: 0.6, className: "points" }),
        Plot.axisX({ ticks: 5, tickSize: 0, label: "true value", labelAnchor: "center", labelArrow: "none", labelOffset: 36 }),
        Plot.axisY({ ticks: 5, tickSize: 0, label: "predicted", labelAnchor: "center", labelArrow: "none", labelOffset: 58 }),
        hover(points, {
          x: "truth", y: "predicted",
          title: (p) => `${several ? `${names[p.output] ?? `output ${p.output + 1}`}: ` : ""}true ${plain(p.truth)}\npredicted ${plain(p.predicted)}`,
        }),
      ],
    });
  };
  return chart({ kind: "predictions", title: `Predicted against true, ${rows === "test" ? "test" : "training"} rows`, draw, sentence });
}
