// Bundles src/ into one HTML page with a hole for the data, and packs it: node build.mjs [OUTPUT.html.gz]
// The page may run this one script (allowed by its hash) and reach nothing else: no network, no frames, no forms.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const output = resolve(process.argv[2] ?? `${here}/dist/report.html.gz`);

async function bundle(entry) {
  const result = await build({
    entryPoints: [`${here}/src/${entry}`],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome111", "firefox113", "safari16.2"],  // the first with color-mix()
    legalComments: "none",
    charset: "ascii",
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

const script = await bundle("main.js");
const style = await bundle("style.css");
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) {
  throw new Error("the bundle holds a sequence that would end its own element");
}
const hash = createHash("sha256").update(script).digest("base64");
const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'`;
const template = readFileSync(`${here}/src/page.html`, "utf8");
const fill = { policy, style, script };
const page = template.replace(/\{\{(\w+)\}\}/g, (whole, name) => fill[name] ?? whole);
if (page.split("{{results}}").length !== 2) throw new Error("page.html needs {{results}} exactly once");

mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, gzipSync(page, { level: 9 }));
