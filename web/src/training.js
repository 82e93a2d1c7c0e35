// The page of `priorfit train`: how the loss fell, how good the network is, and where it errs. Its sentences come with the result.
import * as Plot from "@observablehq/plot";
import { chart, font, hover, legend } from "./chart.js";
import { confusion } from "./confusion.js";
import { h } from "./dom.js";
import { count, fixed, percent, plain } from "./format.js";
import { assumed, columns, command, data_entries, figures, intro, notes, run_entries } from "./parts.js";

const looks = {
  train: { name: "training", color: "var(--ink)", width: 1.75 },
  validation: { name: "validation", color: "var(--ramp-2)", width: 1.75 },
  test: { name: "test", color: "var(--accent)", width: 2.25 },
};

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
      answers.confusion && confusion({
        counts: answers.confusion, names: answers.names, sentence: sentence("confusion"),
        title: `Confusion matrix of the ${answers.rows === "test" ? "test" : "training"} rows`,
      }),
      answers.predictions && predictions(answers, sentence("predictions")),
      h("div", { class: "beside" }, assumed([
        ...data_entries(result.data), ["network", words("assumption")[1]?.replace(/^network: /, "")],
        ["training", words("assumption")[2]], ...run_entries(result, page_version)]))),
    columns(result.data),
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
    typeof of?.loss === "number" && [plain(of.loss), "loss"],
    [count(result.history?.at(-1)?.epoch ?? 0), "epochs", of ? result.best_epoch && `best: ${count(result.best_epoch)}` : `of ${count(result.options?.epochs ?? 0)}`],
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
