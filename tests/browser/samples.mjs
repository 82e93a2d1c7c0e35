// Result files as the commands write them, made up without chance so that the tests can count on every figure.
// node samples.mjs FOLDER writes one folder per kind, for looking at pages by hand.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const paper_weights = [0.4, 1.2, 2, 2.8, 3.6];
const paper_biases = [0, 1, 2];
const version = "0.2.0";

/** Deterministic noise in [-1, 1]. */
const wobble = (i) => { const s = Math.sin(12.9898 * (i + 1)) * 43758.5453; return 2 * (s - Math.floor(s)) - 1; };

const cells = (weights, biases, value) => weights.flatMap((w) => biases.map((b) => {
  const evidence = value(w, b);
  return {
    weight_variance: w, bias_variance: b, noise_variance: 1e-6,
    log_marginal_likelihood: evidence, per_value: evidence === null ? null : evidence / 10000, jitter: 0,
    status: evidence === null ? "failed" : "ok", ...(evidence === null ? { failed_pivot: 17 } : {}),
  };
}));

/** An evidence with its maximum at σ_w² = peak, falling with σ_b². */
const evidence = (peak) => (w, b) => 5000 - 2600 * Math.log(w / peak) ** 2 * (w < peak ? 6 : 1) - 420 * b;

const data = (name, rows, samples) => ({
  name, rows, features: 784, outputs: 10, task: "classification", preprocess: "unit", samples, seed: 1, notes: [],
});

/** Of a table: what was found in it. */
const table_columns = {
  dialect: "separator ',', decimal mark '.', header",
  columns: [
    { name: "size", kind: "number", missing: 0, distinct: 40, becomes: "as it is" },
    { name: "colour", kind: "category", missing: 3, distinct: 4, becomes: "5 features, one per level, a level for missing ones" },
    { name: "id", kind: "identifier", missing: 0, distinct: 60, becomes: "left out: an identifier" },
    { name: "y", kind: "number", missing: 0, distinct: 10, becomes: "target" },
  ],
};

const best_of = (grid) => grid.reduce((a, b) => ((b.log_marginal_likelihood ?? -Infinity) > (a.log_marginal_likelihood ?? -Infinity) ? b : a));

function recommendation(name, weights, biases, value, extra = {}) {
  const grid = cells(weights, biases, value);
  const best = best_of(grid);
  const baselines = [["He", 2], ["LeCun", 1]].map(([who, w]) => {
    const cell = cells([w], [0], value)[0];
    return { name: who, ...cell, gain: cell.log_marginal_likelihood === null ? null : best.log_marginal_likelihood - cell.log_marginal_likelihood };
  });
  return {
    schema: "priorfit.recommendation/1", version, command: `priorfit recommend ${name} --samples 1000`,
    data: { ...data(name, 60000, 1000), ...table_columns }, network: { depth: 1, activation: "relu" },
    recommended: { ...best, at_bound: ["bias_variance:lower"] }, grid, baselines,
    paste: { pytorch: "model.apply(priorfit_init)\n", keras: "kernel = 1\n", flax: "kernel = 2\n" },
    timing: { seconds: 2.5 }, memory: { peak_bytes: 47e6, gram_held: true }, ...extra,
  };
}

/** What the program says of a result; kinds that the page does not know are shown as well. */
const sentences = (...pairs) => pairs.map(([kind, text]) => ({ kind, text }));

const layer = (weight_variance, bias_variance) => ({ weight_variance, bias_variance });

