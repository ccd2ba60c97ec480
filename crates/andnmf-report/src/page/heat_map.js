// A heat map of correlations: a canvas with one pixel per cell, enlarged by CSS.

function rgb(text) {
  const digits = text.replace("#", "");
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
}

/** The colour of a correlation: from the background towards one of two colours. */
function correlationColours() {
  const [background, positive, negative] = ["surface", "accent", "series-1"].map((name) => rgb(theme.colour(name)));
  return (value) => {
    const end = value < 0 ? negative : positive;
    const share = Math.min(1, Math.abs(value)) ** 0.8;
    return background.map((from, i) => Math.round(from + share * (end[i] - from)));
  };
}

function paint(canvas, width, height, valueAt) {
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  const picture = context.createImageData(width, height);
  const colour = correlationColours();
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) picture.data.set([...colour(valueAt(y, x)), 255], 4 * (y * width + x));
  }
  context.putImageData(picture, 0, 0);
}

function colourScale() {
  const canvas = el("canvas", { "aria-hidden": "true" });
  const draw = () => paint(canvas, 201, 1, (_, x) => (x - 100) / 100);
  draw();
  theme.onChange(draw);
  return el("div", { class: "ramp" }, "−1", canvas, "+1");
}

/** `valueAt(row, column)` for 0…size−1; `onSelect(row, column)` is called with the selected cell, or with nulls. */
function heatMap({ name, size, valueAt, onSelect }) {
  const canvas = el("canvas", { "aria-hidden": "true" });
  const cell = el("div", { class: "cell", hidden: true });
  const host = el("div", { class: "map", tabindex: 0, role: "application", "aria-label": name }, canvas, cell);
  let at = null;

  function select(row, column) {
    at = row === null ? null : [row, column];
    cell.hidden = at === null;
    if (at) {
      const [unit, padding] = [100 / size, size > 60 ? 3 : 0];
      // In a large matrix a cell is smaller than its frame, so the frame is drawn around it.
      cell.style.left = `calc(${column * unit}% - ${padding}px)`;
      cell.style.top = `calc(${row * unit}% - ${padding}px)`;
      cell.style.width = cell.style.height = `calc(${unit}% + ${2 * padding}px)`;
    }
    onSelect(row, column);
  }

  const selectAtPointer = (event) => {
    const box = canvas.getBoundingClientRect();
    const inside = (offset, length) => Math.min(size - 1, Math.max(0, Math.floor((offset / length) * size)));
    select(inside(event.clientY - box.top, box.height), inside(event.clientX - box.left, box.width));
  };
  fill(host, {
    onpointermove: selectAtPointer,
    onpointerdown: selectAtPointer,
    onkeydown: (event) => {
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (!step) return;
      event.preventDefault();
      const [row, column] = at ?? [0, 0];
      select(...[row + step[0], column + step[1]].map((next) => Math.min(size - 1, Math.max(0, next))));
    },
  }, []);

  const draw = () => paint(canvas, size, size, valueAt);
  draw();
  theme.onChange(draw);
  return { host, draw, select };
}
