// What other criteria than the evidence say: the predicted error over the grid, and any criterion's scores as a table.
import { h, table } from "./dom.js";
import { marker_names } from "./chart.js";
import { fixed, list, pair, percent, plain } from "./format.js";
import { heatmap } from "./heatmap.js";
import { best_of_pairs } from "./evidence.js";
import { counts_classes, measure_of } from "./measure.js";

/** Cells of a grid as the map wants them; none where nothing was predicted. */
export function predicted_cells(grid) {
  const judged = grid.filter((c) => c.trained && typeof c.weight_variance === "number");
  const known = judged.filter((c) => typeof c.trained.error === "number");
  if (known.length < 2) return { cells: [] };
  const measure = measure_of({}, known.map((c) => c.trained));
  const valued = judged.map((c) => ({ ...c, value: typeof c.trained.error === "number" ? measure.value(c.trained) : null }));
  const least = Math.min(...valued.filter((c) => c.value !== null).map((c) => c.value));
  return { measure, cells: best_of_pairs(valued.map((c) => ({ ...c, drop: c.value === null ? Number.NaN : c.value - least }))) };
}

export function predicted_map(grid, markers, sentence) {
  const { cells, measure } = predicted_cells(grid);
  if (!cells.length) return null;
  const output = cells.some((c) => typeof c.output_weight_variance === "number");
  const named = (c) => list(markers.filter((m) => m.weight_variance === c.weight_variance && m.bias_variance === c.bias_variance).map((m) => m.name));
  return heatmap({
    kind: "predicted-map", title: `${measure.title} over the grid`, cells, markers, unit: measure.unit, side: "above",
    label: (drop) => (drop === 0 ? "least" : `+${measure.difference(drop)}`),
    tip: (c) => [`σ_w² ${plain(c.weight_variance)}, σ_b² ${plain(c.bias_variance)}${named(c) ? ` · ${named(c)}` : ""}`,
      ...(output ? [`output layer: σ_w² ${plain(c.output_weight_variance)}`] : []),
      c.value === null ? c.trained.failure ?? "not predicted" : `${measure.format(c.value)} predicted`].join("\n"),
    sentence: [sentence, output && " Each pair is shown with the output layer's σ_w² that is best for it."].filter(Boolean),
    values: cells.length <= 200 ? {
      columns: [
        { head: "σ_w²", cell: (c) => plain(c.weight_variance), numeric: true, row_head: true },
        { head: "σ_b²", cell: (c) => plain(c.bias_variance), numeric: true, row_head: true },
        ...(output ? [{ head: "output σ_w²", cell: (c) => plain(c.output_weight_variance), numeric: true }] : []),
        { head: "squared error", cell: (c) => fixed(c.trained.error, 4), numeric: true },
        ...(counts_classes(measure) ? [{ head: "accuracy", cell: (c) => percent(c.trained.accuracy), numeric: true }] : []),
      ],
      rows: cells,
    } : null,
  });
}

const shown_elsewhere = ["evidence", "trained_risk", "pilot"];
const most_rows = 200;

/** Scores of criteria that this page has no chart for. The first candidate is the recommended one. */
export function scores_section(result) {
  const candidates = (result.candidates ?? []).map((c, i) => ({ ...c, recommended: i === 0 }));
  const names = [...new Set(candidates.flatMap((c) => Object.keys(c.scores ?? {})))].filter((name) => !shown_elsewhere.includes(name));
  if (!names.length) return null;
  const rows = candidates.filter((c) => names.some((name) => c.scores?.[name])).slice(0, most_rows);
  const score = (s) => (typeof s?.value === "number" ? plain(s.value, 5) : s?.failure ?? "—");
  return h("section", { class: "wide", "data-part": "scores" },
    h("h3", {}, `Scores by ${list(names.map((name) => name.replaceAll("_", "-")))}`),
    table([
      { head: "start", cell: (c) => [c.recommended && "recommended", marker_names[c.name] ?? c.name, start_text(c.layers ?? [])].filter(Boolean).join(" "), row_head: true },
      ...names.map((name) => ({ head: name.replaceAll("_", "-"), cell: (c) => score(c.scores?.[name]), numeric: true })),
    ], rows, { mark: (c) => (c.recommended ? "strong" : null) }));
}

/** (2, 0) where all layers share a pair, else one pair per layer. */
function start_text(layers) {
  const pairs = layers.map(pair);
  return new Set(pairs).size === 1 ? pairs[0] : pairs.join(" ");
}