/** Layers with pairs of their own, none for all of them, and no map. */
function per_layer() {
  const r = recommendation("mnist", paper_weights, paper_biases, evidence(2.6));
  return {
    ...r, network: { depth: 2, activation: "tanh" }, grid: [],
    recommended: {
      weight_variance: null, bias_variance: null, family: "per-layer", layers: [layer(1.5, 0.1), layer(2.5, 0), layer(0.75, 0)],
      noise_variance: 0.01, log_marginal_likelihood: 5100, per_value: 0.51, status: "ok", at_bound: [],
      intervals: { "layer1.weight_variance": [1.2, 1.9], "layer1.bias_variance": null, "output.weight_variance": [0.5, 1.1] },
    },
    baselines: [{ name: "He", ...layer(2, 0), noise_variance: 0.02, log_marginal_likelihood: 4900, status: "ok", gain: 200 },
      { name: "PyTorch", layers: [layer(0.3, 0.1), layer(0.3, 0.2), layer(0.3, 0.2)], noise_variance: 0.03, log_marginal_likelihood: 4000, status: "ok", gain: 1100 }],
    sentences: sentences(
      ["answer", "layer 1: σ_w² = 1.5, 95 % 1.2 to 1.9; σ_b² = 0.1"], ["answer", "layer 2: σ_w² = 2.5; σ_b² = 0"],
      ["answer", "output layer: σ_w² = 0.75, 95 % 0.5 to 1.1; σ_b² = 0"], ["score", "5,100.0 nats, 0.5100 per target value"],
      ["flat", "The data cannot tell these apart: layer 1's σ_w² and layer 2's σ_w²."], ["convergence", "The search stopped before it converged."],
      ["of another version", "A sentence of a kind that this page does not know."]),
  };
}

/** Judged by what training is predicted to do: no evidence anywhere. */
function by_risk({ outputs = [] } = {}) {
  const trained = (w, b, o = 1) => ({
    error: 0.02 + 0.01 * w * o + 0.002 * b, standard_error: 0.001, data_error: 0.019, initialisation_error: 0.001 + 0.01 * w * o,
    ridge: 1, accuracy: 0.97 - 0.01 * w * o - 0.002 * b,
  });
  const grid = paper_weights.flatMap((w) => paper_biases.flatMap((b) => (outputs.length
    ? outputs.map((o) => ({ ...layer(w, b), output_weight_variance: o, trained: trained(w, b, o) })) : [{ ...layer(w, b), trained: trained(w, b) }])));
  const { recommended, ...r } = recommendation("mnist", paper_weights, paper_biases, evidence(2.6));
  return {
    ...r, grid, criterion: "trained-risk", recommended: { ...grid[0], at_bound: [] },
    baselines: [{ name: "He", ...layer(2, 0), trained: trained(2, 0) }, { name: "PyTorch", layers: [], trained: trained(0.3, 0.1) }],
    trained_risk: { samples: 1000, optimizer: "adam", relative_ridge: 0.001, widths: [2000], tolerance: 0.03 },
    captions: sentences(["predicted", "The least, 3.40 %, is predicted from (0.4, 0)."]),
    sentences: sentences(["answer", "σ_w² = 0.4 (weights: standard deviation 0.6325/√fan_in)"], ["answer", "σ_b² = 0 (biases: standard deviation 0)"],
      ["rule", "Rule: Of all starts whose share of wrong classes is within 3 % of the least, the one closest to He's pair."]),
  };
}

/**
 * Keep or change, from many starts: two panels of hidden variances against the output layer's, a start of a framework
 * between them, and the evidence's own choice. `measured`: false for theory alone.
 */
