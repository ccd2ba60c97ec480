// A heat map of pairs of components: an image with one pixel per cell, and axes with the names of components.

/** A colour strip needs its ends as text; matrices with more rows have only some of their numbers on the axes. */
const MAX_NAMED_ROWS = 40;

/**
 * `spec()` returns {size, labels, valueAt(row, column) between −1 and 1, axis}; `onSelect(row, column)` is called with the
 * selected cell, or with nulls.
 */
function heatMap({ name, spec, onSelect }) {
  const plot = svg("svg", { class: "plot", tabindex: 0, role: "application", "aria-label": name });
  const host = el("div", { class: "map" }, plot);
  const canvas = el("canvas");
  const frame = svg("rect", { class: "cell", visibility: "hidden" });
  let [width, at, area] = [0, null, null];

  function draw() {
    if (width === 0) return;
    const { size, labels, valueAt, axis } = spec();
    const named = size <= MAX_NAMED_ROWS;
    const narrow = width < 420;
    const left = named && !narrow ? Math.min(150, width * 0.3) : 34;
    const [right, top, bottom] = [2, 4, 40];
    const side = width - left - right;
    area = { left, top, side, size };
    const colour = signedColours();
    paint(canvas, size, size, (row, column) => colour(valueAt(row, column)));
    const unit = side / size;
    // As many numbers as fit without touching.
    const every = Math.max(1, Math.ceil((named && !narrow ? 11 : 14) / unit));
    const apart = Math.max(1, Math.ceil(22 / unit));
    const font = Math.min(12, Math.max(9, unit * 0.8));
    const rows = labels.map(({ text, short }, i) => i % every === 0 && svg("text", { x: left - 6, y: top + (i + 0.5) * unit + 0.35 * font, "text-anchor": "end", style: `font-size: ${font}px` }, named && !narrow ? shortened(text, Math.floor((left - 8) / (0.54 * font))) : short));
    const columns = labels.map(({ short }, i) => i % apart === 0 && svg("text", { x: left + (i + 0.5) * unit, y: top + side + 14, "text-anchor": "middle", style: "font-size: 11px" }, short));
    fill(plot, { viewBox: `0 0 ${width} ${top + side + bottom}`, height: top + side + bottom }, []);
    plot.replaceChildren(
      svg("image", { class: "pixelated", href: canvas.toDataURL(), x: left, y: top, width: side, height: side, preserveAspectRatio: "none" }),
      svg("rect", { class: "frame", x: left, y: top, width: side, height: side }),
      ...[...rows, ...columns].filter(Boolean),
      svg("text", { class: "title", x: left + side / 2, y: top + side + 33, "text-anchor": "middle" }, axis),
      frame);
    drawCell();
  }

  function drawCell() {
    frame.setAttribute("visibility", at === null ? "hidden" : "visible");
    if (at === null || area === null) return;
    const { left, top, side, size } = area;
    // In a large matrix a cell is smaller than its frame, so the frame is drawn around it.
    const [unit, padding] = [side / size, size > 60 ? 3 : 0];
    fill(frame, { x: left + at[1] * unit - padding, y: top + at[0] * unit - padding, width: unit + 2 * padding, height: unit + 2 * padding }, []);
  }

  function select(row, column) {
    at = row === null ? null : [row, column];
    drawCell();
    onSelect(row, column);
  }

  const selectAtPointer = (event) => {
    if (area === null) return;
    const box = plot.getBoundingClientRect();
    const cell = (offset) => Math.floor((offset / area.side) * area.size);
    const [row, column] = [cell(event.clientY - box.top - area.top), cell(event.clientX - box.left - area.left)];
    if ([row, column].every((index) => index >= 0 && index < area.size)) select(row, column);
  };
  fill(plot, {
    onpointermove: selectAtPointer,
    onpointerdown: selectAtPointer,
    onkeydown: (event) => {
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (!step || area === null) return;
      event.preventDefault();
      const [row, column] = at ?? [0, 0];
      select(...[row + step[0], column + step[1]].map((next) => Math.min(area.size - 1, Math.max(0, next))));
    },
  }, []);
  redrawOnResize(plot, (now) => { width = now; draw(); });
  theme.onChange(draw);
  return { host, plot, draw, select };
}
