// Drawings of a single component: bars, image, curve, histogram.

/** Text with every match of `query` highlighted. */
function highlightMatches(text, query) {
  const at = query === "" ? -1 : text.toLowerCase().indexOf(query);
  // In a few scripts lower case has another length; then nothing is highlighted.
  if (at < 0 || text.toLowerCase().length !== text.length) return [text];
  const end = at + query.length;
  return [text.slice(0, at), el("mark", {}, text.slice(at, end)), ...highlightMatches(text.slice(end), query)];
}

/** Bars of the most relevant features: the first few, with a button for the rest. `longest` is the value of a full bar. */
function bars(features, query, longest, first = 10) {
  const row = ({ name, value, lift }) => {
    const length = el("div", { class: "fill" });
    length.style.width = `${(100 * Math.abs(value)) / longest}%`;
    return el("li", { class: value < 0 ? "negative" : null }, length, el("span", {}, highlightMatches(name, query)), el("span", { class: "value" }, number(value)), el("span", { class: "lift", title: "times its mean over all components" }, liftText(lift)));
  };
  const list = el("ol", { class: "bars" }, features.slice(0, first).map(row));
  if (features.length <= first) return [list];
  const more = el("button", { type: "button", class: "plain", onclick: () => {
    list.append(...features.slice(first).map(row));
    more.remove();
  } }, `${features.length - first} more`);
  const hit = query !== "" && features.slice(first).some(({ name }) => name.toLowerCase().includes(query));
  if (hit) more.click();
  return [list, hit ? null : more];
}

/** The value of the longest bar of a component, the same for every position of the slider. */
const longestBar = (item) => Math.max(...item.features.map(([, value]) => Math.abs(value)));

/** The bars as a drawing, to be saved. */
function barsDrawing(features, item) {
  const [left, right, height] = [190, 300, 22];
  const longest = longestBar(item);
  const rows = features.flatMap(({ name, value, lift }, i) => {
    const y = 34 + i * height;
    return [svg("text", { x: left - 8, y: y + 12, "text-anchor": "end" }, shortened(name, 26)),
      svg("rect", { class: value < 0 ? "column below" : "column", x: left, y, width: Math.max(0.5, (right * Math.abs(value)) / longest).toFixed(1), height: height - 6 }),
      svg("text", { x: left + (right * Math.abs(value)) / longest + 6, y: y + 12 }, `${number(value)} (${liftText(lift)})`)];
  });
  return svg("svg", { class: "small-plot", viewBox: `0 0 620 ${44 + features.length * height}` },
    svg("text", { class: "title", x: 8, y: 18 }, shortened(nameOf(item), 80)), rows);
}

/** A canvas with the pixels of an image; `colourOf` turns a byte into a colour. */
function pixels({ height, width, pixels: encoded }, colourOf, label) {
  const canvas = el("canvas", { class: "picture", role: "img", "aria-label": `${label}, ${width} by ${height} pixels` });
  const bytes = atob(encoded);
  paint(canvas, width, height, (y, x) => colourOf(bytes.charCodeAt(y * width + x)));
  return canvas;
}

function image(grey, label) {
  return [pixels(grey, greyColour, `Image of ${label}`), el("p", { class: "small muted ends-of-grey" }, `black ${number(grey.black)} · white ${number(grey.white)}`)];
}

/** An image as a drawing, to be saved. */
function pixelDrawing(canvas) {
  const zoom = Math.max(1, Math.round(400 / canvas.width));
  const [width, height] = [canvas.width * zoom, canvas.height * zoom];
  return svg("svg", { viewBox: `0 0 ${width} ${height}` }, svg("image", { href: canvas.toDataURL(), width, height, class: "pixelated" }));
}

