// Drawings of a single component: bars, image, curve, histogram.

/** Text with every match of `query` highlighted. */
function highlightMatches(text, query) {
  const at = query === "" ? -1 : text.toLowerCase().indexOf(query);
  // In a few scripts lower case has another length; then nothing is highlighted.
  if (at < 0 || text.toLowerCase().length !== text.length) return [text];
  const end = at + query.length;
  return [text.slice(0, at), el("mark", {}, text.slice(at, end)), ...highlightMatches(text.slice(end), query)];
}

/** Bars of the strongest features: the first few, with a button for the rest. */
function bars(top, query) {
  const first = 10;
  const largest = Math.max(...top.map(([, value]) => Math.abs(value)));
  const row = ([name, value]) => {
    const length = el("div", { class: "fill" });
    length.style.width = `${(100 * Math.abs(value)) / largest}%`;
    return el("li", { class: value < 0 ? "negative" : null }, length, el("span", {}, highlightMatches(name, query)), el("span", { class: "value" }, number(value)));
  };
  const list = el("ol", { class: "bars" }, top.slice(0, first).map(row));
  if (top.length <= first) return [list];
  const more = el("button", { type: "button", class: "plain", onclick: () => {
    list.append(...top.slice(first).map(row));
    more.remove();
  } }, `${top.length - first} more`);
  const hit = query !== "" && top.slice(first).some(([name]) => name.toLowerCase().includes(query));
  if (hit) more.click();
  return [list, hit ? null : more];
}

function image({ height, width, black, white, pixels }, label) {
  const canvas = el("canvas", { class: "picture", width, height, role: "img", "aria-label": `Image of ${label}, ${width} by ${height} pixels` });
  const bytes = atob(pixels);
  const context = canvas.getContext("2d");
  const picture = context.createImageData(width, height);
  for (let i = 0; i < bytes.length; i += 1) {
    const grey = bytes.charCodeAt(i);
    picture.data.set([grey, grey, grey, 255], 4 * i);
  }
  context.putImageData(picture, 0, 0);
  return [canvas, el("p", { class: "small muted", style: "margin: .5rem 0 0; text-align: center" }, `black ${number(black)} · white ${number(white)}`)];
}

/** A component as a curve over the axis of its features. */
function componentCurve({ positions, values }, axis, nFeatures, label) {
  const [width, height, margin] = [300, 130, { left: 4, right: 4, top: 8, bottom: 20 }];
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
function histogram({ largest, counts, below, threshold }, label) {
  const [width, height, bottom, top] = [220, 116, 94, 16];
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
