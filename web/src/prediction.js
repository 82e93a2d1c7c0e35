// The page of `priorfit predict`: how good the predictions are and whether their uncertainty can be trusted.
import * as Plot from "@observablehq/plot";
import { chart, font, hover } from "./chart.js";
import { confusion } from "./confusion.js";
import { h } from "./dom.js";
import { count, fixed, percent, plain } from "./format.js";
import { assumed, columns, command, data_entries, figures, intro, network_entries, noise_entry, notes, run_entries } from "./parts.js";

export function prediction_page(result, page_version) {
  const classification = typeof result.accuracy === "number";
  return h("article", { "data-kind": "prediction" },
    intro(
      `Prediction for ${result.data?.name ?? "data"}`,
      classification
        ? `The Gaussian process classifies ${percent(result.accuracy)} of ${count(result.rows)} test rows correctly.`
        : `The Gaussian process predicts ${count(result.rows)} test rows with RMSE ${plain(result.rmse)}.`,
      coverage_sentence(result)),
    notes(result.data),
    figures([
      classification ? [percent(result.accuracy, 2), "accuracy"] : [plain(result.rmse), "RMSE"],
      ...(typeof result.balanced_accuracy === "number" ? [[percent(result.balanced_accuracy, 2), "balanced accuracy", "mean over classes"]] : []),
      [fixed(result.negative_log_predictive_density, 3), "negative log density", "nats per test value, mean"],
      [percent(result.coverage95), "coverage", "of the 95 % intervals"],
      [count(result.rows), "test rows"]]),
    result.points?.length > 0 && h("div", { class: "charts" }, predicted_against_true(result.points)),
    result.confusion?.length > 0 && h("div", { class: "charts" }, confusion({
      counts: result.confusion, names: result.classes, title: "Confusion matrix",
      sentence: "Test rows by true and by predicted class; the diagonal is right.",
    })),
    h("div", { class: "charts two" },
      result.calibration?.length > 0 && calibration(result.calibration),
      h("div", { class: "beside" }, assumed([
        ...data_entries(result.data), ...network_entries(result.network),
        ["prior", prior_text(result)],
        noise_entry(result.noise_variance), ["fitted", fitted_text(result)], ...run_entries(result, page_version)]))),
    columns(result.data),
    command(result));
}

function prior_text({ prior, layers = [] }) {
  const pair = (p) => `σ_w² = ${plain(p.weight_variance)}, σ_b² = ${plain(p.bias_variance)}`;
  if (typeof prior?.weight_variance === "number" && typeof prior.output_weight_variance !== "number") return pair(prior);
  return layers.length ? layers.map((layer, i) => `${i + 1 < layers.length ? `layer ${i + 1}` : "output"}: ${pair(layer)}`).join("; ") : null;
}

function fitted_text({ chosen_by, noise_chosen_by }) {
  const what = [chosen_by && "prior", noise_chosen_by && "noise"].filter(Boolean).join(" and ");
  return what ? `${what}, by the evidence` : null;
}

// The sentence is the program's; files of earlier versions have none.
function coverage_sentence(result) {
  return result.sentences?.find((sentence) => sentence.kind === "intervals")?.text ?? null;
}

function predicted_against_true(points) {
  const values = points.flatMap((p) => [p.true, p.predicted]);
  const domain = [Math.min(...values), Math.max(...values)];
  const draw = (width) => {
    const side = Math.min(width, 460);
    return Plot.plot({
      width: side, height: Math.round(side * 0.86), marginLeft: 72, marginRight: 14, marginTop: 12, marginBottom: 42, style: font,
      x: { domain }, y: { domain },
      marks: [
        Plot.gridY({ ticks: 5, stroke: "var(--rule)", strokeOpacity: 1 }),
        Plot.line([[domain[0], domain[0]], [domain[1], domain[1]]], { stroke: "var(--faint)", strokeWidth: 1.5 }),
        Plot.ruleX(points, { x: "true", y1: (p) => p.predicted - 1.96 * p.deviation, y2: (p) => p.predicted + 1.96 * p.deviation, stroke: "var(--ramp-1)", strokeOpacity: 0.25, clip: true }),
        Plot.dot(points, { x: "true", y: "predicted", r: 2.5, fill: "var(--ramp-0)", className: "predicted" }),
        Plot.axisX({ ticks: 5, tickSize: 0, label: "true", labelAnchor: "center", labelArrow: "none", labelOffset: 36 }),
        Plot.axisY({ ticks: 5, tickSize: 0, label: "predicted", labelAnchor: "center", labelArrow: "none", labelOffset: 64 }),
        hover(points, { x: "true", y: "predicted", title: (p) => `true ${plain(p.true)}\npredicted ${plain(p.predicted)} ± ${plain(p.deviation)}` }),
      ],
    });
  };
  return chart({
    kind: "predicted", title: "Predicted against true", draw,
    sentence: `${count(points.length)} test rows; a line is the 95 % interval, the diagonal a perfect prediction.`,
    values: {
      columns: [
        { head: "true", cell: (p) => plain(p.true), numeric: true, row_head: true },
        { head: "predicted", cell: (p) => plain(p.predicted), numeric: true },
        { head: "deviation", cell: (p) => plain(p.deviation), numeric: true },
      ],
      rows: points,
    },
  });
}

function calibration(points) {
  const draw = (width) => {
    const side = Math.min(width, 460);
    return Plot.plot({
      width: side, height: Math.round(side * 0.86), marginLeft: 52, marginRight: 14, marginTop: 12, marginBottom: 42, style: font,
      x: { domain: [0, 1] }, y: { domain: [0, 1] },
      marks: [
        Plot.gridY({ ticks: 5, stroke: "var(--rule)", strokeOpacity: 1 }),
        Plot.line([[0, 0], [1, 1]], { stroke: "var(--faint)", strokeWidth: 1.5, className: "equality" }),
        Plot.line(points, { x: "nominal", y: "observed", stroke: "var(--ramp-1)", strokeWidth: 2, className: "observed" }),
        Plot.dot(points, { x: "nominal", y: "observed", r: 3.5, fill: "var(--ramp-0)", className: "points" }),
        Plot.axisX({ ticks: 5, tickSize: 0, tickFormat: (v) => `${Math.round(100 * v)}`, label: "interval's nominal share, %", labelAnchor: "center", labelArrow: "none", labelOffset: 36 }),
        Plot.axisY({ ticks: 5, tickSize: 0, tickFormat: (v) => `${Math.round(100 * v)}`, label: "true values inside, %", labelAnchor: "center", labelArrow: "none", labelOffset: 46 }),
        hover(points, { x: "nominal", y: "observed", title: (p) => `${percent(p.nominal, 0)} interval\nholds ${percent(p.observed)}` }),
      ],
    });
  };
  return chart({
    kind: "calibration", title: "Calibration of the intervals", draw,
    sentence: "The line of a perfect forecast is the diagonal.",
    values: {
      columns: [
        { head: "interval", cell: (p) => percent(p.nominal, 0), numeric: true, row_head: true },
        { head: "holds", cell: (p) => percent(p.observed), numeric: true },
      ],
      rows: points,
    },
  });
}
