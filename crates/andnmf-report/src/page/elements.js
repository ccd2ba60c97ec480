// Helpers that create elements. Text is always inserted as text, so names of features cannot contain markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** A table that scrolls horizontally on narrow screens; columns listed in `numeric` are right-aligned. */
function table(name, header, rows, numeric = []) {
  const align = (column) => (numeric.includes(column) ? "number" : null);
  const head = el("tr", {}, header.map((text, i) => el("th", { scope: "col", class: align(i) }, text)));
  const body = rows.map((row) => {
    const cells = row.cells ?? row;
    return el("tr", { class: row.class }, cells.map((cell, i) => el("td", { class: align(i) }, cell)));
  });
  const whole = el("table", { "aria-label": name }, el("thead", {}, head), el("tbody", {}, body));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, whole);
}

/** A labelled drop-down list; `options` are pairs of value and text. */
function choice(label, options, chosen, changed) {
  const entries = options.map(([value, text]) => el("option", { value, selected: value === chosen }, text));
  const select = el("select", { onchange: () => changed(select.value) }, entries);
  return el("label", {}, label, select);
}

/** Draws now and on every change of width. */
function redrawOnResize(host, draw) {
  let width = 0;
  const update = () => {
    const now = Math.round(host.getBoundingClientRect().width);
    if (now > 0 && now !== width) draw((width = now));
  };
  new ResizeObserver(update).observe(host);
}
