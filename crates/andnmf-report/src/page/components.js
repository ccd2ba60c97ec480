// The section Components: a map, the selected component, and cards of all components with search and sorting.

/** The library's limit: components with a higher estimated error are unstable. */
const UNSTABLE = 0.1;
/** Number of cards shown at first; the rest on request, so that hundreds of components do not slow the page. */
const PAGE_SIZE = innerWidth < 640 ? 8 : 24;

const ORDERS = {
  share: ["Largest share", (a, b) => b.share - a.share],
  active: ["Most often active", (a, b) => b.activity.active_share - a.activity.active_share],
  unstable: ["Least stable", (a, b) => (errorOf(b) ?? -1) - (errorOf(a) ?? -1)],
  name: ["Name", (a, b) => a.label.localeCompare(b.label)],
  number: ["Number", (a, b) => a.number - b.number],
};

const isNamed = (item) => item.label !== `Component ${item.number}`;
const nameOf = (item) => (isNamed(item) ? `${item.number} · ${item.label}` : item.label);
/** The estimated error of a component, if there is one. */
const errorOf = (item) => item.error?.estimate ?? item.stability;

function errorFact(item) {
  const error = errorOf(item);
  if (!isNumber(error)) return null;
  const unstable = error > UNSTABLE;
  const interval = item.error ? ` (${number(item.error.low)} to ${number(item.error.high)})` : "";
  return el("span", {}, unstable ? "▲ unstable, estimated error " : "estimated error ", el("b", { "data-fact": "stability", class: unstable ? "unstable" : null }, number(error)), interval);
}

function facts(item) {
  return el("p", { class: "facts" },
    isNumber(item.share) && el("span", {}, "share ", el("b", { "data-fact": "share" }, percent(item.share))),
    item.activity && el("span", {}, "active in ", el("b", { "data-fact": "active" }, percent(item.activity.active_share)), " of samples"),
    item.activity && el("span", {}, "mean weight ", el("b", { "data-fact": "mean" }, number(item.activity.mean))),
    errorFact(item));
}

function heading(item, query, tag = "h3") {
  const name = isNamed(item) ? [el("span", { class: "number" }, String(item.number)), el("span", {}, highlightMatches(item.label, query))] : [el("span", {}, highlightMatches(item.label, query))];
  return el(tag, {}, tag === "h3" ? el("a", { href: `#component-${item.number}` }, name) : name);
}

/** The picture of a component: curve, image or bars. */
function drawn(item, parts, features, query, large) {
  const { curve: line, image: grey } = item.picture ?? {};
  const size = !large ? [300, 130] : innerWidth < 640 ? [330, 170] : [520, 240];
  const listed = features.length > 0 && bars(features, query, longestBar(item), large ? 15 : 10);
  if (line) return [...componentCurve(line, parts.axis, parts.n_features, item.label, size), ...(large && listed ? listed : [])];
  if (grey) return image(grey, item.label);
  return listed || [el("p", { class: "nothing" }, "All values are zero.")];
}

const componentCard = (item, parts, features, query) =>
  el("article", { class: "card", "data-component": item.number }, heading(item, query), drawn(item, parts, features, query, false), facts(item));

/** Cards of the first items, with buttons to show more. */
function gallery(className, makeCard) {
  const cards = el("div", { class: className });
  const more = el("div", { class: "more" });
  let shown = PAGE_SIZE;
  let items = [];
  const show = (given, reset = true) => {
    items = given;
    if (reset) shown = PAGE_SIZE;
    cards.replaceChildren(...items.slice(0, shown).map(makeCard));
    const left = items.length - shown;
    const button = (step, text) => el("button", { type: "button", onclick: () => { shown += step; show(items, false); } }, text);
    more.replaceChildren(...(left > 0 ? [button(Math.min(PAGE_SIZE, left), `Show ${Math.min(PAGE_SIZE, left)} more`)] : []), ...(left > PAGE_SIZE ? [button(left, `Show all ${items.length}`)] : []));
  };
  // Paper has no buttons.
  addEventListener("beforeprint", () => { if (items.length > shown) { shown = items.length; show(items, false); } });
  return { parts: [cards, more], show, redraw: () => show(items, false) };
}

