// The sentences of a recommendation. The program wrote them, and its terminal prints the same; here they get their place.
import { h, table } from "./dom.js";
import { plain } from "./format.js";

const longest_heading = 4;  // answers; more are left to the table of layers
const with_their_section = ["growth", "depth", "search"];

/** Texts of the sentences of some kinds; files of earlier versions have none. */
export const sentences_of = (result, ...kinds) =>
  (result.sentences ?? []).filter((s) => kinds.includes(s.kind) && typeof s.text === "string").map((s) => s.text);

/** What stands below a chart. */
export const caption = (result, kind) => (result.captions ?? []).find((c) => c.kind === kind)?.text ?? "";

/** Every sentence that has no section of its own, those of unknown kinds among them. */
export function lead_sentences(result) {
  const rest = (result.sentences ?? []).filter((s) => !["verdict", "answer", "score", ...with_their_section].includes(s.kind) && typeof s.text === "string");
  const answers = sentences_of(result, "verdict").length ? sentences_of(result, "answer").map((text) => h("strong", {}, text)) : [];
  return [...answers, sentences_of(result, "score").join(" · "), ...rest.map((s) => with_code(s.text))];
}

/** Names of flags are set as code. */
export const with_code = (text) => text.split(/(--[a-z][a-z-]*[a-z])/).map((part, i) => (i % 2 ? h("code", {}, part) : part));

/** The verdict; without one the answer, one line per sentence; from the figures where a file has no sentences. */
export function heading(result) {
  const verdict = sentences_of(result, "verdict");
  if (verdict.length) return h("span", { class: "verdict" }, verdict.join(" "));
  const best = result.recommended;
  let answers = sentences_of(result, "answer");
  if (!answers.length && typeof best.weight_variance === "number") {
    answers = [`σ_w² = ${plain(best.weight_variance, 5)}`, `σ_b² = ${plain(best.bias_variance, 5)}`];
    if (typeof best.output_weight_variance === "number") answers.push(`output layer: σ_w² = ${plain(best.output_weight_variance, 5)}, no bias`);
  }
  if (!answers.length || answers.length > longest_heading) return "A pair for each layer";
  return answers.map((answer) => h("span", { class: answer.includes(";") ? "answer long" : "answer" }, remark_apart(answer)));
}

/** What follows the value in parentheses or as an interval is set smaller. */
function remark_apart(answer) {
  const at = answer.includes(";") ? -1 : answer.search(/ \(|, 95 %/);
  return at < 0 ? answer : [answer.slice(0, at), h("span", { class: "remark" }, answer.slice(at))];
}

/** Each layer's variances with their intervals, where layers have pairs of their own. */
export function layers_section({ recommended: best }) {
  const layers = best.layers ?? [];
  if (!layers.length || (typeof best.weight_variance === "number" && best.family !== "per-layer")) return null;
  const rows = layers.map((layer, i) => {
    const last = i + 1 === layers.length;
    const interval = (name) => best.intervals?.[`${last ? "output" : `layer${i + 1}`}.${name}`];
    return { ...layer, name: last ? "output" : String(i + 1), weight: interval("weight_variance"), bias: interval("bias_variance") };
  });
  const range = (interval) => (interval ? `${plain(interval[0])} to ${plain(interval[1])}` : "—");
  const known = rows.some((r) => r.weight || r.bias);
  const column = (head, name, interval) => [
    { head, cell: (r) => plain(r[name], 5), numeric: true }, known && { head: "95 %", cell: (r) => range(r[interval]), numeric: true }];
  return h("section", { class: "wide", "data-part": "layers" }, h("h3", {}, "Layers"),
    table([{ head: "layer", cell: (r) => r.name, row_head: true }, ...column("σ_w²", "weight_variance", "weight"),
      ...column("σ_b²", "bias_variance", "bias")].filter(Boolean), rows));
}
