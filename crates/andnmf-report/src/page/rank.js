// The section Rank: how the number of components was chosen.

function rankSection({ summary }) {
  const { scores, rank, reasons } = summary.rank_suggestion;
  const chart = lineChart(() => {
    const along = (column) => scores.map((score) => [score.rank, score[column]]);
    const series = [{ name: "next direction, left out", points: along("first_left_out") }];
    const add = (column, name) => { if (scores.some((score) => isNumber(score[column]))) series.push({ name, points: along(column) }); };
    add("noise_edge", "largest direction of noise alone");
    add("held_out_error", "error of predicting held-out values");
    return {
      name: "strength of directions by number of components",
      x: { label: "number of components", log: false, text: (at) => count(at, "component") },
      left: { label: "share of the largest direction (logarithmic)" },
      mark: isNumber(rank) ? { at: rank, text: `${rank} chosen` } : null,
      series,
    };
  });
  const columns = [["rank", "components"], ["last_kept", "weakest kept"], ["first_left_out", "next left out"], ["noise_edge", "noise edge"], ["held_out_error", "held-out error"], ["unstable_share", "unstable"]]
    .filter(([column]) => scores.some((score) => isNumber(score[column])));
  const body = scores.map((score) => ({ class: score.rank === rank ? "best" : null, cells: columns.map(([column]) => number(score[column])) }));
  return el("section", { id: "rank" }, el("h2", {}, "Number of components"),
    el("p", {}, "Directions of the samples that stand out from noise become components. The suggestion is the number at which the next direction falls below the largest that noise alone would have."),
    reasons?.length > 0 && el("p", {}, reasons.map((reason) => sentence(reasonText(reason))).join(" ")),
    chart.host,
    el("details", {}, el("summary", {}, "Show as a table of numbers"), el("p", {}), table("Scores of ranks", columns.map(([, name]) => name), body, columns.map((_, i) => i))));
}

const hasRankCurve = (summary) => Array.isArray(summary.rank_suggestion?.scores) && summary.rank_suggestion.scores.length > 1;