function answer({ action = "change", measured = true, regression = false } = {}) {
  const both = (w, b, o = w) => [layer(w, b), layer(o, o === w ? b : 0)];
  const starts = [["PyTorch's default", [layer(1 / 3, 0.004), layer(1 / 3, 0.002)]], ["He", both(2, 0)],
    ...[0, 0.1].flatMap((b) => [0.5, 1, 2].flatMap((w) => [0.001, 0.01, 0.1].map((o) => [`(${w}, ${b}, output ${o})`, both(w, b, o)]))),
    ["(1, 0.1)", both(1, 0.1)], ["by the evidence (3.3, 0.126)", both(3.3, 0.126)]];
  const finalist = starts.findIndex(([name]) => name === "(1, 0.1, output 0.01)"), last = starts.length - 1;
  const wrong = (i) => (i === last ? 0.06 : 0.02 + 0.003 * Math.abs(i - finalist));
  const risk = (i) => ({ error: 2 * wrong(i), standard_error: 0.001, data_error: 0.01, initialisation_error: 0.01, ridge: 1, ...(regression ? {} : { accuracy: 1 - wrong(i) }) });
  const pilots = new Map(measured ? [[0, 0.931], [1, 0.91], [finalist, 0.947]] : []);
  const value = (v) => (regression ? 10 * v : v);
  const line = (candidate, against) => ({
    name: starts[candidate][0], candidate, predicted: measured ? "–" : "94.5 %", measured: pilots.has(candidate) ? `${(100 * pilots.get(candidate)).toFixed(1)} ± 0.3 %` : "–", against,
    ...(pilots.has(candidate) ? { measurement: { value: value(pilots.get(candidate)), standard_error: 0.003 } } : {}),
    ...(measured ? {} : { prediction: { value: value(1 - wrong(candidate)), standard_error: 0.004 } }),
  });
  const r = recommendation("table.csv", paper_weights, paper_biases, evidence(2.6));
  const [weight_variances, bias_variances] = [spread(1, 5, 40), spread(0, 1, 40)];
  const chosen = action === "change" ? finalist : 0;
  return {
    ...r, network: { depth: 1, activation: "relu", widths: [256] }, grid: [], criterion: "auto", paste: { ...r.paste, pytorch: "variances = [(1, 0.1)] + [(0.01, 0)]  # of weights (times inputs) and biases, per Linear\n" }, loss: "cross-entropy", optimizer: "adam",
    data: { ...r.data, name: "table.csv", ...(regression ? { task: "regression", outputs: 1 } : {}) },
    training: { epochs: 100, batch: 128, learning_rate: 0.001, weight_decay: 0 },
    verdict: { action, current: "PyTorch's default", metric: regression ? "rmse" : "accuracy", measured, gain: 0.016, gain_standard_error: 0.004, flat: false, best_other: starts[finalist][0] },
    recommended: { weight_variance: null, bias_variance: null, family: "tied", layers: starts[chosen][1], distribution: "normal", at_bound: [] },
    starts: [line(finalist, "+1.6 ± 0.4"), line(0, ""), line(1, "−2.1"), line(last, "")],
    candidates: starts.map(([name, layers], i) => ({
      name, layers, distribution: "normal",
      scores: { trained_risk: risk(i), ...(i === last ? { evidence: { log_marginal_likelihood: 5000, status: "ok" } } : {}), ...(pilots.has(i) ? { pilot: { value: value(pilots.get(i)), standard_error: 0.003 } } : {}) },
    })),
    as_good: [finalist - 1, finalist, finalist + 1], trained_risk: { samples: 600, optimizer: "adam", relative_ridge: 0.001, widths: [256], tolerance: 0.03, ...(regression ? { target_scale: 10 } : {}) },
    by_evidence: {
      ...layer(3.3, 0.126), layers: both(3.3, 0.126), log_marginal_likelihood: 5000, status: "ok", intervals: { weight_variance: [3.2, 3.4], bias_variance: [0.09, 0.18] },
      sentences: sentences(["answer", "σ_w² = 3.3 (weights: standard deviation 1.817/√fan_in)"], ["score", "5,000.0 nats, 0.5000 per target value"], ["search", "Search: 1 start, 83 factorisations"]),
    },
    surface: { samples: 150, weight_variances, bias_variances, log_marginal_likelihood: weight_variances.map((w) => bias_variances.map((b) => evidence(2.6)(w, b))) },
    sentences: sentences(
      ["verdict", "Change it to (1, 0.1, output 0.01): +1.6 ± 0.4 points of accuracy against PyTorch's default (93.1 % → 94.7 %)."],
      ["answer", "hidden layers σ_w² = 1, σ_b² = 0.1; output layer σ_w² = 0.01, no bias"], ["caution", "40 rows are few: another draw of them may well give another answer."],
      ["flat", "3 of 22 starts are expected to be about as good as the best."], ["pilots", "39 networks were trained."]),
    captions: sentences(["starts", "Accuracy measured on rows left out; the line marks PyTorch's default."], ["predicted", "The share of wrong classes predicted."], ["evidence", "The evidence is highest at (3.3, 0.126)."]),
  };
}

