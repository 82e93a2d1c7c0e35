// Every kind of page in headless Chromium: silent, without a request, with the marks its data implies, readable.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { attack, samples, write_samples } from "./samples.mjs";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "priorfit-browser-"));
let browser;

before(async () => {
  write_samples(folder);
  for (const kind of Object.keys(samples)) execFileSync(process.env.PRIORFIT, ["report", join(folder, kind)]);
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a page, runs `look(page)`, and asserts that it stayed silent and reached nothing. */
async function with_page(kind, look, { width = 1280, dark = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  const file = `file://${join(folder, kind, "report.html")}`;
  const noise = [];
  page.on("console", (message) => noise.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { noise.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => request.url() !== file && noise.push(`request: ${request.url()}`));
  await page.goto(file);
  await page.waitForFunction(() => {
    const stages = [...document.querySelectorAll(".stage")];
    return document.querySelector("article") && stages.every((stage) => stage.querySelector("svg"));
  });
  try {
    await look(page);
  } finally {
    await context.close();
  }
  assert.deepEqual(noise, []);
}

const chart = (kind, nth = 0) => `[data-chart="${kind}"] >> nth=${nth}`;
const marks = (page, kind, selector, nth = 0) => page.locator(chart(kind, nth)).locator(selector).count();
const cells = (page, kind, nth) => marks(page, kind, "g.cells rect", nth);
const legend = (page, kind) => page.locator(chart(kind)).locator(".key").allInnerTexts();

/** Moves the pointer over a mark and gives the text of the tip. */
async function tip_over(page, kind, selector) {
  const mark = page.locator(chart(kind)).locator(selector);
  await mark.scrollIntoViewIfNeeded();
  const box = await mark.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x - 2, y - 2);
  await page.mouse.move(x, y);
  const tip = page.locator(chart(kind)).locator("g[aria-label=tip] text");
  await tip.first().waitFor();
  return (await tip.first().textContent()).replaceAll("\u200b", "\n").trim();
}

const panels = async (page) => (await page.locator(chart("family-map")).locator("svg text").allTextContents()).filter((t) => t.startsWith("σb² ="));

/** Texts of a drawing that lie over each other. */
const overlapping = (page, kind) => page.locator(chart(kind)).locator(".stage svg").evaluate((drawing) => {
  const boxes = [...drawing.querySelectorAll("text")].map((t) => ({ text: t.textContent, box: t.getBoundingClientRect() })).filter(({ box }) => box.width > 0);
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
    a.box.left < b.box.right - 1 && b.box.left < a.box.right - 1 && a.box.top < b.box.bottom - 3 && b.box.top < a.box.bottom - 3).map((b) => `${a.text} | ${b.text}`));
});

/** Words as the terminal writes them: subscripts and spaces that do not break are the page's own. */
const words = (text) => text.replace(/σ_([wbn])²/g, "σ$1²").replace(/\s+/g, " ").trim();

async function shows_sentences(page, selector, sentences) {
  const shown = words((await page.locator(selector).allTextContents()).join(" "));
  for (const { kind, text } of sentences) assert.ok(shown.includes(words(text)), `${kind}: ${text}`);
}

test("pages are one file of at most 1 MB that forbids the network", () => {
  for (const kind of Object.keys(samples)) {
    const path = join(folder, kind, "report.html");
    assert.ok(statSync(path).size <= 1_000_000, kind);
    const page = readFileSync(path, "utf8");
    assert.match(page, /default-src 'none'/);
    assert.doesNotMatch(page, /(src|href)="?https?:/);
  }
});

test("recommendation: charts hold what the grid holds", () => with_page("recommendation", async (page) => {
  assert.equal(await cells(page, "evidence-map"), 15);
  assert.equal(await marks(page, "evidence-map", "g.contour"), 0);
  assert.deepEqual(await legend(page, "evidence-map"), ["recommended", "He", "LeCun"]);
  assert.equal(await marks(page, "evidence-map", "g[aria-label=dot] path"), 3);
  assert.equal(await marks(page, "evidence-lines", "g.series path"), 3);
  assert.match(await page.locator("h2").innerText(), /^σ\s*w\s*²\s*=\s*2\.8\s+σ/);
  assert.match(await page.locator(".again").innerText(), /priorfit recommend mnist --samples 1000/);
  assert.equal(await page.locator(chart("evidence-map")).locator("svg").first().getAttribute("role"), null, "the key is no chart");
  assert.match(await page.locator(chart("evidence-map")).locator(".stage svg").getAttribute("aria-label"), /best pair is \(2\.8/);
}));

test("the columns of a table that something was done to are shown, the others counted", () => with_page("recommendation", async (page) => {
  const rows = await page.locator("[data-part=columns] tbody tr").allInnerTexts();
  assert.equal(rows.length, 3);
  assert.match(rows[0], /colour\s+category\s+3\s+4\s+5 features/);
  assert.match(await page.locator("[data-part=columns]").innerText(), /1 more: numbers, as they are/);
}));

test("hover shows the value of the cell under the pointer", () => with_page("recommendation", async (page) => {
  const he = samples.recommendation["recommendation.json"].grid.findIndex((c) => c.weight_variance === 2 && c.bias_variance === 0);
  const tip = await tip_over(page, "evidence-map", `g.cells rect >> nth=${he}`);
  const value = samples.recommendation["recommendation.json"].grid[he].log_marginal_likelihood;
  assert.match(tip, /σw² 2, σb² 0 · He/);
  assert.match(tip, new RegExp(`${value.toLocaleString("en-US", { maximumFractionDigits: 1 })} nats`));
}));

test("a fine grid has contours, a coarse one has values", () => with_page("fine", async (page) => {
  assert.equal(await cells(page, "evidence-map"), 20 * 16);
  assert.ok(await marks(page, "evidence-map", "g.contour path") >= 4);
  assert.equal(await marks(page, "evidence-lines", "g.series path"), 16);
}));

test("a surface around the optimum is drawn with its interval", () => with_page("surface", async (page) => {
  assert.equal(await cells(page, "evidence-map"), 1600);
  assert.equal(await marks(page, "evidence-map", "g[aria-label=rule] line"), 1, "σ_b² lies on its bound and has no interval");
  await shows_sentences(page, "article", samples.surface["recommendation.json"].sentences);
  await shows_sentences(page, "[data-part=path]", samples.surface["recommendation.json"].sentences.filter((s) => s.kind === "growth"));
  await shows_sentences(page, "[data-part=signal]", samples.surface["recommendation.json"].sentences.filter((s) => s.kind === "depth"));
  assert.equal(await page.locator("[data-part=path] tbody tr").count(), 2);
  assert.match(await page.locator("[data-part=signal] tbody").innerText(), /recommended\s+chaotic\s+∞\s+1\.3062\s+3\.744\s+22/);
}));

for (const [name, ...flags] of [["continuous", "--criterion", "evidence"], ["auto", "--details", "--pilots", "12", "--epochs", "5", "--width", "64"], ["theory alone", "--details", "--budget", "0"], ["a grid", "--grid", "paper"], ["per layer", "--per-layer", "--depth", "2", "--activation", "tanh"],
  ["trained risk", "--criterion", "trained-risk"], ["an output of its own", "--untie-output", "--weight-variances", "1,2", "--bias-variances", "0,1"]]) {
  const kind = `run-${name.replaceAll(" ", "-")}`;
  test(`${name}: terminal and page say the same`, () => {
    const terminal = words(execFileSync(process.env.PRIORFIT,
      ["recommend", "digits", "--samples", "80", ...flags, "--quiet", "--report", "--out", join(folder, kind)], { encoding: "utf8" }));
    const { sentences } = JSON.parse(readFileSync(join(folder, kind, "recommendation.json"), "utf8"));
    assert.ok(sentences.length >= 2);
    for (const { text } of sentences) assert.ok(terminal.includes(words(text)), text);
    return with_page(kind, async (page) => {
      await shows_sentences(page, "article", sentences);
      const verdict = sentences.filter((s) => s.kind === "verdict");
      await shows_sentences(page, "h2", verdict.length ? verdict : sentences.filter((s) => s.kind === "answer"));
      assert.doesNotMatch(await page.locator("article").innerText(), /undefined|NaN|cannot be shown/);
    });
  });
}

test("a file without sentences has heading, tables and charts", () => with_page("previous", async (page) => {
  const { recommended, baselines } = samples.previous["recommendation.json"];
  assert.equal(await page.locator("h2").innerText().then((t) => t.replace(/\s+/g, " ")),
    `σw² = ${recommended.weight_variance} σb² = ${recommended.bias_variance}`);
  assert.equal(await cells(page, "evidence-map"), 15);
  assert.equal(await page.locator("[data-part=baselines] tbody tr").count(), baselines.length + 1);
  assert.equal(await page.locator("[data-part=trained] tbody tr").count(), baselines.length + 1);
  assert.deepEqual(await legend(page, "evidence-map"), ["recommended", ...baselines.filter((b) => "weight_variance" in b).map((b) => b.name)]);
}));

test("per layer: a table of layers with their intervals, and no map", () => with_page("per_layer", async (page) => {
  const { sentences } = samples.per_layer["recommendation.json"];
  await shows_sentences(page, "article", sentences);
  const rows = await page.locator("[data-part=layers] tbody tr").allInnerTexts();
  assert.deepEqual(rows.map((r) => r.split(/\t/)), [
    ["1", "1.5", "1.2 to 1.9", "0.1", "—"], ["2", "2.5", "—", "0", "—"], ["output", "0.75", "0.5 to 1.1", "0", "—"]]);
  assert.equal(await page.locator(".chart").count(), 0);
  assert.match(await page.locator("[data-part=baselines] tbody tr").last().innerText(), /PyTorch\s+per\slayer\s+per\slayer/);
}));

test("trained-risk: a map of what is predicted, and none of evidence", () => with_page("risk", async (page) => {
  assert.equal(await page.locator(".chart").count(), 1);
  assert.equal(await cells(page, "predicted-map"), 15);
  assert.deepEqual(await legend(page, "predicted-map"), ["recommended", "He"]);
  assert.match(await page.locator(chart("predicted-map")).innerText(), /The least, 3\.40 %, is predicted from \(0\.4, 0\)/);
  assert.match(await tip_over(page, "predicted-map", "g.cells rect >> nth=0"), /recommended\s+3\.40 % predicted/);
  assert.equal(await page.locator("[data-part=baselines]").count(), 0);
}));

test("an output of its own, in a file without candidates: each pair once, with the best output", () => with_page("risk_untied", async (page) => {
  assert.equal(await cells(page, "predicted-map"), 15);
  assert.match(await tip_over(page, "predicted-map", "g.cells rect >> nth=14"), /output layer: σw² 0\.01/);
}));

test("an output of its own: a panel per σ_b², a field per start, the recommended one marked", () => with_page("untied", async (page) => {
  const { candidates } = samples.untied["recommendation.json"];
  assert.equal(await marks(page, "family-map", "g.fields path"), candidates.length);
  assert.equal(await marks(page, "family-map", "g.flat path"), 3);
  assert.equal(await marks(page, "family-map", "g.recommended path, path.recommended"), 1);
  assert.deepEqual(await panels(page), ["σb² = 0", "σb² = 1", "σb² = 2"]);
  assert.deepEqual(await overlapping(page, "family-map"), []);
  assert.deepEqual((await legend(page, "family-map")).slice(0, 2), ["recommended", "He"]);
}));

for (const [kind, chosen] of [["answer", "(1, 0.1, output 0.01)"], ["keep", "PyTorch's default"]]) {
  test(`${kind}: verdict first, starts with intervals, both maps with their marks`, () => with_page(kind, async (page) => {
    const result = samples[kind]["recommendation.json"];
    assert.equal(words(await page.locator("h2").textContent()), words(result.sentences[0].text));
    await shows_sentences(page, "article", [...result.sentences, ...result.captions, ...result.by_evidence.sentences]);
    assert.equal(await marks(page, "starts", "g.intervals path"), 3);
    assert.equal(await marks(page, "starts", "g.measured circle"), 3);
    assert.ok(await marks(page, "starts", "g.reference line") >= 1);
    const shown = await page.locator(chart("starts")).locator(".stage svg").textContent();
    for (const { name, measured, against } of result.starts) for (const text of [name, measured, against]) assert.ok(shown.includes(text), text);
    assert.equal(await marks(page, "family-map", "g.fields path"), result.candidates.length);
    assert.equal(await marks(page, "family-map", "g.flat path"), result.as_good.length);
    assert.equal(await marks(page, "family-map", "g.all-starts circle") + await marks(page, "family-map", "g.named path") + 1, result.candidates.length);
    assert.deepEqual(await panels(page), ["σb² = 0 to 0.004", "σb² = 0.1 to 0.13"]);
    assert.equal((await legend(page, "family-map"))[0], `recommended: ${chosen}`);
    assert.match(await tip_over(page, "family-map", "g.ring circle"), new RegExp(`^${chosen.replace(/[().]/g, "\\$&")}`));
    assert.equal(await marks(page, "evidence-map", "g.cells rect"), 1600);
    assert.equal((await legend(page, "evidence-map"))[0], "by the evidence");
    assert.equal(await page.locator("[data-part=scores]").count(), 0);
    assert.doesNotMatch(await page.locator("article").innerText(), /undefined|NaN|cannot be shown/);
  }));
}

test("theory alone: predicted figures with their intervals, errors in the target's units", () => with_page("theory", async (page) => {
  assert.equal(await marks(page, "starts", "g.predicted circle"), 4);
  assert.equal(await marks(page, "starts", "g.measured circle"), 0);
  assert.match(await page.locator(chart("family-map")).locator("h3").innerText(), /Predicted RMSE/);
  assert.match(await tip_over(page, "family-map", "g.ring circle"), /2 predicted/);  // 10 √0.04
}));

test("a criterion that the page does not know: its scores as a table", () => with_page("own", async (page) => {
  assert.equal(await page.locator(".chart").count(), 0);
  assert.match(await page.locator("[data-part=scores]").innerText(), /Scores by output-size/);
  assert.deepEqual((await page.locator("[data-part=scores] tbody tr").allInnerTexts()).map((r) => r.replaceAll("\u00a0", " ").split(/\t/)), [
    ["recommended (1.2, 0)", "0.25"], ["(0.4, 0)", "1.5"], ["(2.8, 0)", "the outputs explode"], ["He (2, 0)", "0.75"]]);
}));

test("cells that could not be factored are shown as such", () => with_page("failed", async (page) => {
  assert.equal(await cells(page, "evidence-map"), 9);
  assert.equal(await marks(page, "evidence-map", "g.missing rect"), 6);
  assert.match(await page.locator(chart("evidence-map")).innerText(), /6 cells could not be factored/);
  assert.match(await tip_over(page, "evidence-map", "g.missing rect >> nth=0"), /not positive definite at pivot 17/);
}));

test("experiment: curves, maps, scatter and table", () => with_page("experiment", async (page) => {
  const result = samples.experiment["experiment.json"];
  for (let i = 0; i < 3; ++i) {
    assert.equal(await marks(page, "curves", "g.curve path", i), 15);
    assert.equal(await marks(page, "curves", "g.curve.recommended path", i), 1);
    assert.equal(await marks(page, "curves", "g.curve.He path", i), 1);
    assert.equal(await marks(page, "training-curves", "g.curve path", i), 15);
    assert.equal(await cells(page, "evidence-map", i), 15);
    assert.equal(await cells(page, "trained-map", i), 15);
    assert.equal(await marks(page, "scatter", "g.pairs circle", i), 15);
  }
  const learnt = result.sizes[0].cells.map((c) => 100 * c.train_curve.at(-1));
  assert.match(await page.locator(chart("training-curves")).innerText(),
    new RegExp(`training accuracy, %[\\s\\S]*between ${Math.min(...learnt).toFixed(1)} % and ${Math.max(...learnt).toFixed(1)} %`));
  assert.match(await page.locator(chart("scatter")).innerText(), /Rank correlation −0\.48/);
  const rank = result.rows.find((r) => r.size === 1000 && r.rule === "recommended").rank;
  assert.match(await page.locator(chart("trained-map")).innerText(), new RegExp(`recommended pair comes ${rank}th of 15`));
  assert.equal(await page.locator(".wide tbody tr").count(), result.rows.length);
  assert.match(await page.locator(".again").innerText(), /--specification specification\.toml[\s\S]*source = "mnist"/);
  const best = result.sizes[0].cells.findIndex((c) => c.accuracy === Math.max(...result.sizes[0].cells.map((d) => d.accuracy)));
  const tip = await tip_over(page, "trained-map", `g.cells rect >> nth=${best}`);
  assert.match(tip, new RegExp(`${(100 * result.sizes[0].cells[best].accuracy).toFixed(1)} % test accuracy`));
}));

test("several seeds have a curve each and one cell per pair", () => with_page("seeds", async (page) => {
  assert.equal(await marks(page, "curves", "g.curve path"), 45);
  assert.equal(await cells(page, "trained-map"), 15);
}));

test("regression is told in errors", () => with_page("regression", async (page) => {
  assert.match(await page.locator("h2").innerText(), /RMSE 0\.\d+/);
  assert.equal(await page.locator("[data-part=training-curves]").count(), 0, "its training curve is a loss");
  assert.equal(await cells(page, "trained-map"), 15);
}));

test("long training is thinned, and the page says so", () => with_page("long", async (page) => {
  assert.equal(await marks(page, "curves", "g.curve path"), 75);
  assert.match(await page.locator(chart("curves")).innerText(), /trained for 250 epochs.*One epoch in \d+ is drawn/s);
}));

test("simulation: paths, predictions, lines of equality", () => with_page("simulation", async (page) => {
  assert.equal(await marks(page, "paths", "g.path path"), 10);
  for (const fit of ["best", "worst"]) {
    assert.equal(await marks(page, `by-location-${fit}`, "g.true circle"), 30);
    assert.equal(await marks(page, `by-location-${fit}`, "g.predicted circle"), 30);
    assert.equal(await marks(page, `equality-${fit}`, "g.predicted circle"), 30);
    assert.equal(await marks(page, `equality-${fit}`, "g.equality path"), 1);
  }
  assert.equal(await marks(page, "errors", "g.errors circle"), 60);
  assert.equal(await cells(page, "chosen-map"), 15);
  assert.match(await tip_over(page, "chosen-map", "g.cells rect >> nth=14"), /chosen in 39 of 40 seeds/);
  assert.match(await page.locator("article").innerText(), /covariance K\/10/);
}));

test("prediction: the confusion matrix, one statement about intervals, calibration", () => with_page("prediction", async (page) => {
  assert.equal(await cells(page, "confusion"), 5);
  assert.match(await tip_over(page, "confusion", "g.cells rect >> nth=1"), /cat taken for dog\s+50 of 950 rows/);
  assert.equal((await page.locator("article").innerText()).match(/95 % intervals hold/g).length, 1);
  assert.match(await page.locator(".assumed").innerText(), /fitted\s+noise, by the evidence/);
  assert.equal(await marks(page, "calibration", "g.points circle"), 11);
  assert.equal(await marks(page, "calibration", "g.equality path"), 1);
  assert.match(await tip_over(page, "calibration", "g.points circle >> nth=4"), /50 % interval\s+holds 58\.8 %/);
}));

test("prediction of numbers: predicted against true", () => with_page("prediction-numbers", async (page) => {
  assert.equal(await marks(page, "predicted", "g.predicted circle"), 60);
  assert.match(await tip_over(page, "predicted", "g.predicted circle >> nth=30"), /true 1200\s+predicted/);
  assert.equal(await page.locator("[data-chart='confusion']").count(), 0);
}));

test("training: curves of three kinds of rows, the epoch kept, the confusion matrix", () => with_page("training", async (page) => {
  for (const kind of ["loss-curves", "accuracy-curves"]) {
    assert.equal(await marks(page, kind, "path.curve, g.curve path"), 3);
    assert.deepEqual(await legend(page, kind), ["training", "validation", "test", "weights kept"]);
  }
  assert.equal(await cells(page, "confusion"), 28);
  assert.match(await tip_over(page, "confusion", "g.cells rect >> nth=0"), /class 0 taken for class 0\s+17 of 18 rows/);
  assert.match(await page.locator("h2").innerText(), /classifies 93\.12 % of 200 test rows/);
  assert.match(await page.locator(".again").innerText(), /priorfit train mnist --out run/);
}));

test("a training that was cut off: its curves, no results", () => with_page("training-unfinished", async (page) => {
  assert.match(await page.locator("article").innerText(), /The training has not ended/);
  assert.equal(await page.locator("[data-chart='confusion']").count(), 0);
  assert.deepEqual(await legend(page, "loss-curves"), ["training", "validation", "test", "weights kept"]);
}));

test("training of a number: predicted against true", () => with_page("training-numbers", async (page) => {
  assert.equal(await marks(page, "rmse-curves", "path.curve, g.curve path"), 2);
  assert.equal(await marks(page, "predictions", "g.points circle"), 120);
  assert.equal(await marks(page, "predictions", "g.equality path"), 1);
  assert.equal(await page.locator(chart("confusion")).count(), 0);
}));

test("phase: the map, its critical line where it is reached, and the layers crossed", () => with_page("phase", async (page) => {
  assert.equal(await cells(page, "phase-map"), 33);
  assert.equal(await marks(page, "phase-map", "g.line path, path.line"), 1);
  assert.equal(await marks(page, "phase-map", "g.line-points circle"), 3);
  assert.match(await page.locator("h2").innerText(), /from σ\s*w\s*²\s*=\s*1 at .* to .*1\.5 at/s);
  assert.match(await tip_over(page, "phase-map", "g.cells rect >> nth=2"), /critical\s+χ₁ = 1\.0000, q\* = 1\s+a signal crosses ∞ layers/);
  assert.match(await tip_over(page, "phase-map", "g.cells rect >> nth=10"), /chaotic\s+χ₁ = 3\.0000, q\* = ∞\s+a signal crosses 5 layers/);
  assert.match(await page.locator("figcaption").innerText(), /12 ordered, 3 critical and 18 chaotic.*does not settle/s);
  assert.match(await page.locator("[data-part=critical-line] tbody tr >> nth=2").innerText(), /settles elsewhere; its phases change at 2\.100000/);
}));

test("a folder with every kind becomes one page with a way between them", () => with_page("everything", async (page) => {
  assert.equal(await page.locator("article").count(), 6);
  assert.deepEqual(await page.locator("nav a").allInnerTexts(), ["Recommendation", "Experiment", "Prediction", "Training", "Simulation", "Signal propagation"]);
}));

for (const kind of ["recommendation", "answer", "keep", "theory", "surface", "per_layer", "risk", "untied", "own", "previous", "fine", "experiment", "regression", "simulation", "prediction", "prediction-numbers", "phase", "training", "training-numbers", "training-unfinished"]) {
  test(`${kind}: nothing overflows at 400 pixels, in the dark`, () => with_page(kind, async (page) => {
    const wide = await page.evaluate(() => {
      const found = document.documentElement.scrollWidth > innerWidth ? [`page ${document.documentElement.scrollWidth}`] : [];
      for (const text of document.querySelectorAll(".stage svg text, h2, h3, p, figcaption, dd, .key")) {
        const box = text.getBoundingClientRect();
        if (box.width && (box.right > innerWidth + 1 || box.left < -1)) found.push(text.textContent);
      }
      for (const part of document.querySelectorAll("[data-kind=recommendation] :is(pre, .table, .stage)")) {
        if (part.scrollWidth > part.clientWidth + 1) found.push(`${part.className || "pre"} scrolls: ${part.textContent.slice(0, 40)}`);
      }
      return found;
    });
    assert.deepEqual(wide, []);
    for (const drawing of ["starts", "family-map"]) {
      if (await page.locator(chart(drawing)).count()) assert.deepEqual(await overlapping(page, drawing), []);
    }
    const contrast = await page.evaluate(() => {
      const luminance = (color) => {
        const [r, g, b] = color.match(/[\d.]+/g).slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const paper = luminance(getComputedStyle(document.body).backgroundColor);
      const of = (element) => {
        const ink = luminance(getComputedStyle(element).color);
        return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
      };
      return { paper, least: Math.min(...[...document.querySelectorAll("h2, p, dt, dd, figcaption, summary, .legend")].map(of)) };
    });
    assert.ok(contrast.paper < 0.05, "the page is dark");
    assert.ok(contrast.least >= 4.5, `contrast ${contrast.least}`);
  }, { width: 400, dark: true }));
}

test("markup in a name is text", () => with_page("attack", async (page) => {
  await page.waitForTimeout(200);
  assert.equal(await page.locator("img").count(), 0);
  assert.ok((await page.locator(".kicker").innerText()).includes(attack));
  assert.ok((await page.locator(".notes").innerText()).includes(attack));
}));

test("tabs work by keyboard and the copied lines are those shown", () => with_page("recommendation", async (page) => {
  await page.locator("[role=tab]").first().focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator("[role=tab][aria-selected=true]").innerText(), "Keras");
  assert.equal(await page.locator("[role=tabpanel]:visible pre").innerText(), "kernel = 1");
  await page.locator("[role=tabpanel]:visible .copy").click();
  await page.locator("text=Copied").waitFor();
  await page.evaluate(() => {  // what a user pastes, in a field of the test's own
    const area = document.body.appendChild(document.createElement("textarea"));
    area.focus();
  });
  await page.keyboard.press("Control+V");
  assert.equal(await page.locator("body > textarea").inputValue(), "kernel = 1");
}));

test("print shows every framework's lines and no buttons", () => with_page("recommendation", async (page) => {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.equal(await page.locator("[role=tabpanel]:visible").count(), 3);
  assert.equal(await page.locator(".copy:visible").count(), 0);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
}));
