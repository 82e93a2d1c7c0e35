// The page of `priorfit recommend`.
import { evidence_cells, evidence_lines, evidence_map } from "./evidence.js";
import { h, table } from "./dom.js";
import { count, fixed, list, nats, pair, percent, plain, plural } from "./format.js";
import { signal_columns } from "./phase.js";
import { same_pair } from "./scale.js";
import { assumed, command, data_entries, intro, network_entries, noise_entry, notes, paste_tabs, run_entries } from "./parts.js";

export function recommendation_page(result, page_version) {
  const best = result.recommended;
  const cells = evidence_cells(result.grid ?? []);
  const markers = [{ name: "recommended", ...best }, ...(result.baselines ?? []).filter((b) => typeof b.weight_variance === "number")];
  return h("article", { "data-kind": "recommendation" },
    intro(
      `Recommendation for ${result.data.name}`,
      `Draw weights with σ_w² = ${plain(best.weight_variance)} and biases with σ_b² = ${plain(best.bias_variance)}` +
        (typeof best.output_weight_variance === "number"
          ? `; in the output layer σ_w² = ${plain(best.output_weight_variance)} and no bias.` : "."),
      lead(result, cells),
      ...certainty_sentences(result),
      ...bound_sentences(best)),
    notes(result.data),
    paste_tabs(result.paste),
    assumed([
      ...data_entries(result.data), ...network_entries(result.network), noise_entry(best.noise_variance),
      ...run_entries(result, page_version)]),
    h("div", { class: "charts two" },
      map_of(result, cells, markers),
      cells.length > 1 && evidence_lines(cells, markers)),
    trained_section(result),
    signal_section(result),
    path_section(result),
    command(result));
}

function lead(result, cells) {
  const best = result.recommended;
  const samples = result.data.samples ?? result.data.rows;
  const compared = (result.baselines ?? []).filter((b) => typeof b.gain === "number").map((b) => gain_words(b));
  if (result.criterion === "trained-risk") {
    const tolerance = result.trained_risk?.tolerance;
    return `Of all pairs tried, networks trained from here are predicted to do best` +
      (typeof tolerance === "number" ? `, to within ${plain(100 * tolerance)} %` : "") + `; of those this ` +
      `one is closest to He. Its evidence from ${count(samples)} rows is ${nats(best.log_marginal_likelihood)} nats.`;
  }
  const choice = cells.some((c) => same_pair(c, best)) ? `Of ${count(cells.length)} pairs this one` : "This pair";
  return `${choice} explains the ${count(samples)} rows best: ${nats(best.log_marginal_likelihood)} nats, ` +
    `${plain(best.per_value, 5)} per target value` + (compared.length ? `, ${compared.join(" and ")}.` : ".");
}

function gain_words(baseline) {
  if (baseline.gain === 0) return `the same pair as ${baseline.name}`;
  return `${nats(Math.abs(baseline.gain))} ${baseline.gain > 0 ? "above" : "below"} ${baseline.name}` +
    (typeof baseline.weight_variance === "number" ? ` ${pair(baseline)}` : "'s default");
}

const symbols = { weight_variance: "σ_w²", bias_variance: "σ_b²", noise_variance: "σ_n²" };

