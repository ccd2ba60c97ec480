// A graph of the strongest pairs: components around a circle, correlated ones next to each other, pairs as arcs between
// them. A circle shows which components belong together without a layout that would look different every time.

/** More lines would be a tangle: the slider begins where at most this many pairs are drawn. */
const DRAWN_PAIRS = 60;
const MAX_DRAWN_PAIRS = 400;

/** `pairs` are {first, second, correlation}, `order` the components around the circle, `show` selects a pair. */
function pairGraph({ pairs, order, items, show }) {
  const plot = svg("svg", { class: "plot pair-plot", role: "img" });
  const sorted = [...pairs].sort((a, b) => Math.abs(b.correlation) - Math.abs(a.correlation)).slice(0, MAX_DRAWN_PAIRS);
  const limitAt = (n) => Math.abs(sorted[Math.min(n, sorted.length - 1)].correlation);
  const lowest = Math.ceil(100 * limitAt(MAX_DRAWN_PAIRS)) / 100;
  const usual = Math.min(0.95, Math.max(lowest, 0.3, Math.ceil(100 * limitAt(DRAWN_PAIRS)) / 100));
  let [width, limit] = [0, Math.abs(sorted[0].correlation) < usual ? lowest : usual];
  const shown = el("output", {}, limit.toFixed(2));
  const counted = el("p", { class: "readout", role: "status" });
  const slider = el("input", { type: "range", id: "pair-limit", min: lowest, max: 1, step: 0.01, value: limit, oninput: () => { limit = Number(slider.value); shown.textContent = limit.toFixed(2); draw(); } });

  const drawnPairs = () => sorted.filter(({ correlation }) => Math.abs(correlation) >= limit - 1e-9);

  function draw() {
    if (width === 0) return;
    const pairsNow = drawnPairs();
    const used = new Set(pairsNow.flatMap(({ first, second }) => [first, second]));
    const around = order.filter((k) => used.has(k));
    const narrow = width < 520;
    const height = Math.round(Math.min(width, 640));
    const radius = Math.max(40, height / 2 - (narrow ? 34 : 150));
    const angle = new Map(around.map((k, i) => [k, (2 * Math.PI * (i + 0.5)) / around.length - Math.PI / 2]));
    const point = (k, r) => [width / 2 + r * Math.cos(angle.get(k)), height / 2 + r * Math.sin(angle.get(k))].map((value) => value.toFixed(1));
    const arcs = [...pairsNow].reverse().map(({ first, second, correlation }) => {
      const [from, to] = [point(first, radius), point(second, radius)];
      return svg("path", { class: `arc${correlation < 0 ? " negative" : ""}`, d: `M${from.join(" ")}Q${width / 2} ${height / 2} ${to.join(" ")}`, "stroke-width": (0.6 + 5 * Math.abs(correlation) ** 2).toFixed(2), "data-pair": `${first} ${second}`, onclick: () => show({ first, second }) },
        svg("title", {}, `${correlationText(correlation)} between ${nameOf(items[first])} and ${nameOf(items[second])}`));
    });
    const gap = (2 * Math.PI * radius) / Math.max(1, around.length);
    const nodes = around.map((k) => {
      const turn = (angle.get(k) * 180) / Math.PI;
      const leftSide = Math.cos(angle.get(k)) < 0;
      const [x, y] = point(k, radius);
      const [labelX, labelY] = point(k, radius + 9);
      const text = narrow ? String(k) : shortened(nameOf(items[k]), 22);
      return svg("g", { class: "node", "data-node": k },
        svg("circle", { cx: x, cy: y, r: gap < 9 ? 2.5 : 4.5 }),
        gap >= 9 && svg("text", { x: labelX, y: labelY, "text-anchor": leftSide ? "end" : "start", "dominant-baseline": "central", transform: `rotate(${(leftSide ? turn + 180 : turn).toFixed(1)} ${labelX} ${labelY})` }, text),
        svg("title", {}, nameOf(items[k])));
    });
    fill(plot, { viewBox: `0 0 ${width} ${height}`, height, "aria-label": `Graph of ${pairsNow.length} pairs of components with a correlation of at least ${limit.toFixed(2)}; the list of pairs has the same in words` }, []);
    plot.replaceChildren(...arcs, ...nodes);
    counted.textContent = pairsNow.length === 0 ? "No pair is correlated that strongly." : `${count(pairsNow.length, "pair")} of ${count(around.length, "component")}.`;
  }

  redrawOnResize(plot, (now) => { width = now; draw(); });
  const host = el("div", { class: "chart" }, el("h3", {}, "Strong pairs"),
    el("div", { class: "slider" }, el("label", { for: "pair-limit" }, "Correlation of at least ± ", shown), slider),
    plot, counted,
    el("p", { class: "hint" }, "Lines join components that occur together; dashed ones avoid each other. The thicker, the stronger."),
    saveButtons("strong pairs", { draw: () => plot, rows: () => pairRows(drawnPairs(), items) }));
  return { host };
}

const pairRows = (pairs, items) => ({
  header: ["first", "first name", "second", "second name", "correlation"],
  rows: pairs.map(({ first, second, correlation }) => [first, items[first].label, second, items[second].label, correlation]),
});