/** Features of all components as a table, in the order shown. */
const featureRows = (items, parts, weight) => ({
  header: ["component", "name", "place", "feature", "value", "lift"],
  rows: items.flatMap((item) => rankedFeatures(item, parts, weight).map(({ name, value, lift }, i) => [item.number, item.label, i + 1, name, value, lift])),
});

const componentRows = (items) => ({
  header: ["component", "name", "share", "active share", "mean weight", "error", "error low", "error high"],
  rows: items.map((item) => [item.number, item.label, item.share, item.activity?.active_share, item.activity?.mean, errorOf(item), item.error?.low, item.error?.high]),
});

/** The panel of the selected component. */
function detailPanel(parts, items, weightOf, step) {
  const host = el("article", { class: "chart detail", id: "selected", "aria-label": "Selected component" });
  const announced = el("p", { class: "announced", role: "status" });
  const button = (by, text, sign) => el("button", { type: "button", "aria-label": text, onclick: () => step(by) }, sign);
  const controls = el("div", { class: "steps" }, button(-1, "Previous component", "‹"), button(1, "Next component", "›"));
  const body = el("div");
  host.append(controls, body, announced);
  function show(k) {
    const item = items[k];
    const features = rankedFeatures(item, parts, weightOf());
    const content = drawn(item, parts, features, "", true);
    const [picture] = content;
    const draw = () => (picture.localName === "canvas" ? pixelDrawing(picture) : picture.localName === "svg" ? picture : barsDrawing(features, item));
    const values = item.picture?.curve;
    const rows = values ? () => curveRows(values, parts) : features.length > 0 && (() => featureRows([item], parts, weightOf()));
    const used = item.activity?.counts.length > 0 && histogram(item.activity, item.label, innerWidth < 640 ? [330, 150] : [480, 190]);
    body.replaceChildren(heading(item, "", "h4"), facts(item), ...content.filter(Boolean),
      picture.localName === "p" ? "" : saveButtons(`component ${k}`, { draw, rows }),
      weightMap(item, parts) ?? "", topSamples(item, parts, features) ?? "",
      item.top_samples.length > 0 ? saveButtons(`top samples of component ${k}`, { rows: () => topSampleRows([item], parts), shown: "Save samples" }) : "",
      used ? el("div", { class: "part" }, el("h4", {}, "How often each weight occurs"), used, saveButtons(`weights of component ${k}`, { draw: () => used, rows: () => histogramRows([item]) })) : "");
  }
  return { host, show, announce: (k) => { announced.textContent = `Selected: ${nameOf(items[k])}`; } };
}

const curveRows = ({ positions, values }, { axis }) => ({
  header: [axis.length > 0 ? "coordinate" : "feature", "value"],
  rows: values.map((value, i) => [axis[positions[i] ?? i] ?? positions[i] ?? i, value]),
});

