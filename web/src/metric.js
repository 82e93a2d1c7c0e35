// What trained networks are judged by: accuracy for classification, root mean squared error for regression.
import { list, listed_points, percent, plain, points } from "./format.js";

const accuracy = {
  key: "accuracy", name: "test accuracy", axis: "test accuracy, %", better: (a, b) => b - a,
  format: (v) => percent(v, 1), said: (v) => percent(v, 1), tick: (v) => plain(100 * v, 4), unit: "points", drop: (v) => (v === 0 ? "best" : `−${points(v, Math.abs(v) < 0.0995 ? 1 : 0)}`),
  difference: (v) => `${points(v, 1)} points`, differences: listed_points,
};
const rmse = {
  key: "rmse", name: "test error (RMSE)", axis: "test RMSE", better: (a, b) => a - b,
  format: (v) => plain(v, 4), said: (v) => `RMSE ${plain(v, 4)}`, tick: (v) => plain(v, 3), unit: "RMSE", drop: (v) => (v === 0 ? "best" : `+${plain(v, 2)}`),
  difference: (v) => plain(v, 3), differences: (values) => list(values.map((v) => plain(v, 3))),
};

export const metric_of = (rows) => (rows.some((row) => "rmse" in row) ? rmse : accuracy);

/** Cells of all seeds → one entry per pair: the mean over its seeds, and how far it is from the best pair. */
export function trained_cells(cells, metric) {
  const groups = new Map();
  for (const cell of cells) {
    const key = `${cell.weight_variance} ${cell.bias_variance}`;
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  const means = [...groups.values()].map((group) => {
    const values = group.map((c) => c[metric.key]).filter((v) => typeof v === "number");
    const value = values.length ? values.reduce((a, b) => a + b, 0) / values.length : null;
    return { weight_variance: group[0].weight_variance, bias_variance: group[0].bias_variance, value, seeds: values.length };
  });
  const best = means.map((c) => c.value).filter((v) => v !== null).sort(metric.better)[0];
  return means.map((c) => ({ ...c, drop: c.value === null ? Number.NaN : Math.abs(best - c.value) }));
}
