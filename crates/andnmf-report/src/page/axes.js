// The axes and curves of a line chart. Series differ in colour, dashes and markers, so that colour alone is not needed.

const DASHES = [null, "7 4", "2 4", "10 3 2 3", "4 2", "12 4"];
const MARKERS = [
  (x, y) => svg("circle", { cx: x, cy: y, r: 3.5, class: "dot" }),
  (x, y) => svg("rect", { x: x - 3.2, y: y - 3.2, width: 6.4, height: 6.4, class: "dot" }),
  (x, y) => svg("path", { d: `M${x} ${y - 4.2}L${x + 4.2} ${y + 3}L${x - 4.2} ${y + 3}Z`, class: "dot" }),
  (x, y) => svg("path", { d: `M${x} ${y - 4.6}L${x + 4.6} ${y}L${x} ${y + 4.6}L${x - 4.6} ${y}Z`, class: "dot" }),
  (x, y) => svg("path", { d: `M${x - 4.2} ${y - 3}L${x + 4.2} ${y - 3}L${x} ${y + 4.2}Z`, class: "dot" }),
  (x, y) => svg("path", { d: `M${x - 3.6} ${y - 3.6}L${x + 3.6} ${y + 3.6}M${x - 3.6} ${y + 3.6}L${x + 3.6} ${y - 3.6}`, class: "dot" }),
];
/** Maximum number of markers per series: more would hide the line. */
const MAX_MARKERS = 12;

function legend(series) {
  const sample = (i) => svg("svg", { class: `ink-${i % 6}`, viewBox: "0 0 34 14", "aria-hidden": "true" },
    svg("path", { d: "M1 7H33", class: "line", "stroke-dasharray": DASHES[i % 6] }), MARKERS[i % 6](17, 7));
  return el("ul", { class: "legend" }, series.map(({ name }, i) => el("li", {}, sample(i), name)));
}

function axes(spec, { x, left, right, width, height, margin, narrow }) {
  const parts = [];
  const bottom = height - margin.bottom;
  for (const { value, text } of left.ticks(narrow ? 5 : 7)) {
    const y = left.toPixel(value);
    parts.push(svg("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: y, y2: y }));
    parts.push(svg("text", { x: margin.left - 8, y: y + 4, "text-anchor": "end" }, text));
  }
  if (right) {
    for (const { value, text } of right.ticks(narrow ? 4 : 6)) {
      parts.push(svg("text", { x: width - margin.right + 8, y: right.toPixel(value) + 4 }, text));
    }
    parts.push(svg("text", { class: "title", x: width, y: 12, "text-anchor": "end" }, spec.right.label));
  }
  for (const { value, text } of x.ticks(narrow ? 4 : 8)) {
    const at = x.toPixel(value);
    parts.push(svg("line", { class: "grid", x1: at, x2: at, y1: bottom, y2: bottom + 5 }));
    parts.push(svg("text", { x: at, y: bottom + 18, "text-anchor": "middle" }, text));
  }
  parts.push(svg("text", { class: "title", x: 0, y: 12 }, spec.left.label));
  parts.push(svg("text", { class: "title", x: (margin.left + width - margin.right) / 2, y: height - 4, "text-anchor": "middle" }, spec.x.label));
  return parts;
}

/** A vertical line with a text at a horizontal value. */
function marked({ at, text }, x, height, margin) {
  const place = x.toPixel(at);
  return [svg("line", { class: "threshold", x1: place, x2: place, y1: margin.top, y2: height - margin.bottom }),
    svg("text", { class: "title", x: place + 6, y: margin.top + 12 }, text)];
}

/** One series, clipped to the zoomed range, with gaps at values that a logarithmic axis cannot show. */
function curve(series, i, x, y, [from, to]) {
  const clip = `clip-${Math.random().toString(36).slice(2)}`;
  const visible = series.points.filter(([xValue, value]) => isNumber(xValue) && isNumber(value) && value > 0);
  let path = "";
  let pen = "M";
  for (const [xValue, value] of series.points) {
    if (!isNumber(xValue) || !isNumber(value) || value <= 0) {
      pen = "M";
      continue;
    }
    path += `${pen}${x.toPixel(xValue).toFixed(1)} ${y.toPixel(value).toFixed(1)}`;
    pen = "L";
  }
  const within = visible.filter(([xValue]) => x.toPixel(xValue) >= from - 1 && x.toPixel(xValue) <= to + 1);
  const every = Math.max(1, Math.ceil(within.length / MAX_MARKERS));
  const marked = within.filter((_, at) => (at + i) % every === 0);
  return svg("g", { class: `ink-${i % 6}`, "data-series": series.name },
    svg("clipPath", { id: clip }, svg("rect", { x: from - 5, y: 0, width: to - from + 10, height: 9999 })),
    svg("path", { class: "line", d: path || "M0 0", "stroke-dasharray": DASHES[i % 6], "clip-path": `url(#${clip})` }),
    marked.map(([xValue, value]) => MARKERS[i % 6](x.toPixel(xValue), y.toPixel(value))));
}