/** Judged by a criterion that the page has never heard of. */
function by_own_criterion() {
  const { recommended, ...r } = recommendation("mnist", paper_weights, paper_biases, evidence(2.6));
  const candidate = (w, b, score, name) => ({ ...(name ? { name } : {}), layers: [layer(w, b), layer(w, b)], distribution: "normal", scores: { output_size: score } });
  return {
    ...r, criterion: "output-size", grid: paper_weights.map((w) => layer(w, 0)), recommended: { ...layer(1.2, 0), at_bound: [] }, baselines: [{ name: "He", ...layer(2, 0) }],
    candidates: [candidate(1.2, 0, { value: 0.25 }), candidate(0.4, 0, { value: 1.5 }), candidate(2.8, 0, { failure: "the outputs explode" }), candidate(2, 0, { value: 0.75 }, "he")],
    sentences: sentences(["answer", "σ_w² = 1.2 (weights: standard deviation 1.095/√fan_in)"], ["answer", "σ_b² = 0 (biases: standard deviation 0)"], ["score", "output-size 0.25 e-folds"]),
  };
}

/** As the version before this one wrote it: without sentences, layers and candidates. */
const previous = () => JSON.parse(readFileSync(new URL("fixtures/recommendation_without_sentences.json", import.meta.url)));

const spread = (from, to, count) => Array.from({ length: count }, (_, i) => Number((from + ((to - from) * i) / (count - 1)).toPrecision(12)));

function experiment({ seeds = 1, epochs = 60, sizes = [1000, 3000, 5000], regression = false } = {}) {
  const key = regression ? "rmse" : "accuracy";
  const end = (size, w, b) => 0.95 - 0.02 * w - 0.012 * b * b - 6 / Math.sqrt(size) / 10;
  const value = (v) => (regression ? 1 - v : v);
  const result = sizes.map((size) => {
    const grid = cells(paper_weights, paper_biases, evidence(2.6 + size / 20000));
    const trained = grid.flatMap(({ weight_variance: w, bias_variance: b }, i) => Array.from({ length: seeds }, (_, s) => {
      const last = end(size, w, b) + 0.004 * wobble(i + 31 * s);
      const curve = Array.from({ length: epochs }, (_, e) => value(last - 0.7 * Math.exp(-(e + 1) / (2 + 0.3 * i))));
      return { weight_variance: w, bias_variance: b, seed: s + 1, [key]: curve.at(-1), final_loss: 0.001, curve, train_curve: curve.map((v) => (v + 1) / 2) };
    }));
    return { size, recommended: best_of(grid), evidence: grid, cells: trained, rank_correlation: -0.48 };
  });
  const rows = result.flatMap(({ size, cells: trained, recommended }) => {
    const sorted = [...trained].sort((a, b) => (regression ? a[key] - b[key] : b[key] - a[key]));
    const at = (w, b) => sorted.find((c) => c.weight_variance === w && c.bias_variance === b);
    const rules = { best: sorted[0], worst: sorted.at(-1), He: at(2, 0), recommended: at(recommended.weight_variance, recommended.bias_variance) };
    return Object.entries(rules).map(([rule, c]) => ({
      size, rule, [key]: c[key], standard_error: seeds > 1 ? 0.002 : null, weight_variance: c.weight_variance, bias_variance: c.bias_variance,
      regret: Math.abs(sorted[0][key] - c[key]), rank: sorted.indexOf(c) + 1,
    }));
  });
  return {
    schema: "priorfit.experiment/1", version, command: "priorfit experiment --specification specification.toml",
    data: data("mnist", 60000, 5000),
    specification: { depth: 1, activation: "relu", width: 2000, noise_variance: 1e-6, epochs, batch: 128, learning_rate: 0.001, seeds, toml: "[data]\nsource = \"mnist\"\n" },
    sizes: result, rows, complete: true,
  };
}

