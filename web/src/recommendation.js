// The page of `priorfit recommend`. What it says in sentences is what the terminal says: they come with the result.
import { evidence_cells, evidence_lines, evidence_map } from "./evidence.js";
import { h, table } from "./dom.js";
import { count, fixed, nats, percent, plain, plural } from "./format.js";
import { signal_columns } from "./phase.js";
import { assumed, columns, command, data_entries, intro, network_entries, noise_entry, notes, paste_tabs, run_entries } from "./parts.js";
import { family_map, family_starts, has_own_output } from "./family.js";
import { predicted_map, scores_section } from "./scores.js";
import { caption, heading, layers_section, lead_sentences, sentences_of } from "./sentences.js";
import { starts_chart } from "./starts.js";

const has_pair = (start) => typeof start.weight_variance === "number" && typeof start.bias_variance === "number";
const judged = (cell) => "log_marginal_likelihood" in cell || "status" in cell;

export function recommendation_page(result, page_version) {
  const best = result.recommended;
  const grid = (result.grid ?? []).filter(has_pair);
  const cells = evidence_cells(grid.filter(judged));
  const markers = [{ name: "recommended", ...best }, ...(result.baselines ?? [])].filter(has_pair);
  const starts = family_starts(result);
  const predicted = has_own_output(starts)
    ? family_map(result, starts, caption(result, "predicted")) : predicted_map(grid, markers, caption(result, "predicted"));
  const charts = [predicted, map_of(result, cells, markers), cells.length > 1 && evidence_lines(cells, markers)].filter(Boolean);
  const compared = starts_chart(result, caption(result, "starts"));
  return h("article", { "data-kind": "recommendation" },
    intro(`Recommendation for ${result.data.name}`, heading(result), ...lead_sentences(result)),
    notes(result.data),
    compared && h("div", { class: "charts one" }, compared),
    !result.verdict && layers_section(result),
    paste_tabs(result.paste),
    charts.length > 0 && result.verdict && h("div", { class: "charts maps" }, charts),
    assumed([
      ...data_entries(result.data), ...network_entries(result.network), ...training_entries(result),
      noise_entry((result.by_evidence ?? best).noise_variance), ...run_entries(result, page_version)]),
    charts.length > 0 && !result.verdict && h("div", { class: `charts ${has_own_output(starts) ? "maps" : "two"}` }, charts),
    result.verdict && layers_section(result),
    scores_section(result),
    baseline_section(result),
    trained_section(result),
    signal_section(result),
    path_section(result),
    sentences_of(result.by_evidence ?? result, "search").map((text) => h("p", { class: "note", "data-part": "search" }, text)),
    columns(result.data),
    command(result));
}

/** What the answer is for, where networks were trained or would be. */
function training_entries({ loss, optimizer, training }) {
  if (!training) return [];
  return [
    ["loss", loss === "squared" ? "squared error" : loss],
    ["training", `${{ adam: "Adam", adamw: "AdamW", sgd: "SGD" }[optimizer] ?? optimizer}, learning rate ${plain(training.learning_rate)}, batch ${count(training.batch)}, ${plural(training.epochs, "epoch")}` +
      (training.weight_decay ? `, weight decay ${plain(training.weight_decay)}` : "")],
  ];
}

/** What the evidence's choice is compared with, by the evidence. */
function baseline_section(result) {
  const own = result.by_evidence;
  const best = own ? { ...own, name: "by the evidence" } : { name: "recommended", ...result.recommended };
  const gain = (r) => (own ? own.log_marginal_likelihood - r.log_marginal_likelihood : r.gain);
  const rows = [best, ...(result.baselines ?? [])].filter(judged);
  if (rows.length < 2) return null;
  const variance = (r, name) => (has_pair(r) ? plain(r[name]) : "per layer");
  const known = (name) => rows.some((r) => typeof r[name] === "number");
  return h("section", { class: "wide", "data-part": "baselines" }, h("h3", {}, own ? "By the evidence alone, the paper's criterion" : "Evidence of other starts"),
    own && [...sentences_of(own, "answer"), ...lead_sentences(own)].filter(Boolean).map((text) => h("p", {}, text)),
    table([
      { head: "start", cell: (r) => r.name, row_head: true },
      { head: "σ_w²", cell: (r) => variance(r, "weight_variance"), numeric: true },
      { head: "σ_b²", cell: (r) => variance(r, "bias_variance"), numeric: true },
      known("noise_variance") && { head: "noise σ_n²", cell: (r) => plain(r.noise_variance, 3), numeric: true },
      { head: "evidence, nats", cell: (r) => nats(r.log_marginal_likelihood), numeric: true },
      { head: "below", cell: (r) => (r === best ? "" : nats(gain(r))), numeric: true },
      known("leave_one_out") && { head: "leave-one-out", cell: (r) => nats(r.leave_one_out), numeric: true },
    ].filter(Boolean), rows, { mark: (r) => (r === best ? "strong" : null) }));
}