/** The sections Components and Activity, which share one search and one order. */
function componentSections({ components: parts }) {
  const items = parts.items.map((item, i) => ({ ...item, number: i }));
  const usable = Object.entries(ORDERS).filter(([key]) => ({ share: isNumber(items[0].share), active: items[0].activity, unstable: items.some((item) => isNumber(errorOf(item))) })[key] ?? true);
  const usualOrder = usable[0][0];
  const first = [...items].sort((a, b) => ORDERS[usualOrder][1](a, b) || a.number - b.number)[0].number;
  const state = { query: "", order: usualOrder, weight: parts.frequency_weight, selected: first };
  let found = items;

  const search = el("input", { type: "search", placeholder: parts.kind === "words" ? "word or name" : "feature or name", oninput: () => { state.query = search.value.trim().toLowerCase(); update(); links.changed(); } });
  const sort = choice("Sort by", usable.map(([key, [text]]) => [key, text]), state.order, (value) => { state.order = value; update(); links.changed(); });
  const counted = el("span", { class: "count", role: "status" });
  const cards = gallery(parts.kind === "image" ? "cards pictures" : "cards", (item) => componentCard(item, parts, rankedFeatures(item, parts, state.weight, state.query), state.query));
  const used = items[0].activity && gallery("cards narrow", (item) => activityCard(item, parts.n_samples, state.query));

  const step = (by) => {
    const order = found.length > 0 ? found : items;
    const at = order.findIndex(({ number: k }) => k === state.selected);
    select(order[(at + by + order.length) % order.length].number);
  };
  const detail = detailPanel(parts, items, () => state.weight, step);
  const map = parts.positions && componentMap({ positions: parts.positions, items, select });
  const slider = LISTED[parts.kind] > 0 && relevanceSlider(parts, state.weight, (weight) => { rank(weight); links.changed(); });

  function select(k, write = true) {
    state.selected = k;
    detail.show(k);
    detail.announce(k);
    map?.select(k);
    if (write) links.changed(`component-${k}`);
  }

  let waiting = false;
  /** Draws once per frame, however fast the slider moves. */
  function rank(weight) {
    state.weight = weight;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      detail.show(state.selected);
      cards.redraw();
    });
  }

  function update() {
    const texts = ({ label, number: at, features }) => [label, String(at), ...features.map(([name]) => parts.names[name])];
    found = items.filter((item) => texts(item).some((text) => text.toLowerCase().includes(state.query)));
    found.sort((a, b) => ORDERS[state.order][1](a, b) || a.number - b.number);
    counted.textContent = found.length === items.length ? count(items.length, "component") : `${number(found.length)} of ${count(items.length, "component")}`;
    cards.show(found);
    used?.show(found);
  }

  links.option("relevance", parts.frequency_weight, () => state.weight, (value) => {
    const weight = Math.min(1, Math.max(0, Math.round(10 * Number(value)) / 10));
    slider?.set?.(isNumber(weight) ? weight : parts.frequency_weight);
    rank(isNumber(weight) ? weight : parts.frequency_weight);
  });
  links.option("search", "", () => state.query, (value) => { search.value = value; state.query = value.trim().toLowerCase(); update(); });
  links.option("sort", usualOrder, () => state.order, (value) => {
    state.order = usable.some(([key]) => key === value) ? value : usualOrder;
    sort.querySelector("select").value = state.order;
    update();
  });
  links.target(/^component-(\d+)$/, (digits) => {
    const k = Number(digits);
    if (k >= items.length) return;
    select(k, false);
    links.bring(document.getElementById("explorer"));
  });

  const scaled = (factor, what) => (factor > 1 ? ` ${what} are shown ${factor} times smaller than the data in each direction.` : "");
  const thinned = items.some(({ picture }) => picture?.curve?.positions.length > 0) ? " Long curves are simplified; all peaks are kept." : "";
  const negative = items.some(({ features }) => features.some(([, value]) => value < 0)) ? " Hatched bars are negative." : "";
  const listed = LISTED[parts.kind] > 0 ? ` Bars are values; 3× marks a ${parts.kind === "words" ? "word" : "feature"} that the component has three times as much of as all together.${negative}` : "";
  const judged = items.some((item) => isNumber(errorOf(item))) ? ` The error of each component is an estimate between 0 (stable) and 1; do not rely on components above ${UNSTABLE}.` : "";
  const sections = [el("section", { id: "components" }, el("h2", {}, "Components"),
    el("p", {}, `${items[0].activity ? "Share is how much a component contributes to all samples. " : ""}Components are numbered from 0, as in the files.${judged}${listed}${scaled(parts.shrunk_by, "Images")}${scaled(parts.map_shrunk_by, "Maps of weights")}${thinned}`),
    el("div", { class: map ? "explorer" : "explorer alone", id: "explorer" },
      el("div", { class: "side" }, slider && slider.host, map && map.host), detail.host),
    el("h3", {}, "All components"),
    el("div", { class: "toolbar" }, el("label", {}, "Search", search), sort, counted),
    ...cards.parts,
    el("div", { class: "saves" },
      saveButtons("components", { rows: () => componentRows(items), shown: "Save all components" }),
      LISTED[parts.kind] > 0 && saveButtons("features", { rows: () => featureRows(items, parts, state.weight), shown: `Save their ${parts.kind === "words" ? "words" : "features"}` }),
      items[0].activity && saveButtons("top samples", { rows: () => topSampleRows(items, parts), shown: "Save their top samples" })))];
  if (used) sections.push(activitySection(used, items));
  update();
  select(first, false);
  return sections;
}