/** Intervals, flat directions, leave-one-out, other maxima: what the continuous search knows besides the pair. */
function certainty_sentences(result) {
  const best = result.recommended;
  const known = Object.entries(best.intervals ?? {}).filter(([, interval]) => interval);
  const sentences = [];
  if (known.length) {
    const parts = known.map(([name, [low, high]]) => `${symbols[name]} in ${plain(low)} to ${plain(high)}`);
    sentences.push(`With 95 % probability ${list(parts)}, by the curvature of the evidence.`);
  }
  for (const name of best.flat ?? []) sentences.push(`The evidence hardly depends on ${symbols[name]}: other values do as well.`);
  if (typeof best.leave_one_out === "number") {
    sentences.push(`Each row predicted from all others has a log density of ${nats(best.leave_one_out)} nats in sum.`);
  }
  const others = (result.search?.optima ?? []).slice(1);
  if (others.length) sentences.push(`Other local maxima: ${list(others.map((o) => `${pair(o)} with noise ${plain(o.noise_variance)}`))}.`);
  return sentences;
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
  if (!rows.length) return null;
  return h("section", { class: "wide", "data-part": "signal" }, h("h3", {}, "Signal through many layers of the same pair"),
    h("p", {}, `Deep layers of ${result.network.activation} settle at variance q*; there a small difference between inputs, or a gradient, changes a layer by the ` +
      `factor χ₁. This network has ${plural(result.network.depth, "hidden layer")}.`),
    table([{ head: "from", cell: (r) => r.name, row_head: true }, ...signal_columns], rows, { mark: (r) => (r.name === "recommended" ? "strong" : null) }));
}

/** How the answer moved while the sample grew. */
function path_section(result) {
  const path = result.path ?? [];
  if (!path.length) return null;
  const values = (step, name) => step.subsets.map((s) => plain(s[name], 3)).join(", ");
  const verdict = result.search?.settled
    ? `The pair settled: it moves by less than ${plain(result.search.tolerance)} (in the logarithms) between sizes and between subsets.`
    : `The pair had not settled to within ${plain(result.search?.tolerance)} (in the logarithms) when the ${
      result.search?.ended_by === "time limit" ? "time was up" : "rows were used up"}.`;
  return h("section", { class: "wide", "data-part": "path" }, h("h3", {}, "How many rows are enough"), h("p", {}, verdict),
    table([
      { head: "rows", cell: (s) => count(s.samples), numeric: true, row_head: true },
      { head: "σ_w² of each subset", cell: (s) => values(s, "weight_variance") },
      { head: "σ_b² of each subset", cell: (s) => values(s, "bias_variance") },
      { head: "spread", cell: (s) => fixed(s.spread, 3), numeric: true },
      { head: "moved", cell: (s) => (typeof s.moved === "number" ? fixed(s.moved, 3) : ""), numeric: true },
    ], path));
}

function bound_sentences(best) {
  return (best.at_bound ?? []).map((bound) => {
    const [parameter, side] = bound.split(":");
    const slope = best.gradient?.[parameter];
    const searched = typeof slope === "number";
    const flag = `--${parameter.replace("_variance", "")}-${searched ? "bounds" : "variances"}`;
    const name = symbols[parameter] ?? parameter;
    if (best[parameter] === 0 && searched) {
      return `${name} = 0 is the smallest value there is: the evidence changes by ${nats(slope)} nats per unit of it there.`;
    }
    if (best[parameter] === 0) return `${name} = 0 is the smallest value there is: the data asks for no bias.`;
    return [
      `${name} lies at the ${side} end of what was tried: a ${side === "upper" ? "larger" : "smaller"} one may be better still.`,
      [" Widen ", h("code", {}, flag), ` ${side === "upper" ? "upwards" : "downwards"}.`],
    ];
  });
}

/** The surface's matrix, one row a σ_w², as cells. */
function surface_cells(surface) {
  return surface.weight_variances.flatMap((weight_variance, i) => surface.bias_variances.map((bias_variance, j) => ({
    weight_variance, bias_variance, log_marginal_likelihood: surface.log_marginal_likelihood[i][j],
  })));
}

/** The finest picture there is: a surface computed for the report if the result has one, else the grid. */
function map_of(result, cells, markers) {
  const interval = result.recommended.intervals;
  const surface = result.surface;
  if (!surface) return cells.length > 0 && evidence_map(cells, markers, { interval });
  const fine = evidence_cells(surface_cells(surface));
  const remark = surface.samples ? `The surface was computed on ${count(surface.samples)} of the rows, so its peak need not lie at the recommended pair.` : "";
  return evidence_map(fine, markers, { title: "Evidence around the optimum", interval, remark });
}
