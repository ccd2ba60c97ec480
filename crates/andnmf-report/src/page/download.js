// Saves charts as SVG or PNG, and tables as CSV.

/** The properties of shapes and texts that style sheets may set: a drawing of its own needs them inside. */
const DRAWN_STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "opacity", "font-size", "font-weight", "text-anchor", "visibility", "image-rendering"];
const DRAWN_FONT = "system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";
/** The margin around saved drawings. */
const SAVED_MARGIN = 14;
/** PNG files have at least this width in pixels. */
const PNG_WIDTH = 1600;

/** The text of a drawing that needs no style sheet, with its size. */
function standalone(drawn, name) {
  // Only what is part of the page has computed styles.
  const outside = !drawn.isConnected && el("div", { class: "offscreen chart map", "aria-hidden": "true" }, drawn);
  if (outside) document.body.append(outside);
  const box = drawn.viewBox.baseVal;
  const [width, height] = box?.width > 0 ? [box.width, box.height] : [drawn.clientWidth, drawn.clientHeight];
  const copy = drawn.cloneNode(true);
  const [from, to] = [drawn, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const property of DRAWN_STYLES) {
      const value = style.getPropertyValue(property);
      if (value) to[i].setAttribute(property, value.replace(/^url\("?(#[^")]*)"?\)$/, "url($1)"));
    }
    for (const attribute of ["class", "tabindex", "role"]) to[i].removeAttribute(attribute);
  });
  const [across, down] = [width + 2 * SAVED_MARGIN, height + 2 * SAVED_MARGIN];
  const place = { x: -SAVED_MARGIN, y: -SAVED_MARGIN, width: across, height: down };
  const ground = svg("rect", { ...place, fill: theme.colour("surface") });
  fill(copy, { xmlns: SVG, viewBox: `${place.x} ${place.y} ${across} ${down}`, width: across, height: down, "font-family": DRAWN_FONT }, []);
  copy.prepend(svg("title", {}, name), ground);
  if (outside) outside.remove();
  return { text: new XMLSerializer().serializeToString(copy), width: across, height: down };
}

function saveFile(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: name });
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const saveText = (name, type, text) => saveFile(name, new Blob([text], { type: `${type};charset=utf-8` }));

/** Draws on a canvas, at least PNG_WIDTH pixels wide. */
async function savePng(name, { text, width, height }) {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await picture.decode();
  const zoom = Math.max(2, PNG_WIDTH / width);
  const canvas = el("canvas", { width: Math.round(width * zoom), height: Math.round(height * zoom) });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => saveFile(name, blob), "image/png");
}

const csvCell = (value) => {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = ({ header, rows }) => [header, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");

/** The name of a file: that of the page and of the chart, without signs that systems forbid. */
function fileName(name, extension) {
  const safe = (text) => text.normalize("NFC").replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "").slice(0, 60);
  return `${[safe(report.title), safe(name)].filter(Boolean).join("-")}.${extension}`;
}

/** Buttons that save a chart (`draw` returns an SVG element) and its numbers (`rows` returns header and rows). */
function saveButtons(name, { draw, rows, shown = "Save" }) {
  const button = (kind, save) => el("button", { type: "button", class: "plain", "aria-label": `Save ${name} as ${kind}`, "data-save": kind, onclick: save }, kind);
  const drawn = () => standalone(draw(), name);
  return el("p", { class: "save" }, el("span", { "aria-hidden": "true" }, shown),
    draw && button("SVG", () => saveText(fileName(name, "svg"), "image/svg+xml", drawn().text)),
    draw && button("PNG", () => savePng(fileName(name, "png"), drawn())),
    rows && button("CSV", () => saveText(fileName(name, "csv"), "text/csv", csv(rows()))));
}
