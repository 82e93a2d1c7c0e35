// How a predicted error is told: as the share of wrong classes, as RMSE in the target's units, or as a squared error.
import { percent, plain, points } from "./format.js";

const wrong = {
  title: "Predicted share of wrong classes", value: (t) => 1 - t.accuracy, format: (v) => percent(v, 2), told: (v) => percent(1 - v, 1), measured: (v) => percent(v, 1),
  difference: (v) => (v < 0.00005 ? "<\u20090.01" : points(v, v < 0.00995 ? 2 : 1)), unit: "points",
};
const squared = {
  title: "Predicted squared error", value: (t) => t.error, format: (v) => plain(v, 4), told: (v) => plain(v, 4), measured: (v) => plain(v, 4), difference: (v) => plain(v, 2), unit: "error",
};
const root = (scale) => ({ ...squared, title: "Predicted RMSE", value: (t) => scale * Math.sqrt(t.error), unit: "RMSE" });

export function measure_of(result, risks) {
  const known = risks.filter((t) => typeof t?.error === "number");
  if (known.length && known.every((t) => typeof t.accuracy === "number")) return wrong;
  const scale = result.trained_risk?.target_scale;
  return typeof scale === "number" ? root(scale) : squared;
}

export const counts_classes = (measure) => measure === wrong;
