// The page of `priorfit recommend`.
import { evidence_cells, evidence_lines, evidence_map } from "./evidence.js";
import { h } from "./dom.js";
import { count, nats, pair, plain } from "./format.js";
import { same_pair } from "./scale.js";
import { assumed, command, data_entries, intro, network_entries, noise_entry, notes, paste_tabs, run_entries } from "./parts.js";

export function recommendation_page(result, page_version) {
  const best = result.recommended;
  const cells = evidence_cells(result.grid ?? []);
  const markers = [{ name: "recommended", ...best }, ...(result.baselines ?? [])];
  return h("article", { "data-kind": "recommendation" },
    intro(
      `Recommendation for ${result.data.name}`,
      `Draw weights with σ_w² = ${plain(best.weight_variance)} and biases with σ_b² = ${plain(best.bias_variance)}.`,
      lead(result, cells),
      ...bound_sentences(best)),
    notes(result.data),
    paste_tabs(result.paste),
    assumed([
      ...data_entries(result.data), ...network_entries(result.network), noise_entry(best.noise_variance),
      ...run_entries(result, page_version)]),
    h("div", { class: "charts two" },
      map_of(result, cells, markers),
      cells.length > 1 && evidence_lines(cells, markers)),
    command(result));
}

function lead(result, cells) {
  const best = result.recommended;
  const samples = result.data.samples ?? result.data.rows;
  const compared = (result.baselines ?? []).filter((b) => typeof b.gain === "number").map((b) => gain_words(b));
  const choice = cells.some((c) => same_pair(c, best)) ? `Of ${count(cells.length)} pairs this one` : "This pair";
  return `${choice} explains the ${count(samples)} rows best: ${nats(best.log_marginal_likelihood)} nats, ` +
    `${plain(best.per_value, 5)} per target value` + (compared.length ? `, ${compared.join(" and ")}.` : ".");
}

function gain_words(baseline) {
  if (baseline.gain === 0) return `the same pair as ${baseline.name}`;
  return `${nats(Math.abs(baseline.gain))} ${baseline.gain > 0 ? "above" : "below"} ${baseline.name} ${pair(baseline)}`;
}

function bound_sentences(best) {
  return (best.at_bound ?? []).map((bound) => {
    const [parameter, side] = bound.split(":");
    const flag = { weight_variance: "--weight-variances", bias_variance: "--bias-variances" }[parameter];
    const name = { weight_variance: "σ_w²", bias_variance: "σ_b²", noise_variance: "σ_n²" }[parameter] ?? parameter;
    if (best[parameter] === 0) return `${name} = 0 is the smallest value there is: the data asks for no bias.`;
    return [
      `${name} lies at the ${side} end of what was tried: a ${side === "upper" ? "larger" : "smaller"} one may be better still.`,
      flag && [" Widen ", h("code", {}, flag), ` ${side === "upper" ? "upwards" : "downwards"}.`],
    ];
  });
}

/** The finest picture there is: a surface computed for the report if the result has one, else the grid. */
function map_of(result, cells, markers) {
  const interval = result.recommended.interval;
  const surface = result.surface;
  if (!surface) return evidence_map(cells, markers, { interval });
  const fine = evidence_cells(surface.cells);
  const remark = surface.samples ? `The surface was computed on ${count(surface.samples)} rows.` : "";
  return evidence_map(fine, markers, { title: "Evidence around the optimum", interval, remark });
}
