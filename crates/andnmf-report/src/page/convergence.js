// How the fit went, and how several methods went.

const MEASURES = {
  relative_correlation_error: "distance from the truth",
  change: "change of the components",
  active_fraction: "share of active weights",
};

function convergence({ trace }) {
  const has = (column) => (trace[column] ?? []).some(isNumber);
  const measures = Object.entries(MEASURES).filter(([column]) => has(column));
  const state = { along: "stage", measure: measures[0]?.[0] ?? "change" };
  const zip = (column) => trace[state.along].map((place, i) => [place, trace[column][i]]);
  const chart = lineChart(() => {
    const series = [{ name: MEASURES[state.measure], points: zip(state.measure) }];
    if (has("threshold_median")) series.push({ name: "median threshold (right)", points: zip("threshold_median"), right: true });
    if (has("threshold_min")) series.push({ name: "smallest threshold (right)", points: zip("threshold_min"), right: true });
    const inStages = state.along === "stage";
    return {
      name: `${MEASURES[state.measure]} against ${inStages ? "the stage" : "time"}`,
      x: { label: inStages ? "stage" : "seconds", log: false, text: (at) => (inStages ? `Stage ${at}` : duration(at)) },
      left: { label: MEASURES[state.measure] },
      right: has("threshold_median") || has("threshold_min") ? { label: "threshold" } : null,
      series,
    };
  });
  const set = (key) => (value) => { state[key] = value; chart.redraw(); };
  return el("section", { id: "convergence" }, el("h2", {}, "Convergence"),
    el("p", {}, has("threshold_median") ? "Both vertical axes are logarithmic. In every stage weights below the threshold of their component count as zero." : "The vertical axis is logarithmic."),
    el("div", { class: "toolbar" },
      choice("Draw", measures, state.measure, set("measure")),
      choice("Against", [["stage", "stage"], ["seconds", "time"]], state.along, set("along"))),
    chart.host);
}

function methods({ methods: rows }) {
  const least = Math.min(...rows.map(({ error }) => error).filter(isNumber));
  const cells = rows.map(({ name, error, seconds, note }) => ({
    class: error === least && rows.length > 1 ? "best" : null,
    cells: [name, number(error), duration(seconds), error === least && rows.length > 1 ? `least error${note ? `; ${note}` : ""}` : note],
  }));
  const curves = rows.filter(({ curve: points }) => points.length > 0);
  const chart = curves.length > 0 && lineChart(() => ({
    name: "error of each method against time",
    x: { label: "seconds (logarithmic)", log: true, text: (at) => `After ${duration(at)}` },
    left: { label: "error (logarithmic)" },
    series: curves.map(({ name, curve: points }) => ({ name, points: points.filter(([seconds]) => seconds > 0) })),
  }));
  return el("section", { id: "methods" }, el("h2", {}, "Methods"),
    el("p", {}, "All methods had the same samples. Error is the sum over all components of the relative distance to the truth."),
    table("Methods", ["method", "error", "time", "note"], cells, [1, 2]),
    chart && el("h3", {}, "Error against time"),
    chart && chart.host);
}
