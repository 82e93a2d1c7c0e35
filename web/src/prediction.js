// The page of `priorfit predict`: how good the predictions are and whether their uncertainty can be trusted.
import * as Plot from "@observablehq/plot";
import { chart, font, hover } from "./chart.js";
import { h } from "./dom.js";
import { count, fixed, percent, plain } from "./format.js";
import { assumed, command, data_entries, figures, intro, network_entries, noise_entry, notes, run_entries } from "./parts.js";

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
      [fixed(result.negative_log_predictive_density, 3), "negative log density", "nats per test value, mean"],
      [percent(result.coverage95), "coverage", "of the 95 % intervals"],
      [count(result.rows), "test rows"]]),
    h("div", { class: "charts two" },
      result.calibration?.length > 0 && calibration(result.calibration),
      h("div", { class: "beside" }, assumed([
        ...data_entries(result.data), ...network_entries(result.network),
        ["prior", result.prior && `σ_w² = ${plain(result.prior.weight_variance)}, σ_b² = ${plain(result.prior.bias_variance)}`],
        noise_entry(result.noise_variance), ...run_entries(result, page_version)]))),
    command(result));
}

function coverage_sentence(result) {
  const coverage = result.coverage95;
  if (typeof coverage !== "number") return null;
  const word = coverage > 0.965 ? "wider than they need to be" : coverage < 0.935 ? "too narrow" : "about as wide as they should be";
  return `Its 95 % intervals hold ${percent(coverage)} of the true values: they are ${word}.`;
}

function calibration(points) {
  const off = points.reduce((a, b) => (Math.abs(b.observed - b.nominal) > Math.abs(a.observed - a.nominal) ? b : a));
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
  const side = off.observed > off.nominal ? "more than it promises: the intervals are wider than they need to be" : "less than it promises: the intervals are too narrow";
  return chart({
    kind: "calibration", title: "Calibration of the intervals", draw,
    sentence: Math.abs(off.observed - off.nominal) < 0.02
      ? `The line of a perfect forecast is the diagonal; no interval is off by more than ${percent(Math.abs(off.observed - off.nominal))}.`
      : `The line of a perfect forecast is the diagonal. The ${percent(off.nominal, 0)} interval holds ${percent(off.observed)}, ${side}.`,
    values: {
      columns: [
        { head: "interval", cell: (p) => percent(p.nominal, 0), numeric: true, row_head: true },
        { head: "holds", cell: (p) => percent(p.observed), numeric: true },
      ],
      rows: points,
    },
  });
}
