// Which features of a component are shown, for the chosen weight of strength against lift.

/** Number of features listed: the data have the first of these for every position of the slider. */
const LISTED = { words: 30, bars: 30, curve: 10, image: 0 };

/**
 * Features as {name, value, lift}, most relevant first: weight · ln |value| + (1 − weight) · ln lift. Those that match
 * `query` follow if they are not among the first.
 */
function rankedFeatures(item, parts, weight, query = "") {
  const score = ([, value, lift]) => weight * Math.log(Math.abs(value)) + (1 - weight) * Math.log(lift);
  const matches = (name) => query !== "" && name.toLowerCase().includes(query);
  return item.features
    .map(([at, value, lift]) => ({ name: parts.names[at], value, lift, score: score([at, value, lift]) }))
    .sort((a, b) => b.score - a.score)
    .filter(({ name }, place) => place < LISTED[parts.kind] || matches(name));
}

const liftText = (lift) => `${number(Number(lift.toPrecision(lift < 10 ? 2 : 3)))}×`;

/** The slider from distinctive to strong features. `changed` is called while it moves. */
function relevanceSlider(parts, weight, changed) {
  const what = { words: "words", curve: "points" }[parts.kind] ?? "features";
  const shown = el("output", {}, "");
  const slider = el("input", { type: "range", min: 0, max: 1, step: 0.1, value: weight, id: "relevance", "aria-describedby": "relevance-ends",
    oninput: () => { show(Number(slider.value)); changed(Number(slider.value)); } });
  const show = (value) => {
    shown.textContent = value.toFixed(1);
    slider.setAttribute("aria-valuetext", `${value.toFixed(1)}: ${value < 0.5 ? "rather distinctive" : "rather strong"} ${what}`);
  };
  show(weight);
  const host = el("div", { class: "slider" },
    el("label", { for: "relevance" }, `Rank ${what} by relevance, λ = `, shown),
    slider,
    el("span", { class: "ends", id: "relevance-ends" }, el("span", {}, "0 distinctive"), el("span", {}, "strong 1")));
  return { host, set: (value) => { slider.value = value; show(value); } };
}
