// A line chart with one horizontal and up to two vertical axes, a cursor and zoom.
//
// A function describes what to draw; the chart calls it again on every change.

/** `describe` returns {name, x: {label, log, text}, left: {label}, right: {label} or nothing, mark: {at, text} or nothing, series: [{name, points, right}]}. */
function lineChart(describe) {
  const legendHost = el("div");
  const plot = svg("svg", { class: "plot", tabindex: 0, role: "application" });
  const tip = el("div", { class: "tip", role: "status", hidden: true });
  const reset = el("button", { type: "button", class: "reset", hidden: true, onclick: () => zoom(null) }, "Reset zoom");
  const hint = el("p", { class: "hint" }, "Drag across the chart to zoom. Keyboard: ← and → move the cursor, + and − zoom, Escape resets the zoom.");
  const host = el("div", { class: "chart" }, legendHost, reset, plot, tip, hint, saveButtons(describe().name, { draw: () => plotWithLegend(), rows }));
  let [width, domain, cursor, selection] = [0, null, null, null];
  let frame = null;

  /** All series by their shared horizontal values. */
  function rows() {
    const { x, series } = describe();
    const along = [...new Set(series.flatMap(({ points }) => points.map(([at]) => at)))].sort((a, b) => a - b);
    const known = series.map(({ points }) => new Map(points));
    return { header: [x.label, ...series.map(({ name }) => name)], rows: along.map((at) => [at, ...known.map((values) => values.get(at))]) };
  }

  /** The chart with the names of its series below, to be saved. */
  function plotWithLegend() {
    const { series } = describe();
    const { width: across, height } = plot.viewBox.baseVal;
    const copy = plot.cloneNode(true);
    copy.setAttribute("viewBox", `0 0 ${across} ${height + 8 + 20 * series.length}`);
    series.forEach(({ name }, i) => {
      const y = height + 18 + 20 * i;
      copy.append(svg("g", { class: `ink-${i % 6}` }, svg("path", { d: `M12 ${y}H46`, class: "line", "stroke-dasharray": DASHES[i % 6] }), MARKERS[i % 6](29, y)), svg("text", { x: 54, y: y + 4 }, name));
    });
    return copy;
  }

  function draw() {
    if (width === 0) return;
    const spec = describe();
    const narrow = width < 520;
    const height = Math.round(Math.min(400, Math.max(250, width * 0.42)));
    const margin = { left: narrow ? 46 : 58, right: spec.right ? (narrow ? 46 : 58) : 18, top: 26, bottom: 42 };
    const inner = [margin.left, width - margin.right];
    const all = spec.series.flatMap(({ points }) => points.map(([x]) => x));
    const x = scale({ log: spec.x.log, domain: domain ?? paddedRange(all, spec.x.log) ?? [0, 1], range: inner });
    const shown = ([value]) => value >= x.invert(inner[0]) - 1e-12 && value <= x.invert(inner[1]) + 1e-12;
    const vertical = (right) => {
      const values = spec.series.filter((series) => Boolean(series.right) === right).flatMap(({ points }) => points.filter(shown).map(([, y]) => y));
      return scale({ log: true, domain: paddedRange(values, true) ?? [0.1, 1], range: [height - margin.bottom, margin.top] });
    };
    const [left, right] = [vertical(false), spec.right ? vertical(true) : null];
    plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
    plot.setAttribute("height", height);
    plot.setAttribute("aria-label", spec.name);
    plot.replaceChildren(
      ...axes(spec, { x, left, right, width, height, margin, narrow }),
      ...(spec.mark && spec.mark.at >= x.invert(inner[0]) && spec.mark.at <= x.invert(inner[1]) ? marked(spec.mark, x, height, margin) : []),
      ...spec.series.map((series, i) => curve(series, i, x, series.right ? right : left, inner)),
    );
    legendHost.replaceChildren(legend(spec.series));
    frame = { spec, x, left, right, height, margin, inner, xValues: [...new Set(all)].sort((a, b) => a - b) };
    reset.hidden = domain === null;
    drawCursor();
  }

  function drawCursor() {
    plot.querySelectorAll(".over").forEach((old) => old.remove());
    tip.hidden = cursor === null;
    if (!frame) return;
    const { spec, x, left, right, height, margin } = frame;
    if (selection) {
      const [from, to] = selection[0] < selection[1] ? selection : [selection[1], selection[0]];
      plot.append(svg("rect", { class: "selection over", x: from, y: margin.top, width: to - from, height: height - margin.top - margin.bottom }));
    }
    if (cursor === null) return;
    const at = x.toPixel(cursor);
    plot.append(svg("line", { class: "cursor over", x1: at, x2: at, y1: margin.top, y2: height - margin.bottom }));
    const lines = spec.series.map((series, i) => {
      const reached = series.points.filter(([xValue]) => xValue <= cursor).at(-1);
      if (reached && reached[1] > 0) {
        plot.append(fill(MARKERS[i % 6](x.toPixel(reached[0]), (series.right ? right : left).toPixel(reached[1])), { class: `dot over ink-${i % 6}` }, []));
      }
      return el("div", {}, el("span", {}, series.name), el("b", {}, number(reached?.[1])));
    });
    tip.replaceChildren(el("strong", {}, spec.x.text(cursor)), ...lines);
    const [hostWidth, size] = [host.clientWidth, tip.offsetWidth];
    const offset = plot.getBoundingClientRect().left - host.getBoundingClientRect().left;
    const beside = offset + at + 14 + size > hostWidth ? offset + at - size - 14 : offset + at + 14;
    tip.style.left = `${Math.max(4, Math.min(beside, hostWidth - size - 4))}px`;
    tip.style.top = `${plot.getBoundingClientRect().top - host.getBoundingClientRect().top + margin.top + 4}px`;
  }

  function zoom(to) {
    domain = to;
    draw();
  }

  const pointerPixel = (event) => Math.min(frame.inner[1], Math.max(frame.inner[0], event.clientX - plot.getBoundingClientRect().left));
  const nearest = (value) => frame.xValues.reduce((best, xValue) => (Math.abs(frame.x.toPixel(xValue) - frame.x.toPixel(value)) < Math.abs(frame.x.toPixel(best) - frame.x.toPixel(value)) ? xValue : best), frame.xValues[0]);

  fill(plot, {
    onpointerdown: (event) => {
      if (event.pointerType === "mouse" && event.button !== 0) return;
      selection = [pointerPixel(event), pointerPixel(event)];
      plot.setPointerCapture(event.pointerId);
    },
    onpointermove: (event) => {
      if (selection) selection[1] = pointerPixel(event);
      cursor = frame.xValues.length > 0 ? nearest(frame.x.invert(pointerPixel(event))) : null;
      drawCursor();
    },
    onpointerup: () => {
      const ends = selection?.map((pixel) => frame.x.invert(pixel)).sort((a, b) => a - b);
      const wide = selection && Math.abs(selection[1] - selection[0]) > 8;
      selection = null;
      if (wide) zoom(ends);
      else drawCursor();
    },
    onpointercancel: () => { selection = null; drawCursor(); },
    onpointerleave: () => { if (!selection) { cursor = null; drawCursor(); } },
    onblur: () => { cursor = null; drawCursor(); },
    ondblclick: () => zoom(null),
    onkeydown: (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || frame.xValues.length === 0) return;
      const { xValues, x, inner } = frame;
      const visible = xValues.filter((xValue) => xValue >= x.invert(inner[0]) && xValue <= x.invert(inner[1]));
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) {
        const at = visible.indexOf(cursor);
        cursor = at < 0 ? visible[step > 0 ? 0 : visible.length - 1] ?? null : visible[Math.min(visible.length - 1, Math.max(0, at + step))];
        drawCursor();
      } else if (["+", "=", "-"].includes(event.key)) {
        const half = ((inner[1] - inner[0]) / 2) * (event.key === "-" ? 2 : 0.5);
        const middle = cursor === null ? (inner[0] + inner[1]) / 2 : x.toPixel(cursor);
        const whole = scale({ log: frame.spec.x.log, domain: paddedRange(xValues, frame.spec.x.log), range: [0, 1] });
        const ends = [x.invert(middle - half), x.invert(middle + half)].map((end) => whole.invert(Math.min(1, Math.max(0, whole.toPixel(end)))));
        zoom(whole.toPixel(ends[0]) < 1e-6 && whole.toPixel(ends[1]) > 1 - 1e-6 ? null : ends);
      } else if (event.key === "Escape") {
        cursor = null;
        zoom(null);
      } else return;
      event.preventDefault();
    },
  }, []);

  redrawOnResize(plot, (now) => { width = now; draw(); });
  /** Draws the current description, without zoom. */
  const redraw = () => { cursor = null; zoom(null); };
  return { host, redraw };
}
