// Additional sections: text, tables and drawings.

const ALLOWED = new Set(["svg", "g", "path", "line", "polyline", "polygon", "rect", "circle", "ellipse", "text", "tspan", "image", "title", "desc", "defs", "clippath", "lineargradient", "radialgradient", "stop", "marker", "use", "pattern", "mask"]);

/** An SVG drawing, without scripts and external references. */
function drawing(source, title) {
  const parsed = new DOMParser().parseFromString(source, "image/svg+xml");
  const root = parsed.documentElement;
  if (root.localName !== "svg") return el("p", { class: "nothing" }, "This drawing cannot be read.");
  for (const node of [root, ...root.querySelectorAll("*")]) {
    if (!ALLOWED.has(node.localName.toLowerCase())) {
      node.remove();
      continue;
    }
    for (const { name, value } of [...node.attributes]) {
      const inside = value.startsWith("#") || (node.localName === "image" && value.startsWith("data:image/png;base64,"));
      const outside = /^(xlink:)?href$/i.test(name) && !inside;
      if (/^on/i.test(name) || outside) node.removeAttribute(name);
    }
  }
  fill(root, { role: "img", "aria-label": title }, []);
  const drawn = document.importNode(root, true);
  return el("div", { class: "drawing" }, drawn, saveButtons(title, { draw: () => drawn }));
}

function cell(value) {
  if (typeof value === "number") return number(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === null ? DASH : String(value);
}

function figure(content, title) {
  if (content.svg !== undefined) return drawing(content.svg, title);
  const { header, rows } = content.table;
  const numeric = header.map((_, i) => i).filter((i) => rows.length > 0 && rows.every((row) => row[i] === null || typeof row[i] === "number"));
  return el("div", { class: "figure" }, table(title, header, rows.map((row) => row.map(cell)), numeric), saveButtons(title, { rows: () => ({ header, rows }) }));
}

function extraSection({ title, text, figures }, i) {
  const paragraphs = text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== "");
  return el("section", { id: `section-${i}` }, el("h2", {}, title), paragraphs.map((paragraph) => el("p", {}, paragraph)), figures.map((content) => figure(content, title)));
}