/** A component as a curve over the axis of its features. */
function componentCurve({ positions, values }, axis, nFeatures, label, [width, height] = [300, 130]) {
  const margin = { left: 4, right: 4, top: 8, bottom: 20 };
  const feature = (i) => positions[i] ?? i;
  const coordinate = (i) => axis[feature(i)] ?? feature(i);
  const last = nFeatures - 1;
  const ends = axis.length > 0 ? [axis[0], axis[last]] : [0, last];
  const x = scale({ domain: ends[0] === ends[1] ? [ends[0] - 1, ends[1] + 1] : ends, range: [margin.left, width - margin.right] });
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const y = scale({ domain: [low, high > low ? high : 1], range: [height - margin.bottom, margin.top] });
  const at = (i) => `${x.toPixel(coordinate(i)).toFixed(1)} ${y.toPixel(values[i]).toFixed(1)}`;
  const line = values.map((_, i) => at(i)).join("L");
  const zero = y.toPixel(0).toFixed(1);
  const readout = el("p", { class: "small muted", style: "margin: .3rem 0 0" }, "\u00a0");
  const cursor = svg("line", { class: "cursor", y1: margin.top, y2: height - margin.bottom, visibility: "hidden" });
  const peak = values.reduce((best, value, i) => (Math.abs(value) > Math.abs(values[best]) ? i : best), 0);
  const showValue = (i) => { readout.textContent = `${number(values[i])} at ${number(coordinate(i))}`; };
  const showPeak = () => { cursor.setAttribute("visibility", "hidden"); readout.textContent = `largest: ${number(values[peak])} at ${number(coordinate(peak))}`; };
  const plot = svg("svg", { class: "small-plot", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Curve of ${label}`,
    onpointermove: (event) => {
      const box = plot.getBoundingClientRect();
      const pointer = ((event.clientX - box.left) / box.width) * width;
      let best = 0;
      values.forEach((_, i) => { if (Math.abs(x.toPixel(coordinate(i)) - pointer) < Math.abs(x.toPixel(coordinate(best)) - pointer)) best = i; });
      fill(cursor, { x1: x.toPixel(coordinate(best)), x2: x.toPixel(coordinate(best)), visibility: "visible" }, []);
      showValue(best);
    },
    onpointerleave: showPeak },
  svg("path", { class: "area", d: `M${x.toPixel(coordinate(0)).toFixed(1)} ${zero}L${line}L${x.toPixel(coordinate(values.length - 1)).toFixed(1)} ${zero}Z` }),
  svg("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: zero, y2: zero }),
  svg("path", { class: "line", d: `M${line}` }),
  cursor,
  svg("text", { x: margin.left, y: height - 4 }, number(ends[0])),
  svg("text", { x: width - margin.right, y: height - 4, "text-anchor": "end" }, number(ends[1])));
  showPeak();
  return [plot, readout];
}

/** A histogram of weights. Weights below the threshold are pale, and cut off if they would dwarf the rest. */
function histogram({ largest, counts, below, threshold }, label, [width, height] = [220, 116]) {
  const [bottom, top] = [height - 22, 16];
  const most = Math.max(...counts) || Math.max(1, ...below);
  const unit = width / counts.length;
  const barHeight = (n) => (n === 0 ? 0 : Math.max(1.5, (n / most) * (bottom - top)));
  const column = (i, from, length, name) => svg("rect", { class: name, x: (i * unit + 0.75).toFixed(2), y: (from - length).toFixed(2), width: (unit - 1.5).toFixed(2), height: length.toFixed(2) });
  const range = (i) => `${number((i / counts.length) * largest)} to ${number(((i + 1) / counts.length) * largest)}`;
  let cut = 0;
  const columns = counts.map((n, i) => {
    const solid = barHeight(n);
    const pale = Math.min(barHeight(below[i]), bottom - solid);
    if (pale < barHeight(below[i])) cut += below[i];
    return svg("g", {}, column(i, bottom, solid, "column"), pale > 0 && column(i, bottom - solid, pale, "column below"),
      svg("title", {}, `${range(i)}: ${count(n, "sample")}${below[i] > 0 ? `, and ${number(below[i])} below the threshold` : ""}`));
  });
  const at = isNumber(threshold) ? Math.min(width - 1, Math.max(1, (threshold / largest) * width)) : null;
  return svg("svg", { class: "small-plot", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Histogram of the weights of ${label}` },
    svg("line", { class: "grid", x1: 0, x2: width, y1: bottom, y2: bottom }),
    columns,
    at !== null && svg("line", { class: "threshold", x1: at, x2: at, y1: 0, y2: bottom }),
    cut > 0 && svg("text", { x: Math.max(unit, at) + 5, y: 10 }, `↑ ${number(cut)} below the threshold`),
    svg("text", { x: 0, y: height - 6 }, "0"),
    svg("text", { x: width, y: height - 6, "text-anchor": "end" }, number(largest)));
}
