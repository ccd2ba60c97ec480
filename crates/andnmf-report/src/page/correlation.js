// How the weights of components go together.

/** Matrices up to this size are also there as a table. */
const TABLE_SIZE = 30;

function correlationSection({ correlations: { members, lower, order, pairs }, components }) {
  const items = components.items.map((item, i) => ({ ...item, number: i }));
  const between = (a, b) => (a === b ? 1 : lower[Math.max(a, b)][Math.min(a, b)]);
  const plain = members.map((_, i) => i);
  let rows = order;
  const readout = el("p", { class: "readout", role: "status" });
  const tell = (row, column) => {
    if (row === null) readout.textContent = "Point at a cell, or choose a pair from the list.";
    else if (row === column) readout.textContent = nameOf(items[members[rows[row]]]);
    else readout.replaceChildren(el("b", {}, correlationText(between(rows[row], rows[column]))), ` between ${nameOf(items[members[rows[row]]])} and ${nameOf(items[members[rows[column]]])}`);
  };
  const map = heatMap({
    name: `Correlations of ${members.length} components; the arrow keys move from cell to cell`,
    size: members.length,
    valueAt: (row, column) => between(rows[row], rows[column]),
    tell,
  });
  tell(null, null);
  const arrange = (value) => {
    rows = value === "clustered" ? order : plain;
    map.draw();
    map.look(null, null);
  };
  const show = ({ first, second }) => {
    const [row, column] = [first, second].map((k) => rows.indexOf(members.indexOf(k)));
    if (row >= 0 && column >= 0) map.look(Math.max(row, column), Math.min(row, column));
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
    ? "No two components are used together, or apart, more than chance would have it."
    : `${nameOf(items[strongest.first])} and ${nameOf(items[strongest.second])} ${strongest.correlation > 0 ? "most often come together" : "most often avoid each other"} (${correlationText(strongest.correlation)}).`;
  const left = items.length - members.length;
  return el("section", { id: "correlation" }, el("h2", {}, "Correlation"),
    el("p", {}, `The correlation between the weights of two components, over all samples. ${opening}${left > 0 ? ` The matrix shows the ${members.length} strongest of ${items.length} components; the list is of all.` : ""}`),
    el("div", { class: "toolbar" }, choice("Arrange", [["clustered", "alike together"], ["number", "by number"]], "clustered", arrange)),
    el("div", { class: "correlation" },
      el("div", {}, map.host, ramp(), readout),
      el("div", { class: "pairs" }, table("Strongest pairs", ["strongest pairs", "correlation", ""], listed, [1]))),
    members.length <= TABLE_SIZE && numbersTable(members, order, between, items));
}

function numbersTable(members, order, between, items) {
  const header = ["", ...order.map((i) => String(members[i]))];
  const rows = order.map((i) => [nameOf(items[members[i]]), ...order.map((j) => correlationText(between(i, j)))]);
  return el("details", {}, el("summary", {}, "The same as numbers"), el("p", {}), table("Correlations", header, rows, order.map((_, i) => i + 1)));
}
