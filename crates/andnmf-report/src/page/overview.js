// The verdict and the section Summary: text, key figures, warnings, settings.

const VERDICTS = {
  good: ["Good", "Nothing in the fit speaks against these components.", "M5 13l4.5 4.5L19 7.5"],
  doubtful: ["Doubtful", "Some of these components may be wrong. Check them before you rely on them.", "M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .5-1.5 1.1-1.5 2.3M12 19v.01"],
  poor: ["Poor", "Do not rely on these components.", "M6.5 6.5l11 11M17.5 6.5l-11 11"],
};

function verdictCard(summary) {
  const trust = summary.trust;
  const [title, meaning, icon] = VERDICTS[trust?.verdict] ?? ["None", "This fit was not judged: only AND with thresholds from the data is, unless its checks are off.", "M6 12h12"];
  const known = VERDICTS[trust?.verdict] ? trust.verdict : "unknown";
  const reasons = trust?.reasons ?? [];
  const warnings = summary.warnings?.length ?? 0;
  return el("section", { class: `verdict ${known}`, id: "verdict", "aria-label": "Verdict" },
    el("div", { class: "mark", "aria-hidden": "true" }, svg("svg", { viewBox: "0 0 24 24" }, svg("path", { d: icon }))),
    el("div", {}, el("h2", {}, "Verdict: ", el("span", { "data-verdict": known }, title)), el("p", {}, meaning)),
    reasons.length > 0 && el("ul", {}, reasons.map((reason) => el("li", { "data-code": reason?.code }, sentence(reasonText(reason))))),
    warnings > 0 && el("p", { class: "warned" }, el("a", { href: "#summary" }, count(warnings, "warning"))),
    figures(summary));
}

/** The text and advice of a reason; summaries of earlier versions have plain text. */
const reasonText = (reason) => (typeof reason === "string" ? reason : [reason.text, reason.advice].filter(Boolean).join("; "));

const sentence = (text) => {
  const whole = String(text).trim();
  const start = whole.charAt(0).toUpperCase() + whole.slice(1);
  return /[.!?…]$/.test(start) ? start : `${start}.`;
};

const STOP_REASONS = {
  converged: "It stopped because the components no longer changed",
  max_stages: "It stopped at the maximum number of stages",
  time_limit: "It stopped at the time limit",
  cancelled: "It was cancelled",
};

// The step that produced the components, where it is not AND's own.
const ENDINGS = {
  "and+hals": ", refined by HALS",
  likelihood: ", refined by the likelihood of the counts",
  priors: ", refined by the likelihood of the counts with learned priors",
  profiles: ", refined by the likelihood of the counts with learned profiles of shares",
  "min-volume": " of least volume, since the weights are rarely zero",
};

// The starts that AND makes from the data, beside those that have a name in the command.
const STARTS = {
  given: "the given components",
  "given-repaired": "the given components, of which some were mixed up and repaired",
  normalised: "samples that stick out, brought to equal length",
  whitened: "samples that stick out after whitening",
  plain: "samples that stick out",
  independent: "the directions in which the samples have the heaviest tails",
  features: "the zeros of the components",
  hals: "the components of HALS",
};

function summaryText(summary) {
  const { method, rank, n_samples: samples, n_features: features, recovery } = summary;
  const sentences = [];
  if (isNumber(rank)) {
    const size = isNumber(samples) && isNumber(features) ? ` in ${count(samples, "sample")} with ${count(features, "feature")}` : "";
    // If AND found no reliable components, those of NMF are returned.
    const instead = method === "and" && summary.start === "nmf";
    const name = instead ? "NMF" : method ? methodName(method) : "The fit";
    const ending = method === "and" ? ENDINGS[summary.ending] ?? "" : "";
    sentences.push(`${name} found ${count(rank, "component")}${size}${instead ? "; AND found none that are reliable" : ending}.`);
  }
  if (STOP_REASONS[summary.stop_reason]) {
    const after = isNumber(summary.stages) ? `, after ${count(summary.stages, "stage")}` : "";
    const time = isNumber(summary.solver_seconds) ? ` and ${duration(summary.solver_seconds)} of computing` : "";
    sentences.push(`${STOP_REASONS[summary.stop_reason]}${after}${time}.`);
  }
  if (isNumber(summary.passes)) sentences.push(`It read the samples ${summary.passes === 1 ? "once" : `${number(summary.passes)} times`}.`);
  if (typeof summary.start === "string" && summary.start !== "nmf") sentences.push(`It started from: ${(method === "and" && STARTS[summary.start]) || readableKey(summary.start)}.`);
  if (isNumber(summary.reconstruction_error)) sentences.push(`The components leave ${percent(summary.reconstruction_error)} of the samples unexplained (reconstruction error, relative Frobenius norm).`);
  if (isNumber(recovery?.relative_total_correlation_error)) {
    const mean = isNumber(recovery.mean_matched_cosine) ? `; the mean cosine between a component and its match is ${number(recovery.mean_matched_cosine)} (1 is perfect)` : "";
    sentences.push(`Compared with the known truth, the relative errors of all components add up to ${number(recovery.relative_total_correlation_error)}${mean}.`);
  }
  return sentences.join(" ");
}

function figures(summary) {
  const entries = [
    ["rank", "components", number(summary.rank)],
    ["n_samples", "samples", number(summary.n_samples)],
    ["n_features", "features", number(summary.n_features)],
    ["stages", "stages", number(summary.stages)],
    ["seconds", "total time", duration(summary.seconds ?? summary.solver_seconds)],
    ["reconstruction_error", "unexplained", percent(summary.reconstruction_error)],
    ["recovery", "error against the truth", number(summary.recovery?.relative_total_correlation_error)],
  ].filter(([, , text]) => text !== DASH);
  return entries.length > 0 && el("dl", { class: "figures" },
    entries.map(([key, name, text]) => el("div", {}, el("dt", {}, name), el("dd", { "data-figure": key }, text))));
}

/** Flattens nested settings to a list of names and values. */
function flattened(value, path = []) {
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => flattened(inner, [...path, readableKey(key)]));
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
    el("p", { id: "summary-text" }, summaryText(summary), kind && components.items.length > 0 ? ` The features are ${kind}.` : ""),
    el("h3", {}, "Warnings"),
    warnings.length > 0 ? el("ul", { class: "warnings" }, warnings.map((warning) => el("li", {}, sentence(warning)))) : el("p", { class: "muted" }, "None."),
    settingsList(summary.settings ?? {}));
}