/** What networks trained from each choice are predicted to do. */
function trained_section(result) {
  const rows = [{ name: "recommended", ...result.recommended }, ...(result.baselines ?? [])]
    .filter((r) => typeof r.trained?.error === "number");
  const about = result.trained_risk;
  if (!rows.length || !about) return null;
  const training = typeof about.steps === "number"
    ? `${plain(about.steps)} steps of gradient descent at rate ${plain(about.learning_rate)}`
    : `training to the end by ${about.optimizer === "adam" ? "Adam" : "gradient descent"}, ridge ${plain(about.relative_ridge)} of the mean diagonal`;
  const columns = [
    { head: "from", cell: (r) => r.name, row_head: true },
    { head: "squared error", cell: (r) => fixed(r.trained.error, 4), numeric: true },
    { head: "standard error", cell: (r) => fixed(r.trained.standard_error, 4), numeric: true },
    { head: "of the data", cell: (r) => fixed(r.trained.data_error, 4), numeric: true },
    { head: "of the start", cell: (r) => fixed(r.trained.initialisation_error, 4), numeric: true },
  ];
  if (rows.some((r) => typeof r.trained.accuracy === "number")) {
    columns.push({ head: "accuracy", cell: (r) => percent(r.trained.accuracy), numeric: true });
  }
  return h("section", { class: "wide", "data-part": "trained" }, h("h3", {}, "What training is predicted to do"),
    h("p", {}, `Each of ${count(about.samples)} rows left out in turn, by the tangent kernel of networks of width ${
      count(about.widths[0])}: ${training}. The error splits into what the data leaves unknown and what the random start costs.`),
    table(columns, rows, { mark: (r) => (r.name === "recommended" ? "strong" : null) }));
}

/** What becomes of a signal and of gradients in many layers of the same pair. */
function signal_section(result) {
  const rows = [{ name: "recommended", ...result.recommended }, ...(result.baselines ?? [])].filter((r) => r.signal);
  if (!result.recommended.signal) return null;
  return h("section", { class: "wide", "data-part": "signal" }, h("h3", {}, "Signal through many layers of the same pair"),
    h("p", {}, `Deep layers of ${result.network.activation} settle at variance q*; there a small difference between inputs, or a gradient, changes a layer by the ` +
      `factor χ₁. This network has ${plural(result.network.depth, "hidden layer")}.`),
    sentences_of(result.by_evidence ?? result, "depth").map((text) => h("p", {}, text)),
    table([{ head: "from", cell: (r) => r.name, row_head: true }, ...signal_columns], rows, { mark: (r) => (r.name === "recommended" ? "strong" : null) }));
}

/** How the answer moved while the sample grew. */
function path_section(result) {
  const path = result.path ?? [];
  if (!path.length) return null;
  const values = (step, name) => step.subsets.map((s) => plain(s[name], 3)).join(", ");
  const known = (name) => path.some((s) => s.subsets.some((subset) => typeof subset[name] === "number"));
  return h("section", { class: "wide", "data-part": "path" }, h("h3", {}, "How many rows are enough"), 
    sentences_of(result.by_evidence ?? result, "growth").map((text) => h("p", {}, text)),
    table([
      { head: "rows", cell: (s) => count(s.samples), numeric: true, row_head: true },
      known("weight_variance") && { head: "σ_w² of each subset", cell: (s) => values(s, "weight_variance") },
      known("bias_variance") && { head: "σ_b² of each subset", cell: (s) => values(s, "bias_variance") },
      { head: "spread", cell: (s) => fixed(s.spread, 3), numeric: true },
      { head: "moved", cell: (s) => (typeof s.moved === "number" ? fixed(s.moved, 3) : ""), numeric: true },
    ].filter(Boolean), path));
}

/** The surface's matrix, one row per σ_w², as cells. */
function surface_cells(surface) {
  return surface.weight_variances.flatMap((weight_variance, i) => surface.bias_variances.map((bias_variance, j) => ({
    weight_variance, bias_variance, log_marginal_likelihood: surface.log_marginal_likelihood[i][j],
  })));
}

/** The finest picture there is: a surface computed for the report if the result has one, else the grid. */
function map_of(result, cells, markers) {
  const own = result.by_evidence;
  const sentence = caption(result, "evidence") || undefined;
  const { intervals: interval } = own ?? result.recommended;
  if (!result.surface) return cells.length > 0 && evidence_map(cells, markers, { interval, sentence });
  const fine = evidence_cells(surface_cells(result.surface));
  const centre = own ? "by the evidence" : "recommended";
  const marked = own && has_pair(own) ? [{ ...own, name: centre, marker: "evidence" }, ...markers] : markers;
  return evidence_map(fine, marked, { title: "Evidence around its maximum", interval, centre, sentence });
}