function simulation(target = "paths") {
  const weights = paper_weights, biases = [0.0001, 0.01, 0.02];
  const locations = spread(0, 1, 100);
  const paths = Array.from({ length: 10 }, (_, i) => locations.map((x) => 1.4 * wobble(i) * Math.max(0, x - 0.3 * Math.abs(wobble(i + 50))) + 0.4 * wobble(i + 9) * x));
  const test = Array.from({ length: 30 }, (_, i) => 3 * i + 2);
  const fit = (error, w, b) => ({
    weight_variance: w, bias_variance: b, rmse: error, locations: test.map((i) => locations[i]),
    true: test.map((i) => paths[0][i]), predicted: test.map((i) => paths[0][i] + error * 1.5 * wobble(i)),
  });
  return {
    schema: "priorfit.simulation/1", version, command: "priorfit simulate --seeds 40", target, noise_variance: 1e-6,
    design: { weight_variance: 3.6, bias_variance: 0.02 }, weight_variances: weights, bias_variances: biases,
    recovery: { count: 39, seeds: 40, fraction: 0.975 },
    argmax: [{ weight_variance: 3.6, bias_variance: 0.02, count: 39 }, { weight_variance: 2.8, bias_variance: 0.02, count: 1 }],
    rmse: { argmax: 0.00049, design: 0.0005, worst_pair: 0.002 },
    explanation: "The mean of ten paths has covariance K/10, so the evidence of the mean is highest at a smaller variance than the one that drew the paths; with the paths as ten outputs it is not.",
    example: {
      seed: 1, locations, train: locations.map((_, i) => i).filter((i) => !test.includes(i)), test, paths,
      grid: cells(weights, biases, (w, b) => 3000 - 900 * Math.log(3.6 / w) ** 2 - 4e4 * Math.abs(0.02 - b) * 0.8),
      best: fit(0.0005, 3.6, 0.02), worst: fit(0.06, 3.6, 0.0001),
    },
    timing: { seconds: 3.2 },
  };
}

function prediction(regression = false) {
  const nominal = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];
  return {
    schema: "priorfit.prediction/1", version, command: "priorfit predict mnist --from recommendation.json", data: data("mnist", 60000, 1000),
    network: { depth: 1, activation: "relu" }, prior: { weight_variance: 2.8, bias_variance: 0 }, noise_variance: 1e-6, rows: 10000,
    negative_log_predictive_density: -0.412, coverage95: 0.973, noise_chosen_by: "evidence",
    sentences: [{ kind: "intervals", text: "The 95 % intervals hold 97.3 % of the true values." }],
    ...(regression
      ? { rmse: 3.2, points: Array.from({ length: 60 }, (_, i) => ({ true: 900 + 10 * i, predicted: 900 + 10 * i + 30 * wobble(i), deviation: 25 })) }
      : { accuracy: 0.9312, classes: ["cat", "dog", "a rather long name"], confusion: [[900, 50, 0], [30, 800, 20], [0, 0, 0]] }),
    calibration: nominal.map((n) => ({ nominal: n, observed: Math.min(1, n + 0.35 * n * (1 - n)) })), timing: { seconds: 4 },
  };
}

