// What every chart has: a title, a legend, a drawing that follows the width, a sentence that says what to see, and the
// values as a table for those who do not hover.
import * as Plot from "@observablehq/plot";
import { symbol, symbolCircle, symbolCross, symbolDiamond2, symbolSquare2, symbolStar, symbolTriangle, symbolWye } from "d3";
import { h, set_symbols, table } from "./dom.js";

export const font = { fontSize: "12px", fontFamily: "inherit", overflow: "visible" };

/**
 * { kind, title, sentence, legend, draw(width) → svg, values: { columns, rows } }
 * `kind` names the chart for tests and style.
 */
export function chart({ kind, title, sentence, legend, draw, values, least = 220 }) {
  const stage = h("div", { class: "stage" });
  const element = h("figure", { class: "chart", "data-chart": kind },
    h("h3", {}, title),
    h("div", { class: "keys" }, legend),
    stage,
    h("figcaption", {}, sentence),
    values && h("details", {}, h("summary", {}, "Values"), table(values.columns, values.rows, { caption: title })));
  let drawn = 0, shown = 0;
  const show = (width) => {
    if (Math.abs(width - shown) < 2) return;
    shown = width;
    const svg = draw(Math.max(least, width));
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `${plain_text(title)}. ${plain_text(sentence)}`);
    set_symbols(svg);
    stage.replaceChildren(svg);
  };
  new ResizeObserver(([entry]) => {
    drawn = Math.floor(entry.contentRect.width);
    if (drawn > 0) show(drawn);
  }).observe(stage);
  addEventListener("beforeprint", () => show(print_width));
  addEventListener("afterprint", () => show(drawn));
  return element;
}

const print_width = 325;  // half of A4 or Letter: a drawing for the screen, made smaller, could not be read

const plain_text = (content) => [content].flat(Infinity).map((c) => (typeof c === "string" ? c : c?.textContent ?? "")).join("");

/** Hover: the nearest of `data` shows its `title`, whose first line stands out. */
export function hover(data, { by = Plot.pointer, ...options }) {
  return Plot.tip(data, by({
    lineWidth: 40,
    lineHeight: 1.35,
    textPadding: 9,
    pointerSize: 7,
    fontSize: 12,
    stroke: "var(--rule)",
    pathFilter: "drop-shadow(0 1px 3px rgb(0 0 0 / 0.18))",
    ...options,
    render(index, scales, values, dimensions, context, next) {
      const group = next(index, scales, values, dimensions, context);
      for (const first of group?.querySelectorAll("text > tspan:first-child") ?? []) first.setAttribute("font-weight", 600);
      if (group) set_symbols(group);
      return group;
    },
  }));
}

/** What JSON calls the schemes of candidates, and what readers do. */
export const marker_names = { he: "He", lecun: "LeCun", glorot: "Glorot", keras: "Keras's default", pytorch: "PyTorch's default" };

const shapes = {
  recommended: symbolCircle, design: symbolCircle, He: symbolDiamond2, LeCun: symbolTriangle, "Keras's default": symbolCross, evidence: symbolStar, other: symbolWye,
};

export const marker_shape = (name) => shapes[name] ?? symbolSquare2;
export const marker_color = (name) => (name === "recommended" || name === "design" ? "var(--accent)" : "var(--ink)");

/** Markers with a halo, so that they are seen on any ground. `x`, `y`: accessors of place. */
export function markers(data, { x, y, ...options }) {
  return Plot.dot(data, {
    x, y,
    r: 5.5,
    symbol: { value: (d) => marker_shape(d.marker ?? d.name), scale: null },
    fill: { value: (d) => marker_color(d.marker ?? d.name), scale: null },
    stroke: "var(--paper)",
    strokeWidth: 1.75,
    ...options,
  });
}

const svg = "http://www.w3.org/2000/svg";

function swatch(d, attributes) {
  const drawing = document.createElementNS(svg, "svg");
  drawing.setAttribute("viewBox", "-8 -8 16 16");
  drawing.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svg, "path");
  path.setAttribute("d", d);
  for (const [name, value] of Object.entries(attributes)) path.setAttribute(name, value);
  drawing.append(path);
  return drawing;
}

const shape_path = (shape) => symbol(shape, 95)();

/** A row of keys. Entries: { name, marker }, { name, color, dot | ring }, { name, hatch } or { name, color, width, dashed } for a line. */
export function legend(entries, ...more) {
  return h("div", { class: "legend" },
    entries.map((e) => h("span", { class: "key" }, key(e), h("span", {}, e.name))),
    more);
}

function key({ marker, dot, ring, hatch, color, dashed, width = 3 }) {
  if (hatch) return swatch("M-7,-7H7V7H-7ZM-7,0L0,-7M-7,7L7,-7M0,7L7,0", { fill: "none", stroke: "var(--quiet)", "stroke-width": 1.5 });
  if (marker) return swatch(shape_path(marker_shape(marker)), { fill: marker_color(marker) });
  if (ring) return swatch(shape_path(symbolCircle), { fill: "none", stroke: color, "stroke-width": 1.75 });
  if (dot) return swatch(shape_path(symbolCircle), { fill: color });
  return swatch("M-8,0H8", { stroke: color, "stroke-width": width, ...(dashed ? { "stroke-dasharray": "4,2" } : {}) });
}
