// What came out, in words: verdict, figures, warnings, settings.

const VERDICTS = {
  good: ["Good", "Nothing speaks against these components.", "M5 13l4.5 4.5L19 7.5"],
  doubtful: ["Doubtful", "Part of this may be wrong: look closer before you build on it.", "M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .5-1.5 1.1-1.5 2.3M12 19v.01"],
  poor: ["Poor", "Not to be believed as it stands.", "M6.5 6.5l11 11M17.5 6.5l-11 11"],
};

function verdictCard(summary) {
  const trust = summary.trust;
  const [word, meaning, mark] = VERDICTS[trust?.verdict] ?? ["None", "This method says nothing about whether its components are the true ones.", "M6 12h12"];
  const known = VERDICTS[trust?.verdict] ? trust.verdict : "unknown";
  const reasons = trust?.reasons ?? [];
  return el("section", { class: `verdict ${known}`, id: "verdict", "aria-label": "Verdict" },
    el("div", { class: "mark", "aria-hidden": "true" }, svg("svg", { viewBox: "0 0 24 24" }, svg("path", { d: mark }))),
    el("div", {}, el("h2", {}, "Verdict: ", el("span", { "data-verdict": known }, word)), el("p", {}, meaning)),
    reasons.length > 0 && el("ul", {}, reasons.map((reason) => el("li", { "data-code": reason?.code }, sentence(reasonText(reason))))));
}

/** A reason as its text and its advice; pages of earlier versions have plain text. */
const reasonText = (reason) => (typeof reason === "string" ? reason : [reason.text, reason.advice].filter(Boolean).join("; "));

const sentence = (text) => {
  const whole = String(text).trim();
  const start = whole.charAt(0).toUpperCase() + whole.slice(1);
  return /[.!?…]$/.test(start) ? start : `${start}.`;
};

const STOPPED = {
  converged: "It stopped because the components no longer moved",
  max_stages: "It stopped because all the stages it was allowed were done",
  time_limit: "It stopped because its time was up",
  cancelled: "It was called off",
};

function inWords(summary) {
  const { method, rank, n_samples: samples, n_features: features, recovery } = summary;
  const said = [];
  if (isNumber(rank)) {
    const size = isNumber(samples) && isNumber(features) ? ` in ${count(samples, "sample")} of ${count(features, "feature")}` : "";
    // Where AND found nothing to rely on, the components are those of another method.
    const instead = method === "and" && summary.start === "nmf";
    const name = instead ? "NMF" : method ? methodName(method) : "The fit";
    said.push(`${name} found ${count(rank, "component")}${size}${instead ? ", as AND found none that can be relied on" : ""}.`);
  }
  if (STOPPED[summary.stop_reason]) {
    const after = isNumber(summary.stages) ? `, after ${count(summary.stages, "stage")}` : "";
    const time = isNumber(summary.solver_seconds) ? ` and ${duration(summary.solver_seconds)} in the solver` : "";
    said.push(`${STOPPED[summary.stop_reason]}${after}${time}.`);
  }
  if (isNumber(summary.passes)) said.push(`The samples were read ${summary.passes === 1 ? "once" : `${number(summary.passes)} times`}.`);
  if (typeof summary.start === "string" && summary.start !== "nmf") said.push(`It began from: ${words(summary.start)}.`);
  if (isNumber(summary.reconstruction_error)) said.push(`Weights and components leave ${percent(summary.reconstruction_error)} of the samples unexplained (relative Frobenius norm).`);
  if (isNumber(recovery?.relative_total_correlation_error)) {
    const mean = isNumber(recovery.mean_matched_cosine) ? `, and a component and its match have a cosine of ${number(recovery.mean_matched_cosine)} on average` : "";
    said.push(`Beside the known truth, the relative distances of all components add up to ${number(recovery.relative_total_correlation_error)}${mean}.`);
  }
  return said.join(" ");
}

function figures(summary) {
  const entries = [
    ["rank", "components", number(summary.rank)],
    ["n_samples", "samples", number(summary.n_samples)],
    ["n_features", "features", number(summary.n_features)],
    ["stages", "stages", number(summary.stages)],
    ["seconds", "in all", duration(summary.seconds ?? summary.solver_seconds)],
    ["reconstruction_error", "unexplained", percent(summary.reconstruction_error)],
    ["recovery", "distance from the truth", number(summary.recovery?.relative_total_correlation_error)],
  ].filter(([, , text]) => text !== DASH);
  return entries.length > 0 && el("dl", { class: "figures" },
    entries.map(([key, name, text]) => el("div", {}, el("dt", {}, name), el("dd", { "data-figure": key }, text))));
}

/** Nested settings as a flat list of names and values. */
function flattened(value, path = []) {
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => flattened(inner, [...path, words(key)]));
  }
  const text = (entry) => (typeof entry === "number" ? number(entry) : entry === true ? "yes" : entry === false ? "no" : entry === null ? "not set" : String(entry));
  return [[path.join(" › "), Array.isArray(value) ? value.map((entry) => (entry !== null && typeof entry === "object" ? JSON.stringify(entry) : text(entry))).join(", ") || "none" : text(value)]];
}

function settingsList(settings) {
  const entries = flattened(settings).filter(([name]) => name !== "");
  if (entries.length === 0) return null;
  return el("details", { open: entries.length <= 16 && innerWidth >= 640 }, el("summary", {}, `Settings (${entries.length})`),
    el("dl", { class: "settings" }, entries.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))));
}

function overview({ summary, components }) {
  const warnings = summary.warnings ?? [];
  const kind = { words: "words", image: "pixels", curve: "points of a curve", bars: null }[components?.kind];
  return el("section", { id: "summary" }, el("h2", {}, "Summary"),
    el("p", { id: "in-words" }, inWords(summary), kind && components.items.length > 0 ? ` The features are ${kind}.` : ""),
    figures(summary),
    el("h3", {}, "Warnings"),
    warnings.length > 0 ? el("ul", { class: "warnings" }, warnings.map((warning) => el("li", {}, sentence(warning)))) : el("p", { class: "muted" }, "None."),
    settingsList(summary.settings ?? {}));
}
