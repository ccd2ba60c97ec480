// The section Activity: how often and how strongly samples use each component.

function activityCard(item, nSamples, query) {
  const { zeros, threshold, active_share: active, counts } = item.activity;
  const columns = counts.length > 0 ? histogram(item.activity, item.label) : el("p", { class: "nothing" }, "No sample uses this component.");
  return el("article", { class: "card", "data-activity": item.number }, heading(item, query), columns,
    el("p", { class: "facts" },
      el("span", {}, "zero in ", el("b", {}, percent(zeros / nSamples)), " of samples"),
      el("span", {}, "active in ", el("b", {}, percent(active)), " of samples"),
      isNumber(threshold) && el("span", {}, "threshold ", el("b", { "data-fact": "threshold" }, number(threshold)))));
}

/** The bins of histograms as a table. */
const histogramRows = (items) => ({
  header: ["component", "name", "from", "to", "samples", "samples below the threshold"],
  rows: items.flatMap(({ number: k, label, activity: { largest, counts, below } }) => counts.map((n, i) => [k, label, (i / counts.length) * largest, ((i + 1) / counts.length) * largest, n, below[i]])),
});

const activitySection = (cards, items) => el("section", { id: "activity" }, el("h2", {}, "Activity"),
  el("p", {}, "How often each weight occurs, per component. Samples with weight zero are not shown. The dashed line is the threshold of the last stage: weights below it (pale) count as zero. Search and sorting of the components above apply here too."),
  ...cards.parts, saveButtons("activity", { rows: () => histogramRows(items) }));
