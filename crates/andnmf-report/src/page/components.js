// The sections Components and Activity, with search and sorting.

/** The library's limit: components with a higher estimated error are unstable. */
const UNSTABLE = 0.1;
/** Number of cards shown at first; the rest on request, so that hundreds of components do not slow the page. */
const PAGE_SIZE = innerWidth < 640 ? 8 : 24;

const ORDERS = {
  share: ["Largest share", (a, b) => b.share - a.share],
  active: ["Most often active", (a, b) => b.activity.active_share - a.activity.active_share],
  unstable: ["Least stable", (a, b) => b.stability - a.stability],
  name: ["Name", (a, b) => a.label.localeCompare(b.label)],
  number: ["Number", (a, b) => a.number - b.number],
};

const nameOf = (item) => (item.label === `Component ${item.number}` ? item.label : `${item.number} · ${item.label}`);

function facts(item) {
  const unstable = item.stability > UNSTABLE;
  return el("p", { class: "facts" },
    isNumber(item.share) && el("span", {}, "share ", el("b", { "data-fact": "share" }, percent(item.share))),
    item.activity && el("span", {}, "active in ", el("b", { "data-fact": "active" }, percent(item.activity.active_share)), " of samples"),
    item.activity && el("span", {}, "mean weight ", el("b", { "data-fact": "mean" }, number(item.activity.mean))),
    isNumber(item.stability) && el("span", {}, unstable ? "▲ unstable, estimated error " : "estimated error ", el("b", { "data-fact": "stability", class: unstable ? "unstable" : null }, number(item.stability))));
}

function heading(item, query) {
  const text = item.label === `Component ${item.number}` ? item.label : null;
  return el("h3", {}, text ? highlightMatches(text, query) : [el("span", { class: "number" }, String(item.number)), el("span", {}, highlightMatches(item.label, query))]);
}

function componentCard(item, parts, query) {
  const { curve: line, image: grey } = item.picture ?? {};
  const drawn = line ? componentCurve(line, parts.axis, parts.n_features, item.label)
    : grey ? image(grey, item.label)
    : item.top.length > 0 ? bars(item.top, query)
    : [el("p", { class: "nothing" }, "All values are zero.")];
  return el("article", { class: "card", "data-component": item.number }, heading(item, query), drawn, facts(item));
}

function activityCard(item, nSamples, query) {
  const { zeros, threshold, active_share: active, counts } = item.activity;
  const drawn = counts.length > 0 ? histogram(item.activity, item.label) : el("p", { class: "nothing" }, "No sample uses this component.");
  return el("article", { class: "card", "data-activity": item.number }, heading(item, query), drawn,
    el("p", { class: "facts" },
      el("span", {}, "zero in ", el("b", {}, percent(zeros / nSamples)), " of samples"),
      el("span", {}, "active in ", el("b", {}, percent(active)), " of samples"),
      isNumber(threshold) && el("span", {}, "threshold ", el("b", { "data-fact": "threshold" }, number(threshold)))));
}

/** Cards of the first items, with buttons to show more. */
function gallery(className, makeCard) {
  const cards = el("div", { class: className });
  const more = el("div", { class: "more" });
  let shown = PAGE_SIZE;
  const show = (items, reset = true) => {
    if (reset) shown = PAGE_SIZE;
    cards.replaceChildren(...items.slice(0, shown).map(makeCard));
    const left = items.length - shown;
    const button = (step, text) => el("button", { type: "button", onclick: () => { shown += step; show(items, false); } }, text);
    more.replaceChildren(...(left > 0 ? [button(Math.min(PAGE_SIZE, left), `Show ${Math.min(PAGE_SIZE, left)} more`)] : []), ...(left > PAGE_SIZE ? [button(left, `Show all ${items.length}`)] : []));
  };
  return { parts: [cards, more], show };
}

/** The two sections, which share one search and one order. */
function componentSections({ components: parts }) {
  const items = parts.items.map((item, i) => ({ ...item, number: i }));
  const usable = Object.entries(ORDERS).filter(([key]) => ({ share: isNumber(items[0].share), active: items[0].activity, unstable: items.some(({ stability }) => isNumber(stability)) })[key] ?? true);
  const state = { query: "", order: usable[0][0] };
  const search = el("input", { type: "search", placeholder: parts.kind === "words" ? "word or name" : "feature or name", oninput: () => { state.query = search.value.trim().toLowerCase(); update(); } });
  const counted = el("span", { class: "count", role: "status" });
  const drawn = gallery(parts.kind === "image" ? "cards pictures" : "cards", (item) => componentCard(item, parts, state.query));
  const used = items[0].activity && gallery("cards narrow", (item) => activityCard(item, parts.n_samples, state.query));

  function update() {
    const matches = ({ label, number: at, top }) => [label, String(at), ...top.map(([name]) => name)].some((text) => text.toLowerCase().includes(state.query));
    const found = items.filter(matches).sort((a, b) => ORDERS[state.order][1](a, b) || a.number - b.number);
    counted.textContent = found.length === items.length ? count(items.length, "component") : `${number(found.length)} of ${count(items.length, "component")}`;
    drawn.show(found);
    used?.show(found);
  }

  const shrunk = parts.shrunk_by > 1 ? ` Images are shown ${parts.shrunk_by} times smaller than the data in each direction.` : "";
  const thinned = items.some(({ picture }) => picture?.curve?.positions.length > 0) ? " Long curves are simplified; all peaks are kept." : "";
  const listed = ["words", "bars"].includes(parts.kind) ? ` Each card lists the strongest ${parts.kind === "words" ? "words" : "features"}${items.some(({ top }) => top.some(([, value]) => value < 0)) ? "; hatched bars are negative" : ""}.` : "";
  const judged = items.some(({ stability }) => isNumber(stability)) ? ` The error of each component is an estimate between 0 (stable) and 1; do not rely on components above ${UNSTABLE}.` : "";
  const sections = [el("section", { id: "components" }, el("h2", {}, "Components"),
    el("p", {}, `${items[0].activity ? "Share is how much a component contributes to all samples. " : ""}Components are numbered from 0, as in the files.${judged}${listed}${shrunk}${thinned}`),
    el("div", { class: "toolbar" }, el("label", {}, "Search", search), choice("Sort by", usable.map(([key, [text]]) => [key, text]), state.order, (value) => { state.order = value; update(); }), counted),
    ...drawn.parts)];
  if (used) {
    sections.push(el("section", { id: "activity" }, el("h2", {}, "Activity"),
      el("p", {}, "How often each weight occurs, per component. Samples with weight zero are not shown. The dashed line is the threshold of the last stage: weights below it (pale) count as zero. Search and sorting of the components above apply here too."),
      ...used.parts));
  }
  update();
  return sections;
}
