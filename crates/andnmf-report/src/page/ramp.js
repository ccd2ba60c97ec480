// Colours of values: from dark to bright for weights, towards one of two colours for correlations.

function rgb(text) {
  const digits = text.replace("#", "");
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
}

/** The colour of a signed value between −1 and 1: from the background towards one of two colours. */
function signedColours() {
  const [background, positive, negative] = ["surface", "accent", "series-1"].map((name) => rgb(theme.colour(name)));
  return (value) => {
    const end = value < 0 ? negative : positive;
    const share = Math.min(1, Math.abs(value)) ** 0.8;
    return background.map((from, i) => Math.round(from + share * (end[i] - from)));
  };
}

/** Dark blue, blue, green, yellow: brightness rises evenly, so that the order shows without colours too. */
const BRIGHTNESS_STOPS = ["#10153f", "#274b86", "#26838f", "#5cb86c", "#f4e84a"].map(rgb);

/** The colour of a byte. */
function brightnessColour(byte) {
  const at = (byte / 255) * (BRIGHTNESS_STOPS.length - 1);
  const first = Math.min(BRIGHTNESS_STOPS.length - 2, Math.floor(at));
  return BRIGHTNESS_STOPS[first].map((from, i) => Math.round(from + (at - first) * (BRIGHTNESS_STOPS[first + 1][i] - from)));
}

const greyColour = (byte) => [byte, byte, byte];

/** Sets every pixel of a canvas; `colourAt(row, column)` is red, green and blue. */
function paint(canvas, width, height, colourAt) {
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  const picture = context.createImageData(width, height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) picture.data.set([...colourAt(y, x), 255], 4 * (y * width + x));
  }
  context.putImageData(picture, 0, 0);
}

/** A strip of colours with its ends named. */
function colourStrip(from, to, colourAt) {
  const canvas = el("canvas", { "aria-hidden": "true" });
  const draw = () => { const colour = colourAt(); paint(canvas, 201, 1, (_, x) => colour(x / 200)); };
  draw();
  theme.onChange(draw);
  const ends = [from, to].map((text) => el("span", {}, text));
  /** The strip as a part of a drawing that is saved. */
  const drawn = (x, y, width) => [
    svg("image", { href: canvas.toDataURL(), x, y, width, height: 10, preserveAspectRatio: "none" }),
    svg("text", { x, y: y + 24 }, ends[0].textContent), svg("text", { x: x + width, y: y + 24, "text-anchor": "end" }, ends[1].textContent)];
  return { drawn, host: el("div", { class: "ramp" }, ends[0], canvas, ends[1]), name: (...texts) => texts.forEach((text, i) => { ends[i].textContent = text; }) };
}
