// Formats numbers, durations and keys for readers.

const DASH = "–";
const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const raised = (exponent) => [...String(exponent)].map((sign) => RAISED[sign]).join("");
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** Four significant digits; whole numbers in full, in groups of three. */
function number(value) {
  if (!isNumber(value)) return DASH;
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e12) return grouped(value);
  if (size >= 1e6 || size < 1e-3) {
    const [digits, exponent] = value.toExponential(3).split("e");
    return `${signed(String(Number(digits)))} × 10${raised(Number(exponent))}`;
  }
  return signed(size >= 1e4 ? grouped(Number(value.toPrecision(4))) : String(Number(value.toPrecision(4))));
}

const signed = (text) => text.replace(/^-/, "−");
const grouped = (value) => signed(String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f"));

/** A share in percent, unless it is tiny. */
function percent(share) {
  if (!isNumber(share)) return DASH;
  const hundredths = 100 * share;
  if (hundredths !== 0 && Math.abs(hundredths) < 0.01) return number(share);
  return `${signed(String(Number(hundredths.toPrecision(3))))} %`;
}

/** Three significant digits below two minutes, then minutes and hours. */
function duration(seconds) {
  if (!isNumber(seconds)) return DASH;
  if (seconds < 120) return `${number(Number(seconds.toPrecision(3)))} s`;
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${rest} s`;
}

/** Correlations with a sign and three decimals, so that they can be compared. */
const correlationText = (value) => (isNumber(value) ? `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}` : DASH);

/** Text of at most this many characters. */
const shortened = (text, most) => ([...text].length > most ? `${[...text].slice(0, Math.max(1, most - 1)).join("")}…` : text);

const readableKey = (key) => String(key).replace(/[_-]+/g, " ");
const count = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

const METHODS = { and: "AND", hals: "HALS", anls: "ANLS", mu: "Multiplicative updates", "poisson-nmf": "Poisson NMF", poisson_nmf: "Poisson NMF", lda: "Online LDA", "online-lda": "Online LDA", online_lda: "Online LDA", "anchor-words": "Anchor words", anchor_words: "Anchor words", "min-volume": "Minimum volume", min_volume: "Minimum volume" };
const methodName = (method) => METHODS[method] ?? String(method);
