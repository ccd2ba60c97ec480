// The section Errors: the estimated error of each component with its interval, and other answers that fit as well.

/** Smaller errors are drawn here: a logarithmic axis has no zero. */
const SMALLEST_ERROR = 1e-4;

function errorChart(items) {
  const plot = svg("svg", { class: "plot error-plot", tabindex: 0, role: "application", "aria-label": "Estimated error of each component; the arrow keys move between components" });
  const readout = el("p", { class: "readout", role: "status" }, "\u00a0");
  const judged = items.filter((item) => isNumber(errorOf(item))).sort((a, b) => errorOf(b) - errorOf(a) || a.number - b.number);
  let [width, at] = [0, null];

  function draw() {
    if (width === 0) return;
    const [height, margin] = [260, { left: 52, right: 10, top: 24, bottom: 40 }];
    const y = scale({ log: true, domain: [SMALLEST_ERROR, 1], range: [height - margin.bottom, margin.top] });
    const place = (value) => y.toPixel(Math.min(1, Math.max(SMALLEST_ERROR, value))).toFixed(1);
    const unit = (width - margin.left - margin.right) / judged.length;
    const every = Math.max(1, Math.ceil(24 / unit));
    const marks = judged.map((item, i) => {
      const x = (margin.left + (i + 0.5) * unit).toFixed(1);
      const { low, high } = item.error ?? {};
      return svg("g", { class: `judged${errorOf(item) > UNSTABLE ? " unstable" : ""}${i === at ? " selected" : ""}`, "data-error": item.number, onpointerenter: () => show(i), onclick: () => links.open(`#component-${item.number}`) },
        svg("rect", { class: "hit", x: (margin.left + i * unit).toFixed(1), y: margin.top, width: unit.toFixed(1), height: height - margin.top - margin.bottom }),
        item.error && svg("line", { class: "whisker", x1: x, x2: x, y1: place(low), y2: place(high) }),
        svg("circle", { cx: x, cy: place(errorOf(item)), r: Math.min(4.5, Math.max(1.5, unit / 3)).toFixed(1) }),
        i % every === 0 && svg("text", { x, y: height - margin.bottom + 16, "text-anchor": "middle" }, String(item.number)),
        svg("title", {}, text(item)));
    });
    fill(plot, { viewBox: `0 0 ${width} ${height}`, height }, []);
    plot.replaceChildren(
      ...y.ticks(5).flatMap(({ value, text: label }) => [
        svg("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: y.toPixel(value), y2: y.toPixel(value) }),
        svg("text", { x: margin.left - 8, y: y.toPixel(value) + 4, "text-anchor": "end" }, value === SMALLEST_ERROR ? `≤ ${label}` : label)]),
      svg("line", { class: "threshold", x1: margin.left, x2: width - margin.right, y1: place(UNSTABLE), y2: place(UNSTABLE) }),
      svg("text", { class: "title", x: 0, y: 12 }, "estimated error (sine, logarithmic)"),
      svg("text", { class: "title", x: (margin.left + width - margin.right) / 2, y: height - 4, "text-anchor": "middle" }, "component, least certain first"),
      ...marks);
  }

  const text = (item) => `${nameOf(item)}: ${number(errorOf(item))}${item.error ? ` (${number(item.error.low)} to ${number(item.error.high)})` : ""}`;
  function show(i) {
    at = i;
    readout.textContent = text(judged[i]);
    plot.querySelectorAll(".judged").forEach((mark, j) => mark.classList.toggle("selected", j === i));
  }
  fill(plot, { onkeydown: (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) show(at === null ? 0 : Math.min(judged.length - 1, Math.max(0, at + step)));
    else if (event.key === "Enter" && at !== null) links.open(`#component-${judged[at].number}`);
    else return;
    event.preventDefault();
  } }, []);
  redrawOnResize(plot, (now) => { width = now; draw(); });
  const rows = () => ({ header: ["component", "name", "error", "low", "high"], rows: judged.map((item) => [item.number, item.label, errorOf(item), item.error?.low, item.error?.high]) });
  return el("div", { class: "chart" }, plot, readout, saveButtons("errors of components", { draw: () => plot, rows }));
}

/** Other answers that fit as well, as text: each may be a text, or have one. */
function alternativesList(alternatives) {
  const given = Array.isArray(alternatives) ? alternatives : isNumber(alternatives) || !alternatives ? [] : [alternatives];
  const texts = given.map((entry) => (typeof entry === "string" ? entry : reasonText(entry ?? {}) || flattened(entry ?? {}).map(([name, value]) => (name ? `${name}: ${value}` : value)).join(", ")));
  return texts.length > 0 && [el("h3", {}, "Alternatives"), el("p", {}, "Other answers explain the samples as well:"), el("ul", { class: "alternatives" }, texts.map((text) => el("li", {}, sentence(text))))];
}

function errorsSection({ components, summary }) {
  const items = components.items.map((item, i) => ({ ...item, number: i }));
  const intervals = items.some(({ error }) => error);
  return el("section", { id: "errors" }, el("h2", {}, "Errors"),
    el("p", {}, `The estimated error of each component is the sine of its angle to the true one: 0 is exact, 1 unrelated.${intervals ? " Lines are the intervals that should contain the true error." : ""} Components above the dashed line (${UNSTABLE}) are unstable.`),
    errorChart(items),
    alternativesList(summary.alternatives ?? summary.trust?.alternatives));
}

const hasErrors = ({ components }) => components?.items.some((item) => isNumber(errorOf(item)));
