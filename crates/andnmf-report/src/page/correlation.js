// The section Correlation: which components occur together.

/** Matrices up to this size are also shown as a table. */
const MAX_TABLE_SIZE = 30;

function correlationSection({ correlations: { members, lower, deviations, order, pairs }, components }) {
  const items = components.items.map((item, i) => ({ ...item, number: i }));
  const correlation = (a, b) => (a === b ? 1 : lower[Math.max(a, b)][Math.min(a, b)]);
  const covariance = (a, b) => correlation(a, b) * deviations[a] * deviations[b];
  const largest = Math.max(...deviations) ** 2 || 1;
  const plain = members.map((_, i) => i);
  const state = { rows: order, measure: correlation };
  const inCovariances = () => state.measure === covariance;
  const valueText = (a, b) => (inCovariances() ? number(covariance(a, b)) : correlationText(correlation(a, b)));
  const strip = colourStrip("−1", "+1", () => { const colour = signedColours(); return (share) => colour(2 * share - 1); });

  const readout = el("p", { class: "readout", role: "status" });
  const showReadout = (row, column) => {
    if (row === null) return void (readout.textContent = "Point at a cell, or click a pair in the list.");
    const [a, b] = [state.rows[row], state.rows[column]];
    const [first, second] = [items[members[a]], items[members[b]]];
    if (a === b) readout.textContent = `${nameOf(first)}: standard deviation ${number(deviations[a])}`;
    else readout.replaceChildren(el("b", {}, valueText(a, b)), ` between ${nameOf(first)} and ${nameOf(second)}`);
  };
  const map = heatMap({
    name: `Correlations of ${members.length} components; use the arrow keys to move between cells`,
    spec: () => ({
      size: members.length,
      labels: state.rows.map((i) => ({ text: nameOf(items[members[i]]), short: String(members[i]) })),
      valueAt: (row, column) => state.measure(state.rows[row], state.rows[column]) / (inCovariances() ? largest : 1),
      axis: `component (${state.rows === order ? "similar ones together" : "by number"})`,
    }),
    onSelect: showReadout,
  });
  showReadout(null, null);
  const redraw = () => { map.draw(); map.select(null, null); };
  const arrange = (value) => { state.rows = value === "clustered" ? order : plain; redraw(); };
  const measure = (value) => {
    state.measure = value === "covariance" ? covariance : correlation;
    strip.name(...(inCovariances() ? [number(-largest), number(largest)] : ["−1", "+1"]));
    redraw();
  };
  const show = ({ first, second }) => {
    const [row, column] = [first, second].map((k) => state.rows.indexOf(members.indexOf(k)));
    if (row < 0 || column < 0) return;
    map.select(Math.max(row, column), Math.min(row, column));
    links.changed(`pair-${first}-${second}`);
  };
  links.target(/^pair-(\d+)-(\d+)$/, (first, second) => {
    links.bring(document.getElementById("correlation"));
    show({ first: Number(first), second: Number(second) });
  });

  const listed = pairs.slice(0, 12).map((pair) => {
    const bar = el("i", { class: pair.correlation < 0 ? "negative" : null });
    bar.style.width = `${50 * Math.abs(pair.correlation)}%`;
    bar.style.left = pair.correlation < 0 ? `${50 - 50 * Math.abs(pair.correlation)}%` : "50%";
    const names = el("button", { type: "button", class: "plain", onclick: () => show(pair) }, el("span", {}, nameOf(items[pair.first])), el("span", {}, nameOf(items[pair.second])));
    return [names, correlationText(pair.correlation), el("span", { class: "track", "aria-hidden": "true" }, bar)];
  });
  const strongest = pairs[0];
  const opening = Math.abs(strongest.correlation) < 0.1
    ? "No two components are clearly correlated."
    : `Strongest pair: ${nameOf(items[strongest.first])} and ${nameOf(items[strongest.second])} ${strongest.correlation > 0 ? "occur together" : "avoid each other"} (${correlationText(strongest.correlation)}).`;
  /** The matrix with its colours explained, to be saved. */
  const withStrip = () => {
    const copy = map.plot.cloneNode(true);
    const { width, height } = map.plot.viewBox.baseVal;
    copy.setAttribute("viewBox", `0 0 ${width} ${height + 40}`);
    copy.append(...strip.drawn(0.3 * width, height + 10, 0.6 * width));
    return copy;
  };
  const left = items.length - members.length;
  const all = members.flatMap((first, i) => lower[i].map((value, j) => ({ first: members[j], second: first, correlation: value })));
  const graph = members.length > 2 && pairGraph({ pairs: all, order: order.map((i) => members[i]), items, show });
  const matrix = (between) => () => ({ header: ["component", "name", ...order.map((i) => members[i])], rows: order.map((i) => [members[i], items[members[i]].label, ...order.map((j) => between(i, j))]) });
  return el("section", { id: "correlation" }, el("h2", {}, "Correlation"),
    el("p", {}, `The correlation of the weights of two components over all samples: +1 means that they always occur together, 0 that they are unrelated, −1 that one occurs instead of the other. ${opening}${left > 0 ? ` The matrix shows the ${members.length} strongest of ${items.length} components; the list covers all.` : ""}`),
    el("div", { class: "toolbar" },
      choice("Show", [["correlation", "correlations"], ["covariance", "covariances"]], "correlation", measure),
      choice("Order", [["clustered", "similar components together"], ["number", "by number"]], "clustered", arrange)),
    el("div", { class: "correlation" },
      el("div", {}, map.host, strip.host, readout, el("div", { class: "saves" },
        saveButtons("correlations", { draw: withStrip, rows: matrix(correlation), shown: "Save correlations" }),
        saveButtons("covariances", { rows: matrix(covariance), shown: "covariances" }))),
      el("div", { class: "pairs" }, table("Strongest pairs", ["strongest pairs", "correlation", ""], listed, [1]),
        saveButtons("strongest pairs", { rows: () => pairRows(pairs, items) }))),
    members.length <= MAX_TABLE_SIZE && numbersTable(members, order, correlation, items),
    graph && graph.host);
}

function numbersTable(members, order, between, items) {
  const header = ["", ...order.map((i) => String(members[i]))];
  const rows = order.map((i) => [nameOf(items[members[i]]), ...order.map((j) => correlationText(between(i, j)))]);
  return el("details", {}, el("summary", {}, "Show as a table of numbers"), el("p", {}), table("Correlations", header, rows, order.map((_, i) => i + 1)));
}
