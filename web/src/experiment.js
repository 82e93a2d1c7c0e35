// The page of `priorfit experiment`: the table, the curves of each size, and evidence beside trained result.
import { curve_domain, curve_keys, curves, has_he, on_test_rows, on_training_rows } from "./curves.js";
import { h, table } from "./dom.js";
import { evidence_cells, evidence_map } from "./evidence.js";
import { legend } from "./chart.js";
import { count, list, pair, plain } from "./format.js";
import { heatmap } from "./heatmap.js";
import { metric_of, trained_cells } from "./metric.js";
import { assumed, columns, command, data_entries, intro, network_entries, noise_entry, notes, run_entries } from "./parts.js";
import { same_pair } from "./scale.js";
import { scatter } from "./scatter.js";

const baselines = [{ name: "He", weight_variance: 2, bias_variance: 0 }, { name: "LeCun", weight_variance: 1, bias_variance: 0 }];

export function experiment_page(result, page_version) {
  const metric = metric_of([...result.rows, ...result.sizes.flatMap((s) => s.cells)]);
  const specification = result.specification ?? {};
  const charts_of = (which) => h("div", { class: `charts ${result.sizes.length <= 2 ? "two" : "three"}`, "data-part": which.kind },
    result.sizes.map((size) => curves(size, result.rows, metric, curve_domain(result.sizes, metric, which), result.curve_stride ?? 1, which)));
  return h("article", { "data-kind": "experiment" },
    intro(`Experiment on ${result.data?.name ?? "data"}`, heading(result, metric), ...lead(result, metric)),
    notes(result.data),
    assumed([
      ...data_entries(result.data), ...network_entries(result.network ?? specification.network ?? specification_network(specification)),
      noise_entry(specification.noise_variance),
      ["test rows", number(result.data?.test_rows)], ["epochs", number(specification.epochs)], ["batch", number(specification.batch ?? specification.batch_size)],
      specification.trained ? ["training", specification.trained] : ["learning rate", plain_or_null(specification.learning_rate)], ["seeds", seeds(specification.seeds)],
      ...run_entries(result, page_version)]),
    h("section", { class: "wide" }, h("h3", {}, "What each rule leads to"), rules_table(result.rows, metric)),
    !tested_at_the_end(result.sizes) && h("section", { class: "training" },
      h("h3", { class: "section-title" }, "While training"),
      legend(curve_keys(has_he(result.sizes))),
      charts_of(on_test_rows)),
    result.sizes.some((s) => s.cells.some((c) => c.train_curve)) && h("section", { class: "training" },
      h("h3", { class: "section-title" }, "While training, on the training rows"),
      legend(curve_keys(has_he(result.sizes))),
      charts_of(on_training_rows)),
    result.sizes.map((size) => [
      h("h3", { class: "section-title" }, `Evidence and training, ${count(size.size)} samples`),
      h("div", { class: "charts three" }, size_charts(size, metric, row_of(result.rows, size.size, "recommended")?.rank)),
    ]),
    columns(result.data),
    command(result, { name: "specification.toml", content: specification.toml }));
}

const number = (value) => (typeof value === "number" ? count(value) : null);
const plain_or_null = (value) => (typeof value === "number" ? plain(value) : null);
const seeds = (value) => (Array.isArray(value) ? value.join(", ") : number(value));
const specification_network = (s) => (s.depth && s.activation ? { depth: s.depth, activation: s.activation, width: s.width ?? s.widths?.[0] } : null);

/** Without tests on the way (--test-every 0) there are no curves to draw. */
function tested_at_the_end(sizes) {
  const curves = sizes.flatMap((s) => s.cells).map((c) => (c.curve ?? []).filter((value) => value !== null));
  return curves.length > 0 && curves.every((curve) => curve.length < 2);
}

const sizes_of = (rows) => [...new Set(rows.map((r) => r.size))];
const row_of = (rows, size, rule) => rows.find((r) => r.size === size && r.rule === rule);

function heading(result, metric) {
  const sizes = sizes_of(result.rows);
  const last = sizes.at(-1);
  const [recommended, he] = [row_of(result.rows, last, "recommended"), row_of(result.rows, last, "He")];
  if (!recommended) return "No size is finished yet.";
  const value = `With ${count(last)} samples the recommended pair trains to ${metric.said(recommended[metric.key])}`;
  if (!he) return `${value}.`;
  return same_pair(recommended, he) ? `${value}; it is He's own.` : `${value}, He to ${metric.said(he[metric.key])}.`;
}

