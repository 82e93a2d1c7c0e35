// Elements are built from text only, never from markup, so that nothing a data file holds can become an element.

/** h("p", { class: "note" }, "text", child, …); null and false children are left out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false).map(node));
  return element;
}

/** Plain text is set with real subscripts: "σ_w² = 2" → σ<sub>w</sub>² = 2. */
function node(child) {
  return typeof child === "string" || typeof child === "number" ? text(String(child)) : child;
}

export function text(string) {
  const fragment = document.createDocumentFragment();
  for (const [index, part] of string.split(/σ_([wbn])²/).entries()) {
    if (index % 2 === 0) fragment.append(index ? part.replace(/^ = /, "\u00a0=\u00a0") : part);
    else fragment.append(symbol(part));
  }
  return fragment;
}

function symbol(letter) {
  const span = document.createElement("span");
  span.className = "symbol";
  const sub = document.createElement("sub");
  sub.textContent = letter;
  span.append("σ", sub, "²");
  return span;
}

const svg = "http://www.w3.org/2000/svg";

/** The same for the texts of a drawing, where subscripts are shifted spans. */
export function set_symbols(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) if (/σ_[wbn]²/.test(walker.currentNode.data)) found.push(walker.currentNode);
  for (const place of found) {
    const parts = place.data.split(/σ_([wbn])²/);
    const pieces = parts.flatMap((part, index) => (index % 2 === 0 ? [part] : svg_symbol(part)));
    place.replaceWith(...pieces.filter((piece) => piece !== ""));
  }
}

function svg_symbol(letter) {
  const span = (content, attributes) => {
    const element = document.createElementNS(svg, "tspan");
    element.textContent = content;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  // dy counts in the span's own size: 0.3 of 75 % down, 0.225 of 100 % up again.
  return ["σ", span(letter, { dy: "0.3em", "font-size": "75%" }), span("²", { dy: "-0.225em" })];
}

/** A real table: columns are { head, cell(row), numeric }, rows anything; `mark(row)` gives a row's class. */
export function table(columns, rows, { caption, mark } = {}) {
  return h("div", { class: "table", tabindex: "0", role: "region", "aria-label": caption ?? "values" },
    h("table", { class: columns.length > 6 && "many" },
      caption && h("caption", {}, caption),
      h("thead", {}, h("tr", {}, columns.map((c) => h("th", { scope: "col", class: c.numeric && "numeric" }, c.head)))),
      h("tbody", {}, rows.map((row) => h("tr", { class: mark?.(row) },
        columns.map((c) => h(c.row_head ? "th" : "td", { scope: c.row_head && "row", class: c.numeric && "numeric" },
          c.cell(row) ?? "—")))))));
}
