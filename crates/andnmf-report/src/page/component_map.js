// A map of the components: circles whose distances are close to those of the components, and whose areas are their shares.

/** The radius of a component with the largest share, at most, as part of the width. */
const LARGEST_RADIUS = 0.062;
/** The part of the map that all circles cover, at most: more would hide each other. */
const COVERED = 0.16;

function componentMap({ positions, items, select }) {
  const { members, points, fidelity } = positions;
  const largest = Math.max(...members.map((k) => items[k].share ?? 0));
  const plot = svg("svg", { class: "plot map-plot", tabindex: 0, role: "application", "aria-label": `Map of ${members.length} components by similarity; the arrow keys move between components` });
  const readout = el("p", { class: "readout" });
  let [width, selected, hovered] = [0, null, null];
  let places = [];

  const part = (k) => (largest > 0 ? (items[k].share ?? 0) / largest : 0.25);
  const all = members.reduce((sum, k) => sum + part(k), 0);
  const heightOf = () => Math.round(width * (width < 500 ? 0.95 : 0.8));
  const fullRadius = () => Math.min(LARGEST_RADIUS * width, Math.sqrt((COVERED * width * heightOf()) / (Math.PI * all)));
  const radius = (k) => Math.max(3, fullRadius() * Math.sqrt(part(k)));

  function draw() {
    if (width === 0) return;
    const height = heightOf();
    const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
    const middle = (values) => (Math.min(...values) + Math.max(...values)) / 2;
    const span = (values) => Math.max(...values) - Math.min(...values) || 1e-9;
    // One scale for both axes, so that distances are right in every direction.
    const border = LARGEST_RADIUS * width + 14;
    const unit = Math.min((width - 2 * border) / span(xs), (height - 2 * border) / span(ys));
    places = points.map(([x, y]) => [width / 2 + (x - middle(xs)) * unit, height / 2 - (y - middle(ys)) * unit]);
    fill(plot, { viewBox: `0 0 ${width} ${height}`, height }, []);
    const byRadius = members.map((k, i) => [k, i]).sort((a, b) => radius(b[0]) - radius(a[0]) || a[1] - b[1]);
    const circles = byRadius.map(([k, i]) => {
      const [x, y] = places[i];
      const r = radius(k);
      const error = errorOf(items[k]);
      return svg("g", { class: `place${error > UNSTABLE ? " unstable" : ""}${k === selected ? " selected" : ""}`, "data-place": k, onclick: () => select(k), onpointerenter: () => show(k), onpointerleave: () => show(null) },
        svg("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: r.toFixed(1) }),
        r >= 6.5 && svg("text", { style: r < 9 ? "font-size: 9px" : null, x: x.toFixed(1), y: (y + 3.6).toFixed(1), "text-anchor": "middle" }, String(k)),
        svg("title", {}, nameOf(items[k])));
    });
    plot.replaceChildren(
      svg("line", { class: "grid", x1: 0, x2: width, y1: height / 2, y2: height / 2 }),
      svg("line", { class: "grid", x1: width / 2, x2: width / 2, y1: 0, y2: height }),
      ...circles, ...label());
  }

  /** The name of the selected component beside its circle, where it covers the fewest others. */
  function label() {
    const i = members.indexOf(selected);
    if (i < 0 || !isNamed(items[selected])) return [];
    const [x, y] = places[i];
    const text = shortened(items[selected].label, Math.round(width / 14));
    const [long, gap] = [7.2 * text.length, radius(selected) + 6];
    const height = heightOf();
    const spots = [[gap, 4, "start", 0], [-gap, 4, "end", -long], [0, -gap - 3, "middle", -long / 2], [0, gap + 11, "middle", -long / 2]]
      .map(([dx, dy, anchor, from]) => ({ at: [x + dx, y + dy], anchor, box: [x + dx + from, y + dy - 12, x + dx + from + long, y + dy + 3] }));
    const outside = ([left, top, right, bottom]) => (left < 0 || right > width || top < 0 || bottom > height ? places.length : 0);
    const covered = (box) => places.filter(([px, py], j) => j !== i && px > box[0] - radius(members[j]) && px < box[2] + radius(members[j]) && py > box[1] - radius(members[j]) && py < box[3] + radius(members[j])).length;
    const [best] = spots.map((spot) => ({ ...spot, cost: outside(spot.box) + covered(spot.box) })).sort((a, b) => a.cost - b.cost);
    return [svg("text", { class: "name", x: best.at[0], y: best.at[1], "text-anchor": best.anchor }, text)];
  }

  function show(k) {
    hovered = k;
    const item = items[hovered ?? selected];
    readout.textContent = item ? `${nameOf(item)}${isNumber(item.share) ? `, share ${percent(item.share)}` : ""}` : "\u00a0";
  }

  /** The nearest component within 60 degrees of a direction. */
  function neighbour(dx, dy) {
    const from = members.indexOf(selected);
    if (from < 0) return members[0];
    const ahead = places.map(([x, y], i) => {
      const [ex, ey] = [x - places[from][0], y - places[from][1]];
      const distance = Math.hypot(ex, ey);
      return { i, distance, along: (ex * dx + ey * dy) / (distance || 1) };
    }).filter(({ i, along }) => i !== from && along > 0.5);
    const best = ahead.sort((a, b) => a.distance / a.along - b.distance / b.along)[0];
    return best ? members[best.i] : null;
  }

  fill(plot, { onkeydown: (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = neighbour(...step);
    if (next !== null) select(next);
  } }, []);
  redrawOnResize(plot, (now) => { width = now; draw(); });

  const rows = () => ({ header: ["component", "name", "share", "x", "y"], rows: members.map((k, i) => [k, items[k].label, items[k].share, ...points[i]]) });
  const host = el("div", { class: "chart map-chart" }, el("h3", {}, "Map"), plot, readout,
    el("p", { class: "hint" }, `Components with similar ${reportData.components.kind === "words" ? "words" : "features"} are close; ${largest > 0 ? "areas are shares; " : ""}${items.some((item) => errorOf(item) > UNSTABLE) ? "dashed ones are unstable; " : ""}distances on the map and real ones correlate by ${number(Number(fidelity.toFixed(2)))}.`),
    saveButtons("map of components", { draw: () => plot, rows }));
  return { host, select: (k) => { selected = k; show(null); draw(); } };
}
