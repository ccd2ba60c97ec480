// The components with search and order, and how each is used.

/** As in the library: a higher score is not to be believed. */
const UNSTABLE = 0.1;
/** Cards drawn at first; the rest on request, so that hundreds of components do not slow the page. */
const FIRST = innerWidth < 640 ? 8 : 24;

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
    item.activity && el("span", {}, "active in ", el("b", { "data-fact": "active" }, percent(item.activity.active_share))),
    item.activity && el("span", {}, "mean weight ", el("b", { "data-fact": "mean" }, number(item.activity.mean))),
    isNumber(item.stability) && el("span", {}, unstable ? "▲ unstable, error about " : "error about ", el("b", { "data-fact": "stability", class: unstable ? "unstable" : null }, number(item.stability))));
}

function heading(item, wanted) {
  const text = item.label === `Component ${item.number}` ? item.label : null;
  return el("h3", {}, text ? marked(text, wanted) : [el("span", { class: "number" }, String(item.number)), el("span", {}, marked(item.label, wanted))]);
}

function componentCard(item, parts, wanted) {
  const { curve: line, image: grey } = item.picture ?? {};
  const drawn = line ? spectrum(line, parts.axis, parts.n_features, item.label)
    : grey ? image(grey, item.label)
    : item.top.length > 0 ? bars(item.top, wanted)
    : [el("p", { class: "nothing" }, "All values are zero.")];
  return el("article", { class: "card", "data-component": item.number }, heading(item, wanted), drawn, facts(item));
}

function activityCard(item, nSamples, wanted) {
  const { zeros, threshold, active_share: active, counts } = item.activity;
  const drawn = counts.length > 0 ? histogram(item.activity, item.label) : el("p", { class: "nothing" }, "Never used.");
  return el("article", { class: "card", "data-activity": item.number }, heading(item, wanted), drawn,
    el("p", { class: "facts" },
      el("span", {}, "zero in ", el("b", {}, percent(zeros / nSamples))),
      el("span", {}, "active in ", el("b", {}, percent(active))),
      isNumber(threshold) && el("span", {}, "threshold ", el("b", { "data-fact": "threshold" }, number(threshold)))));
}

/** Cards of as many items as are asked for, with buttons for more. */
function gallery(className, makeCard) {
  const cards = el("div", { class: className });
  const more = el("div", { class: "more" });
  let shown = FIRST;
  const show = (items, anew = true) => {
    if (anew) shown = FIRST;
    cards.replaceChildren(...items.slice(0, shown).map(makeCard));
    const left = items.length - shown;
    const button = (step, text) => el("button", { type: "button", onclick: () => { shown += step; show(items, false); } }, text);
    more.replaceChildren(...(left > 0 ? [button(Math.min(FIRST, left), `Show ${Math.min(FIRST, left)} more`)] : []), ...(left > FIRST ? [button(left, `Show all ${items.length}`)] : []));
  };
  return { parts: [cards, more], show };
}

/** Two sections that follow one search and one order. */
function componentSections({ components: parts }) {
  const items = parts.items.map((item, i) => ({ ...item, number: i }));
  const usable = Object.entries(ORDERS).filter(([key]) => ({ share: isNumber(items[0].share), active: items[0].activity, unstable: items.some(({ stability }) => isNumber(stability)) })[key] ?? true);
  const state = { wanted: "", order: usable[0][0] };
  const search = el("input", { type: "search", placeholder: parts.kind === "words" ? "word or name" : "feature or name", oninput: () => { state.wanted = search.value.trim().toLowerCase(); update(); } });
  const counted = el("span", { class: "count", role: "status" });
  const drawn = gallery(parts.kind === "image" ? "cards pictures" : "cards", (item) => componentCard(item, parts, state.wanted));
  const used = items[0].activity && gallery("cards narrow", (item) => activityCard(item, parts.n_samples, state.wanted));

  function update() {
    const matches = ({ label, number: at, top }) => [label, String(at), ...top.map(([name]) => name)].some((text) => text.toLowerCase().includes(state.wanted));
    const found = items.filter(matches).sort((a, b) => ORDERS[state.order][1](a, b) || a.number - b.number);
    counted.textContent = found.length === items.length ? count(items.length, "component") : `${number(found.length)} of ${count(items.length, "component")}`;
    drawn.show(found);
    used?.show(found);
  }

  const shrunk = parts.shrunk_by > 1 ? ` Pictures are ${parts.shrunk_by} times smaller than the data in each direction.` : "";
  const thinned = items.some(({ picture }) => picture?.curve?.positions.length > 0) ? " Of long curves the extremes of each stretch are drawn." : "";
  const listed = ["words", "bars"].includes(parts.kind) ? ` Each shows its strongest ${parts.kind === "words" ? "words" : "features"}${items.some(({ top }) => top.some(([, value]) => value < 0)) ? "; hatched bars are negative" : ""}.` : "";
  const judged = items.some(({ stability }) => isNumber(stability)) ? ` The error of each is estimated without knowing the truth: above ${UNSTABLE} it is not to be believed.` : "";
  const sections = [el("section", { id: "components" }, el("h2", {}, "Components"),
    el("p", {}, `${items[0].activity ? "Share is what a component contributes to all samples, whatever its scale. " : ""}Components are counted from 0, as in the files.${judged}${listed}${shrunk}${thinned}`),
    el("div", { class: "toolbar" }, el("label", {}, "Search", search), choice("Order", usable.map(([key, [text]]) => [key, text]), state.order, (value) => { state.order = value; update(); }), counted),
    ...drawn.parts)];
  if (used) {
    sections.push(el("section", { id: "activity" }, el("h2", {}, "Activity"),
      el("p", {}, "How often each component has which weight, without the samples where it is zero. The dashed line is the threshold of the last stage; weights below it are pale and count as zero. Search and order are those of the components above."),
      ...used.parts));
  }
  update();
  return sections;
}
