// The section Correlation: which components occur together.

/** Matrices up to this size are also shown as a table. */
const MAX_TABLE_SIZE = 30;

function correlationSection({ correlations: { members, lower, order, pairs }, components }) {
  const items = components.items.map((item, i) => ({ ...item, number: i }));
  const between = (a, b) => (a === b ? 1 : lower[Math.max(a, b)][Math.min(a, b)]);
  const plain = members.map((_, i) => i);
  let rows = order;
  const readout = el("p", { class: "readout", role: "status" });
  const showReadout = (row, column) => {
    if (row === null) readout.textContent = "Point at a cell, or click a pair in the list.";
    else if (row === column) readout.textContent = nameOf(items[members[rows[row]]]);
    else readout.replaceChildren(el("b", {}, correlationText(between(rows[row], rows[column]))), ` between ${nameOf(items[members[rows[row]]])} and ${nameOf(items[members[rows[column]]])}`);
  };
  const map = heatMap({
    name: `Correlations of ${members.length} components; use the arrow keys to move between cells`,
    size: members.length,
    valueAt: (row, column) => between(rows[row], rows[column]),
    onSelect: showReadout,
  });
  showReadout(null, null);
  const arrange = (value) => {
    rows = value === "clustered" ? order : plain;
    map.draw();
    map.select(null, null);
  };
  const show = ({ first, second }) => {
    const [row, column] = [first, second].map((k) => rows.indexOf(members.indexOf(k)));
    if (row >= 0 && column >= 0) map.select(Math.max(row, column), Math.min(row, column));
  };
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
  const left = items.length - members.length;
  return el("section", { id: "correlation" }, el("h2", {}, "Correlation"),
    el("p", {}, `The correlation of the weights of two components over all samples: +1 means that they always occur together, 0 that they are unrelated, −1 that one occurs instead of the other. ${opening}${left > 0 ? ` The matrix shows the ${members.length} strongest of ${items.length} components; the list covers all.` : ""}`),
    el("div", { class: "toolbar" }, choice("Order", [["clustered", "similar components together"], ["number", "by number"]], "clustered", arrange)),
    el("div", { class: "correlation" },
      el("div", {}, map.host, colourScale(), readout),
      el("div", { class: "pairs" }, table("Strongest pairs", ["strongest pairs", "correlation", ""], listed, [1]))),
    members.length <= MAX_TABLE_SIZE && numbersTable(members, order, between, items));
}

function numbersTable(members, order, between, items) {
  const header = ["", ...order.map((i) => String(members[i]))];
  const rows = order.map((i) => [nameOf(items[members[i]]), ...order.map((j) => correlationText(between(i, j)))]);
  return el("details", {}, el("summary", {}, "Show as a table of numbers"), el("p", {}), table("Correlations", header, rows, order.map((_, i) => i + 1)));
}
