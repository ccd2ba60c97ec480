// The sections Convergence (trace of the fit) and Methods (comparison).

const MEASURES = {
  relative_correlation_error: "error against the truth",
  change: "change of the components",
  active_fraction: "share of active weights (1 = all)",
};

function convergence({ trace }) {
  const has = (column) => (trace[column] ?? []).some(isNumber);
  const measures = Object.entries(MEASURES).filter(([column]) => has(column));
  const state = { axis: "stage", measure: measures[0]?.[0] ?? "change" };
  const zip = (column) => trace[state.axis].map((xValue, i) => [xValue, trace[column][i]]);
  const chart = lineChart(() => {
    const series = [{ name: MEASURES[state.measure], points: zip(state.measure) }];
    if (has("threshold_median")) series.push({ name: "median threshold (right axis)", points: zip("threshold_median"), right: true });
    if (has("threshold_min")) series.push({ name: "smallest threshold (right axis)", points: zip("threshold_min"), right: true });
    const inStages = state.axis === "stage";
    return {
      name: `${MEASURES[state.measure]} by ${inStages ? "stage" : "time"}`,
      x: { label: inStages ? "stage" : "time (s)", log: false, text: (at) => (inStages ? `Stage ${at}` : duration(at)) },
      left: { label: MEASURES[state.measure] },
      right: has("threshold_median") || has("threshold_min") ? { label: "threshold" } : null,
      series,
    };
  });
  const set = (key) => (value) => { state[key] = value; chart.redraw(); };
  return el("section", { id: "convergence" }, el("h2", {}, "Convergence"),
    el("p", {}, has("threshold_median") ? "Both vertical axes are logarithmic. In each stage, weights below the threshold of their component are set to zero." : "The vertical axis is logarithmic."),
    el("div", { class: "toolbar" },
      choice("Show", measures, state.measure, set("measure")),
      choice("Horizontal axis", [["stage", "stage"], ["seconds", "time"]], state.axis, set("axis"))),
    chart.host);
}

function methods({ methods: rows }) {
  const smallest = Math.min(...rows.map(({ error }) => error).filter(isNumber));
  const cells = rows.map(({ name, error, seconds, note }) => ({
    class: error === smallest && rows.length > 1 ? "best" : null,
    cells: [name, number(error), duration(seconds), error === smallest && rows.length > 1 ? `smallest error${note ? `; ${note}` : ""}` : note],
  }));
  const curves = rows.filter(({ curve: points }) => points.length > 0);
  const chart = curves.length > 0 && lineChart(() => ({
    name: "error of each method over time",
    x: { label: "time (s, logarithmic)", log: true, text: (at) => `After ${duration(at)}` },
    left: { label: "error (logarithmic)" },
    series: curves.map(({ name, curve: points }) => ({ name, points: points.filter(([seconds]) => seconds > 0) })),
  }));
  return el("section", { id: "methods" }, el("h2", {}, "Methods"),
    el("p", {}, "All methods were given the same samples. The error is the sum of the relative errors of all components against the truth; 0 is perfect."),
    table("Methods", ["method", "error", "time", "note"], cells, [1, 2]),
    saveButtons("methods", { rows: () => ({ header: ["method", "error", "seconds", "note"], rows: rows.map(({ name, error, seconds, note }) => [name, error, seconds, note]) }) }),
    chart && el("h3", {}, "Error over time"),
    chart && chart.host);
}