function lead(result, metric) {
  const sizes = sizes_of(result.rows);
  const wins = { recommended: [], He: [], even: [] };
  for (const size of sizes) {
    const [r, he] = [row_of(result.rows, size, "recommended"), row_of(result.rows, size, "He")];
    if (!r || !he) continue;
    const order = same_pair(r, he) ? 0 : metric.better(r[metric.key], he[metric.key]);
    wins[order < 0 ? "recommended" : order > 0 ? "He" : "even"].push(count(size));
  }
  const at = (names) => `at ${list(names)} samples`;
  const parts = [];
  if (wins.recommended.length) parts.push(`the recommended pair did better than He ${at(wins.recommended)}`);
  if (wins.He.length) parts.push(`He did better than the recommended pair ${at(wins.He)}`);
  if (wins.even.length) parts.push(`the two are even ${at(wins.even)}`);
  const sentence = parts.length ? `After training, ${parts.join("; ")}.` : null;
  const regrets = sizes.map((s) => row_of(result.rows, s, "recommended")?.regret).filter((v) => typeof v === "number");
  const regret = regrets.length
    ? `The recommended pair lies ${metric.differences(regrets)} ` +
      `behind the best trained pair${regrets.length > 1 ? ` at ${list(sizes.map(count))} samples` : ""}.`
    : null;
  const open = result.complete === false ? "The experiment is not complete; the same command continues it." : null;
  return [[sentence, regret].filter(Boolean).join(" "), open].filter(Boolean);
}

function rules_table(rows, metric) {
  const columns = [
    { head: "samples", cell: (r) => count(r.size), numeric: true, row_head: true },
    { head: "rule", cell: (r) => r.rule, row_head: true },
    { head: metric.name, cell: (r) => metric.format(r[metric.key]), numeric: true },
    { head: "standard error", cell: (r) => (typeof r.standard_error === "number" ? metric.difference(r.standard_error) : "—"), numeric: true },
    { head: "σ_w²", cell: (r) => plain(r.weight_variance), numeric: true },
    { head: "σ_b²", cell: (r) => plain(r.bias_variance), numeric: true },
    { head: "behind the best", cell: (r) => (typeof r.regret === "number" ? metric.difference(r.regret) : "—"), numeric: true },
    { head: "rank", cell: (r) => (typeof r.rank === "number" ? plain(r.rank) : "—"), numeric: true },
  ];
  const last_of_size = (row) => rows.findLast((r) => r.size === row.size) === row;
  return table(columns, rows, {
    caption: "What each rule leads to",
    mark: (r) => [r.rule === "recommended" && "strong", last_of_size(r) && "group"].filter(Boolean).join(" ") || null,
  });
}

function size_charts(size, metric, rank) {
  const named = [...(size.recommended ? [{ name: "recommended", ...size.recommended }] : []), ...baselines];
  const evidence = evidence_cells(size.evidence ?? []);
  const trained = trained_cells(size.cells, metric);
  return [
    evidence.length > 0 && evidence_map(evidence, named, { title: "Evidence" }),
    trained_map(trained, size, named, metric, rank),
    scatter(evidence, trained, size.rank_correlation, metric, named),
  ];
}

function trained_map(cells, size, named, metric, rank) {
  const known = cells.filter((c) => c.value !== null).sort((a, b) => a.drop - b.drop);
  const many = cells.some((c) => c.seeds > 1);
  const sentence = known.length
    ? `The best trained pair is ${pair(known[0])} with ${metric.format(known[0].value)}, the worst ${pair(known.at(-1))} with ` +
      `${metric.format(known.at(-1).value)}` +
      (rank > 1 ? `; the recommended pair comes ${count(rank)}${ordinal(rank)} of ${count(known.length)}.` : rank === 1 ? ", and it is the recommended one." : ".") +
      (many ? " Means over the seeds." : "")
    : "No network has been trained yet.";
  return heatmap({
    kind: "trained-map", title: metric.key === "rmse" ? "Trained error" : "Trained accuracy", cells, markers: named,
    unit: metric.unit, side: metric.key === "rmse" ? "above" : "below", label: metric.drop, sentence,
    tip: (c) => `σ_w² ${plain(c.weight_variance)}, σ_b² ${plain(c.bias_variance)}\n` + (c.value === null ? "not trained yet" :
      `${metric.format(c.value)} ${metric.name}\n${c.drop === 0 ? "the best trained pair" : `${metric.difference(c.drop)} behind the best`}` +
      (c.seeds > 1 ? `\nmean of ${c.seeds} seeds` : "")),
    values: {
      columns: [
        { head: "σ_w²", cell: (c) => plain(c.weight_variance), numeric: true, row_head: true },
        { head: "σ_b²", cell: (c) => plain(c.bias_variance), numeric: true, row_head: true },
        { head: metric.name, cell: (c) => metric.format(c.value), numeric: true },
      ],
      rows: known,
    },
  });
}

const ordinal = (n) => (n % 100 > 10 && n % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][n % 10] ?? "th");