/** Ten classes with validation, or one number; the sentences are the library's to write. */
function training(regression = false) {
  const metrics = (loss, e) => (regression
    ? { samples: 200, loss, rmse: 12 * Math.sqrt(loss), r_squared: 1 - loss }
    : { samples: 200, loss, negative_log_likelihood: loss, accuracy: 0.95 - 0.6 * Math.exp(-e / 9), balanced_accuracy: 0.94 - 0.6 * Math.exp(-e / 9) });
  const history = Array.from({ length: 40 }, (_, i) => {
    const loss = 0.05 + 2.2 * Math.exp(-(i + 1) / 7), other = loss + 0.004 * Math.max(0, i - 25);
    return { epoch: i + 1, train_loss: loss, ...(regression ? {} : { train_accuracy: 0.99 - 0.6 * Math.exp(-(i + 1) / 8) }),
      test: metrics(1.2 * other, i + 1), validation: metrics(1.1 * other, i + 1) };
  });
  const names = regression ? ["price"] : Array.from({ length: 10 }, (_, i) => (i === 4 ? "a name that is very long" : `class ${i}`));
  const confusion = names.map((_, t) => names.map((_, p) => (t === p ? 17 : (t + 2 * p) % 5 === 0 ? 1 : 0)));
  const predictions = Array.from({ length: 120 }, (_, i) => [0, 100 + i, 100 + i + 8 * wobble(i)]);
  const sentences = [["headline", "The network classifies 93.12 % of 200 test rows correctly."], ["assumption", "mnist: all 1000 rows"],
    ["assumption", "network: 784-40-10, relu; initial σ_w² = 2, σ_b² = 0"], ["assumption", "Adam: learning rate 0.001, batch 32"],
    ["event", "the weights are those of epoch 26, which validate best"], ["loss", "The training loss fell."], ["quality", "The best was epoch 26."],
    [regression ? "predictions" : "confusion", "What is seen."]].map(([kind, text]) => ({ kind, text }));
  return {
    schema: "priorfit.training/1", version, command: "priorfit train mnist --out run",
    data: { ...data("mnist", 1000, 1000), ...(regression ? { task: "regression", outputs: 1 } : {}) },
    network: { depth: 1, hidden_widths: [40], outputs: names.length, activation: "relu" }, options: { epochs: 40, loss: "cross-entropy" },
    train: metrics(0.05, 26), validation: metrics(0.06, 26), test: metrics(0.07, 26), best_epoch: 26, stopped_early: false, sentences,
    answers: { rows: "test", names, ...(regression ? { predictions } : { confusion }) }, seconds_per_epoch: 0.1, history,
  };
}

/** Ordered below σ_w² = 1 + σ_b², chaotic above; at σ_b² = 1 the critical point is not reached. */
function phase() {
  const [weights, biases] = [spread(0.5, 3, 11), [0, 0.5, 1]];
  return {
    schema: "priorfit.phase/1", version, command: "priorfit phase --activation tanh --depth 20", network: { depth: 20, activation: "tanh" },
    cells: biases.flatMap((b) => weights.map((w) => {
      const chi = w / (1 + b);
      const scale = chi === 1 ? null : 1 / Math.abs(Math.log(chi));
      return {
        weight_variance: w, bias_variance: b, fixed_point: w === 3 ? null : w, chi, depth_scale: scale,
        phase: chi === 1 ? "critical" : chi < 1 ? "ordered" : "chaotic", survives: scale === null || 20 <= 6 * scale,
      };
    })),
    critical_line: biases.map((b) => ({ bias_variance: b, weight_variance: 1 + b, fixed_point: b, reached: b < 1, turns_at: 1 + b + (b < 1 ? 0 : 0.1) })),
  };
}

export const attack = "</script><img src=x onerror=alert(1)>";

