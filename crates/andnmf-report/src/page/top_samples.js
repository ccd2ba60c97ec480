// The samples that have the most of a component: as a list, with their texts, and as a map of weights.

/** Number of samples shown at first. */
const SAMPLES_AT_FIRST = 5;

const sampleName = (parts, sample) => parts.samples.names?.[sample] ?? `Sample ${number(sample)}`;

/** A text in which the component's own features are marked. */
function markedText(text, names) {
  const known = new Set(names.map((name) => name.toLowerCase()));
  return text.split(/([\p{L}\p{N}'_-]+)/u).map((part) => (known.has(part.toLowerCase()) ? el("mark", {}, part) : part));
}

function topSamples(item, parts, features) {
  if (item.top_samples.length === 0) return null;
  const row = ({ sample, weight, share }) => {
    const text = parts.samples.texts?.[sample];
    return el("li", { "data-sample": sample },
      el("p", { class: "who" }, el("b", {}, sampleName(parts, sample)), el("span", {}, `weight ${number(weight)} · ${percent(share)} of the sample`)),
      text && el("p", { class: "text" }, markedText(text, features.map(({ name }) => name))));
  };
  const list = el("ol", { class: "samples" }, item.top_samples.slice(0, SAMPLES_AT_FIRST).map(row));
  const left = item.top_samples.length - SAMPLES_AT_FIRST;
  const more = left > 0 && el("button", { type: "button", class: "plain", onclick: () => {
    list.append(...item.top_samples.slice(SAMPLES_AT_FIRST).map(row));
    more.remove();
  } }, `${left} more samples`);
  return el("div", { class: "part" }, el("h4", {}, "Samples with the most of it"), list, more);
}

/** The numbers of the top samples of these components. */
function topSampleRows(items, parts) {
  const texts = Object.keys(parts.samples.texts ?? {}).length > 0;
  const rows = items.flatMap((item) => item.top_samples.map(({ sample, weight, share }, i) => [item.number, item.label, i + 1, sample, parts.samples.names?.[sample], weight, share, ...(texts ? [parts.samples.texts[sample]] : [])]));
  return { header: ["component", "name", "place", "sample", "sample name", "weight", "share of the sample", ...(texts ? ["text"] : [])], rows };
}

/** The weights of a component as a map, if the samples are pixels. */
function weightMap(item, parts) {
  if (!item.map) return null;
  const { black, white } = item.map.image;
  const canvas = pixels(item.map.image, brightnessColour, `Map of the weights of ${item.label}`);
  const strip = colourStrip(number(black), number(white), () => (share) => brightnessColour(255 * share));
  return el("div", { class: "part" }, el("h4", {}, "Weights in the scene"), el("div", { class: "weight-map" }, canvas, strip.host),
    saveButtons(`weights of component ${item.number}`, { draw: () => pixelDrawing(canvas) }));
}
