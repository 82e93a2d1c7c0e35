// Parts that every kind of result shares: what was assumed, lines to copy, the command that makes it again.
import { bytes, count, duration, plain } from "./format.js";
import { h } from "./dom.js";

/** Copies without network or permission: the clipboard API where a file may use it, else a selection. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { class: "offscreen", readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function copy_button(text, what) {
  const button = h("button", { type: "button", class: "copy", "aria-label": `Copy ${what}`, onclick: async () => {
    const back = document.activeElement;
    button.textContent = (await copy(text())) ? "Copied" : "Press Ctrl+C";
    back?.focus?.();
    setTimeout(() => (button.textContent = "Copy"), 1600);
  } }, "Copy");
  return button;
}

/** `shown`: the text as elements, where it should break between words only. */
export function code(text, what, shown = text) {
  return h("div", { class: "code" }, h("pre", { tabindex: "0" }, h("code", {}, shown)), copy_button(() => text, what));
}

const frameworks = { pytorch: "PyTorch", keras: "Keras", flax: "Flax", rows: "rows as the network sees them" };
let tab_groups = 0;

/** Lines to paste, one tab per framework; arrow keys move between tabs, print shows all. */
export function paste_tabs(paste) {
  const entries = Object.entries(paste ?? {}).filter(([, lines]) => typeof lines === "string");
  if (!entries.length) return null;
  const group = `paste-${++tab_groups}`;
  const tabs = entries.map(([key], i) => h("button", {
    type: "button", role: "tab", id: `${group}-tab-${i}`, "aria-controls": `${group}-${i}`, onclick: () => choose(i),
  }, frameworks[key] ?? key));
  const panels = entries.map(([key, lines], i) => h("div", {
    role: "tabpanel", id: `${group}-${i}`, "aria-labelledby": `${group}-tab-${i}`, "data-name": frameworks[key] ?? key,
  }, code(lines.trimEnd(), `the lines for ${frameworks[key] ?? key}`)));
  const choose = (chosen) => tabs.forEach((tab, i) => {
    tab.setAttribute("aria-selected", String(i === chosen));
    tab.tabIndex = i === chosen ? 0 : -1;
    panels[i].classList.toggle("hidden", i !== chosen);
  });
  choose(0);
  const row = h("div", { role: "tablist", "aria-label": "Framework", onkeydown: (event) => {
    const at = tabs.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = (to + tabs.length) % tabs.length;
    choose(next);
    tabs[next].focus();
  } }, tabs);
  return h("section", { class: "paste" }, h("h3", {}, "Lines to paste"), row, panels);
}

/** [[name, value], …] → what was assumed; entries without a value are left out. */
export function assumed(entries) {
  return h("section", { class: "assumed" },
    h("h3", {}, "What was assumed"),
    h("dl", {}, entries.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, value)))));
}

const preprocessing = {
  unit: "unit: scaled to [0, 1]", standardize: "standardize: each column to mean 0, deviation 1",
  center: "center: each column to mean 0", none: "none",
};

export function data_entries(data) {
  if (!data) return [];
  const samples = data.samples ?? data.rows;
  return [
    ["data", data.name],
    ["rows", samples === data.rows ? `all ${count(data.rows)}` : `${count(samples)} of ${count(data.rows)}`],
    ["shape", data.features && `${count(data.features)} features, ${count(data.outputs)} output${data.outputs === 1 ? "" : "s"}`],
    ["task", data.task],
    ["preprocessing", preprocessing[data.preprocess] ?? data.preprocess],
    ["seed", data.seed !== undefined && data.seed !== null ? String(data.seed) : null],
  ];
}

export function network_entries(network) {
  if (!network) return [];
  return [["network", `${network.depth} hidden layer${network.depth === 1 ? "" : "s"}, ${network.activation}` +
    (network.widths?.length ? `, ${network.widths.length > 1 ? "widths" : "width"} ${network.widths.map(count).join(", ")}` : network.width ? `, width ${count(network.width)}` : "")]];
}

export const noise_entry = (noise) => ["noise σ_n²", typeof noise === "number" ? plain(noise) : null];

export function run_entries(result, page_version) {
  return [
    ["version", `priorfit ${result.version ?? page_version}`],
    ["time", result.timing?.seconds === undefined ? null : duration(result.timing.seconds)],
    ["peak memory", result.memory?.peak_bytes ? bytes(result.memory.peak_bytes) : null],
  ];
}

export function notes(data) {
  const lines = data?.notes ?? [];
  return lines.length ? h("ul", { class: "notes" }, lines.map((line) => h("li", {}, line))) : null;
}

const most_columns = 30;

/** The columns of a table that something was done to; those taken as they are only counted. */
export function columns(data) {
  const all = data?.columns ?? [];
  if (!all.length) return null;
  const telling = all.filter((column) => column.becomes !== "as it is");
  const shown = telling.slice(0, most_columns), plain_ones = all.length - telling.length;
  const rest = [
    plain_ones && `${count(plain_ones)} more: numbers, as they are`,
    telling.length > shown.length && `${count(telling.length - shown.length)} more`,
  ].filter(Boolean);
  return h("section", { class: "wide", "data-part": "columns" },
    h("h3", {}, "Columns"),
    data.dialect && h("p", { class: "note" }, data.dialect),
    h("div", { class: "table" }, h("table", {},
      h("thead", {}, h("tr", {}, ["column", "kind", "missing", "distinct", "becomes"].map((name) => h("th", { scope: "col", class: ["missing", "distinct"].includes(name) ? "numeric" : "" }, name)))),
      h("tbody", {}, shown.map((column) => h("tr", {},
        h("th", { scope: "row" }, column.name), h("td", {}, column.kind),
        h("td", { class: "numeric" }, column.missing ? count(column.missing) : ""),
        h("td", { class: "numeric" }, column.distinct ? count(column.distinct) : ""),
        h("td", {}, column.becomes)))))),
    rest.length ? h("p", { class: "note" }, rest.join("; ")) : null);
}

/** `file`: { name, content } that the command reads from the result folder. */
export function command(result, file) {
  if (!result.command) return null;
  return h("section", { class: "again" },
    h("h3", {}, "Make it again"),
    code(result.command, "the command", words(result.command)),
    file?.content && [h("p", { class: "note" }, `with ${file.name}, as it is in the result folder:`), h("div", { class: "file" }, code(file.content.trimEnd(), file.name))]);
}

const words = (line) => line.split(" ").flatMap((word, i) => [i > 0 && " ", h("span", {}, word)]);

/** The figures a result is about, in a row. [[value, name, remark], …] */
export function figures(entries) {
  return h("dl", { class: "figures" }, entries.map(([value, name, remark]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, value, remark && h("span", { class: "remark" }, remark)))));
}

export const intro = (kicker, heading, ...lead) =>
  h("header", {}, h("p", { class: "kicker" }, kicker), h("h2", {}, heading), lead.filter(Boolean).map((p) => h("p", { class: "lead" }, p)));