/** folder name → { file name → result } */
export const samples = {
  recommendation: { "recommendation.json": recommendation("mnist", paper_weights, paper_biases, evidence(2.6)) },
  fine: { "recommendation.json": recommendation("mnist", spread(0.2, 4, 20), spread(0, 1.5, 16), evidence(2.6)) },
  failed: {
    "recommendation.json": recommendation("mnist", paper_weights, paper_biases, (w, b) => (b === 2 || (w === 2 && b === 0) ? null : evidence(2.6)(w, b))),
  },
  surface: {
    "recommendation.json": (() => {
      const r = recommendation("mnist", paper_weights, paper_biases, evidence(2.6));
      const [weight_variances, bias_variances] = [spread(1, 5, 40), spread(0, 1, 40)];
      const subsets = [2.61, 2.55, 2.7].map((w) => ({ weight_variance: w, bias_variance: 0 }));
      return {
        ...r, grid: [],
        recommended: {
          ...r.recommended, weight_variance: 2.6123, leave_one_out: 5400.5, flat: ["noise_variance"],
          intervals: { weight_variance: [2.3, 2.95], bias_variance: null, noise_variance: null },
          gradient: { weight_variance: 0, bias_variance: -321.5, noise_variance: -0.1 },
          signal: { fixed_point: null, chi: 1.3062, depth_scale: 3.744, phase: "chaotic" },
        },
        sentences: sentences(
          ["answer", "σ_w² = 2.6123 (weights: standard deviation 1.616/√fan_in), 95 % 2.3 to 2.95"], ["answer", "σ_b² = 0 (biases: standard deviation 0)"],
          ["score", "5,000.0 nats, 0.5000 per target value; leave-one-out 5,400.5 nats, 0.5401 per value"],
          ["bound", "σ_b² = 0 is the smallest value there is; the evidence falls by 321.5 nats per unit of σ_b² there."],
          ["flat", "The evidence hardly depends on σ_n²: no interval can be given, and other values do as well."],
          ["depth", "A signal from the recommended pair crosses 22 of the 30 layers."],
          ["growth", "Settled: the pair moves by less than 0.1 (in the logarithms) between sizes and subsets."],
          ["search", "Search: 1 start, 83 factorisations with 23 gradients; worth 88.7 factorisations of 1000 samples"]),
        search: { method: "continuous", settled: true, ended_by: "settled", tolerance: 0.1, optima: [] },
        path: [{ samples: 500, subsets, spread: 0.057, moved: null }, { samples: 1000, subsets, spread: 0.057, moved: 0.02 }],
        surface: {
          samples: 500, weight_variances, bias_variances,
          log_marginal_likelihood: weight_variances.map((w) => bias_variances.map((b) => evidence(2.6)(w, b))),
        },
      };
    })(),
  },
  attack: {
    "recommendation.json": (() => {
      const r = recommendation(attack, paper_weights, paper_biases, evidence(2.6));
      return { ...r, data: { ...r.data, notes: [`target column '${attack}'`] }, paste: { pytorch: attack } };
    })(),
  },
  previous: { "recommendation.json": previous() },
  per_layer: { "recommendation.json": per_layer() },
  risk: { "recommendation.json": by_risk() },
  risk_untied: { "recommendation.json": by_risk({ outputs: [0.01, 1] }) },
  untied: {
    "recommendation.json": (() => {
      const r = by_risk({ outputs: [0.001, 0.01, 0.1, 1] });
      const start = (c) => ({ layers: [layer(c.weight_variance, c.bias_variance), layer(c.output_weight_variance, 0)], distribution: "normal", scores: { trained_risk: c.trained } });
      return { ...r, candidates: [...r.grid.map(start), { name: "he", ...start({ ...r.baselines[0], output_weight_variance: 2 }) }], as_good: [0, 1, 2] };
    })(),
  },
  answer: { "recommendation.json": answer() },
  keep: { "recommendation.json": answer({ action: "keep" }) },
  theory: { "recommendation.json": answer({ measured: false, regression: true }) },
  own: { "recommendation.json": by_own_criterion() },
  experiment: { "experiment.json": experiment() },
  seeds: { "experiment.json": experiment({ seeds: 3, sizes: [1000, 5000] }) },
  regression: { "experiment.json": experiment({ regression: true, sizes: [1000] }) },
  simulation: { "simulation.json": simulation() },
  training: { "training.json": training() },
  "training-numbers": { "training.json": training(true) },
  "training-unfinished": {
    "unfinished.json": (() => {
      const { train, validation, test, answers, ...rest } = training();
      const headline = "The training has not ended: 30 of 250 epochs are done.";
      return { ...rest, unfinished: headline, sentences: sentences(["headline", headline], ["loss", "The training loss fell."]) };
    })(),
  },
  prediction: { "prediction.json": prediction() },
  "prediction-numbers": { "prediction.json": prediction(true) },
  phase: { "phase.json": phase() },
  everything: {
    "recommendation.json": recommendation("mnist", paper_weights, paper_biases, evidence(2.6)),
    "experiment.json": experiment(), "prediction.json": prediction(), "training.json": training(), "simulation.json": simulation("mean"),
    "phase.json": phase(),
  },
  long: { "experiment.json": experiment({ seeds: 5, epochs: 250, sizes: [10000, 20000, 30000, 40000, 50000] }) },
};

export function write_samples(folder) {
  for (const [name, files] of Object.entries(samples)) {
    mkdirSync(`${folder}/${name}`, { recursive: true });
    for (const [file, result] of Object.entries(files)) writeFileSync(`${folder}/${name}/${file}`, JSON.stringify(result));
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname && process.argv[2]) write_samples(process.argv[2]);
