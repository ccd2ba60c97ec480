// The frame of a line chart, and its curves. Series differ by colour, dashes and marks, so that no one has to tell
// them apart by colour.

const DASHES = [null, "7 4", "2 4", "10 3 2 3", "4 2", "12 4"];
const MARKS = [
  (x, y) => svg("circle", { cx: x, cy: y, r: 3.5, class: "dot" }),
  (x, y) => svg("rect", { x: x - 3.2, y: y - 3.2, width: 6.4, height: 6.4, class: "dot" }),
  (x, y) => svg("path", { d: `M${x} ${y - 4.2}L${x + 4.2} ${y + 3}L${x - 4.2} ${y + 3}Z`, class: "dot" }),
  (x, y) => svg("path", { d: `M${x} ${y - 4.6}L${x + 4.6} ${y}L${x} ${y + 4.6}L${x - 4.6} ${y}Z`, class: "dot" }),
  (x, y) => svg("path", { d: `M${x - 4.2} ${y - 3}L${x + 4.2} ${y - 3}L${x} ${y + 4.2}Z`, class: "dot" }),
  (x, y) => svg("path", { d: `M${x - 3.6} ${y - 3.6}L${x + 3.6} ${y + 3.6}M${x - 3.6} ${y + 3.6}L${x + 3.6} ${y - 3.6}`, class: "dot" }),
];
/** Marks of one series, at most: more would hide the line. */
const MARKS_PER_SERIES = 12;

function legend(series) {
  const sample = (i) => svg("svg", { class: `ink-${i % 6}`, viewBox: "0 0 34 14", "aria-hidden": "true" },
    svg("path", { d: "M1 7H33", class: "line", "stroke-dasharray": DASHES[i % 6] }), MARKS[i % 6](17, 7));
  return el("ul", { class: "legend" }, series.map(({ name }, i) => el("li", {}, sample(i), name)));
}

function axes(spec, { x, left, right, width, height, edge, narrow }) {
  const parts = [];
  const bottom = height - edge.bottom;
  for (const { value, text } of left.ticks(narrow ? 5 : 7)) {
    const y = left.place(value);
    parts.push(svg("line", { class: "grid", x1: edge.left, x2: width - edge.right, y1: y, y2: y }));
    parts.push(svg("text", { x: edge.left - 8, y: y + 4, "text-anchor": "end" }, text));
  }
  if (right) {
    for (const { value, text } of right.ticks(narrow ? 4 : 6)) {
      parts.push(svg("text", { x: width - edge.right + 8, y: right.place(value) + 4 }, text));
    }
    parts.push(svg("text", { class: "title", x: width, y: 12, "text-anchor": "end" }, spec.right.label));
  }
  for (const { value, text } of x.ticks(narrow ? 4 : 8)) {
    const at = x.place(value);
    parts.push(svg("line", { class: "grid", x1: at, x2: at, y1: bottom, y2: bottom + 5 }));
    parts.push(svg("text", { x: at, y: bottom + 18, "text-anchor": "middle" }, text));
  }
  parts.push(svg("text", { class: "title", x: 0, y: 12 }, spec.left.label));
  parts.push(svg("text", { class: "title", x: (edge.left + width - edge.right) / 2, y: height - 4, "text-anchor": "middle" }, spec.x.label));
  return parts;
}

/** One series within the frame, cut where the zoom ends and open where a value has no place on the axis. */
function curve(series, i, x, y, [from, to]) {
  const clip = `clip-${Math.random().toString(36).slice(2)}`;
  const visible = series.points.filter(([place, value]) => isNumber(place) && isNumber(value) && value > 0);
  let path = "";
  let pen = "M";
  for (const [place, value] of series.points) {
    if (!isNumber(place) || !isNumber(value) || value <= 0) {
      pen = "M";
      continue;
    }
    path += `${pen}${x.place(place).toFixed(1)} ${y.place(value).toFixed(1)}`;
    pen = "L";
  }
  const within = visible.filter(([place]) => x.place(place) >= from - 1 && x.place(place) <= to + 1);
  const every = Math.max(1, Math.ceil(within.length / MARKS_PER_SERIES));
  const marked = within.filter((_, at) => (at + i) % every === 0);
  return svg("g", { class: `ink-${i % 6}`, "data-series": series.name },
    svg("clipPath", { id: clip }, svg("rect", { x: from - 5, y: 0, width: to - from + 10, height: 9999 })),
    svg("path", { class: "line", d: path || "M0 0", "stroke-dasharray": DASHES[i % 6], "clip-path": `url(#${clip})` }),
    marked.map(([place, value]) => MARKS[i % 6](x.place(place), y.place(value))));
}
