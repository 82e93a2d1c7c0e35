// The tables of docs/choice-quality.md from the folder that scripts/choice-quality filled.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const rules = ["recommended", "trained-risk", "He", "LeCun", "keras", "pytorch"];
const folder = process.argv[2];

function read(name) {
  const file = join(folder, name, "experiment.json");
  if (!existsSync(file)) return [];
  const result = JSON.parse(readFileSync(file, "utf8"));
  const size = result.sizes[0];
  if (!size.complete || size.risk_rank_correlation === undefined) return [];
  const row = (rule) => result.rows.find((r) => r.rule === rule);
  const best = row("best");
  const classes = best.accuracy !== undefined;
  // Points of accuracy, or per cent of the best root mean squared error.
  const unit = classes ? 100 : 100 / best.rmse;
  return [{
    name, classes, best,
    depth: result.specification.depth,
    regrets: Object.fromEntries(rules.map((rule) => [rule, row(rule).regret * unit])),
    choices: Object.fromEntries(rules.map((rule) => [rule, row(rule)])),
    evidence_correlation: size.rank_correlation,
    risk_correlation: size.risk_rank_correlation,
    prediction_error: size.prediction_error,
  }];
}

const minus = (text) => text.replace(/^-/, "−");
const fixed = (value, digits) => minus(value.toFixed(digits));
const pair = (row) => `(${row.weight_variance}, ${row.bias_variance})`;
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const print = (...cells) => console.log(`| ${cells.join(" | ")} |`);

const tasks = readdirSync(folder).sort().flatMap(read);
print("task", "best pair", "its score", ...rules.map((r) => (r === "recommended" ? "evidence" : r)));
console.log(`|---|---|---:|${rules.map(() => "---:|").join("")}`);
for (const t of tasks) {
  const score = t.classes ? `${fixed(100 * t.best.accuracy, 2)} %` : `RMSE ${t.best.rmse.toPrecision(4)}`;
  print(t.name, pair(t.best), score, ...rules.map((rule) => {
    const choice = t.choices[rule];
    return fixed(t.regrets[rule], 2) + (rule === "recommended" || rule === "trained-risk" ? ` ${pair(choice)}` : "");
  }));
}
for (const [label, chosen] of [["mean, images (points)", tasks.filter((t) => t.classes)],
  ["mean, tables (% of RMSE)", tasks.filter((t) => !t.classes)], ["mean of all", tasks]]) {
  if (chosen.length) print(`**${label}**`, "", "", ...rules.map((rule) => `**${fixed(mean(chosen.map((t) => t.regrets[rule])), 2)}**`));
}
console.log();
print("task", "rank correlation, evidence", "rank correlation, trained-risk", "predicted off by");
console.log("|---|---:|---:|---:|");
for (const t of tasks) {
  print(t.name, fixed(t.evidence_correlation, 2), fixed(t.risk_correlation, 2), t.prediction_error === undefined ? "" :
    t.classes ? `${fixed(100 * t.prediction_error, 1)} points` : `${fixed(t.prediction_error, 3)} deviations`);
}
console.log(`\n${tasks.filter((t) => t.risk_correlation > 0.7).length} of ${tasks.length} tasks have a rank correlation above 0.7.`);

// An output layer of its own variance, against the best pair of the grid where all layers share theirs.
const recipe = { weight_variance: 2, bias_variance: 0, output_weight_variance: 0.01 };
function untied(task) {
  const file = join(folder, "untied", task.name, "experiment.json");
  if (!existsSync(file)) return [];
  const result = JSON.parse(readFileSync(file, "utf8"));
  if (!result.sizes[0].complete) return [];
  const score = (cell) => (task.classes ? cell.accuracy : cell.rmse);
  const behind = (value) => task.classes ? 100 * (task.best.accuracy - value) : 100 * (value / task.best.rmse - 1);
  const row = (rule) => result.rows.find((r) => r.rule === rule);
  const recipe_cells = result.sizes[0].other_cells.filter((c) => Object.entries(recipe).every(([key, value]) => c[key] === value));
  return [{
    ...task,
    least: behind(score(row("best"))), best_cell: row("best"),
    chosen: behind(score(row("trained-risk"))), chosen_cell: row("trained-risk"),
    recipe: behind(mean(recipe_cells.map(score))),
  }];
}

const triple = (row) => `(${row.weight_variance}, ${row.bias_variance}; ${row.output_weight_variance})`;
const compared = tasks.flatMap(untied);
console.log();
print("task", "trained-risk, tied", "trained-risk, untied", "best untied", "(2, 0; 0.01)", "He");
console.log("|---|---:|---:|---:|---:|---:|");
for (const t of compared) {
  print(t.name, fixed(t.regrets["trained-risk"], 2), `${fixed(t.chosen, 2)} ${triple(t.chosen_cell)}`,
    `${fixed(t.least, 2)} ${triple(t.best_cell)}`, fixed(t.recipe, 2), fixed(t.regrets.He, 2));
}
if (compared.length) {
  const average = (of) => `**${fixed(mean(compared.map(of)), 2)}**`;
  print("**mean**", average((t) => t.regrets["trained-risk"]), average((t) => t.chosen), average((t) => t.least),
    average((t) => t.recipe), average((t) => t.regrets.He));
}
