// Scales from values to pixels, and axis ticks at round values.

/** About `target` round values within the range. */
function linearTicks([low, high], target) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / Math.max(1, target);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) ticks.push(i * step);
  return ticks.map((value) => Number(value.toPrecision(12)));
}

/** Powers of ten within the range: every second, third… if there are too many, also 2 and 5 if there are too few. */
function logTicks([low, high], target) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const step = Math.max(1, Math.ceil((last - first) / target));
  const factors = last - first < 2 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let exponent = Math.floor((first - 1) / step) * step; exponent <= last; exponent += step) {
    ticks.push(...factors.map((factor) => Number((factor * 10 ** exponent).toPrecision(3))));
  }
  const within = ticks.filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
  return within.length >= 2 ? within : [low, high];
}

/** A scale from a domain to pixels. */
function scale({ log, domain, range }) {
  const [to, back] = log ? [Math.log10, (v) => 10 ** v] : [(v) => v, (v) => v];
  const [low, high] = domain.map(to);
  const span = high - low || 1;
  const toPixel = (value) => range[0] + ((to(value) - low) / span) * (range[1] - range[0]);
  const invert = (pixel) => back(low + ((pixel - range[0]) / (range[1] - range[0])) * span);
  const ticks = (target) => labelTicks((log ? logTicks : linearTicks)(domain, target), log);
  return { toPixel, invert, ticks };
}

/** Ticks with labels, as powers of ten if plain numbers would be long. */
function labelTicks(values, log) {
  const plain = !log || values.every((value) => value >= 1e-3 && value < 1e5);
  const power = (value) => {
    const exponent = Math.round(Math.log10(value));
    return Math.abs(10 ** exponent / value - 1) < 1e-9 ? (exponent === 0 ? "1" : `10${raised(exponent)}`) : number(Number(value.toPrecision(2)));
  };
  return values.map((value) => ({ value, text: plain ? number(log ? Number(value.toPrecision(2)) : value) : power(value) }));
}

/** The range of values, padded so that lines do not touch the frame. */
function paddedRange(values, log) {
  const usable = values.filter((value) => isNumber(value) && (!log || value > 0));
  if (usable.length === 0) return null;
  let [low, high] = [Infinity, -Infinity];
  for (const value of usable) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (log) {
    const padding = 10 ** Math.max(0.05 * Math.log10(high / low), 0.1);
    return [low / padding, high * padding];
  }
  const padding = high > low ? 0 : Math.max(Math.abs(high), 1) / 2;
  return [low - padding, high + padding];
}
