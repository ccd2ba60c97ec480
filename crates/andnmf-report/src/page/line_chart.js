// Curves over one horizontal and up to two vertical axes, with a cursor and a zoom.
//
// A chart is told what to draw by a function, and asks it again whenever something changes.

/** `describe` gives {name, x: {label, log, text}, left: {label}, right: {label} or nothing, series: [{name, points, right}]}. */
function lineChart(describe) {
  const key = el("div");
  const plot = svg("svg", { class: "plot", tabindex: 0, role: "application" });
  const tip = el("div", { class: "tip", role: "status", hidden: true });
  const reset = el("button", { type: "button", class: "reset", hidden: true, onclick: () => zoom(null) }, "Whole range");
  const hint = el("p", { class: "hint" }, "Drag across the chart to zoom. With the keyboard: ← and → move, + and − zoom, Escape shows the whole range.");
  const host = el("div", { class: "chart" }, key, reset, plot, tip, hint);
  let [width, domain, cursor, picked] = [0, null, null, null];
  let frame = null;

  function draw() {
    if (width === 0) return;
    const spec = describe();
    const narrow = width < 520;
    const height = Math.round(Math.min(400, Math.max(250, width * 0.42)));
    const edge = { left: narrow ? 46 : 58, right: spec.right ? (narrow ? 46 : 58) : 18, top: 26, bottom: 42 };
    const inner = [edge.left, width - edge.right];
    const all = spec.series.flatMap(({ points }) => points.map(([x]) => x));
    const x = scale({ log: spec.x.log, domain: domain ?? domainOf(all, spec.x.log) ?? [0, 1], range: inner });
    const shown = ([value]) => value >= x.invert(inner[0]) - 1e-12 && value <= x.invert(inner[1]) + 1e-12;
    const vertical = (right) => {
      const values = spec.series.filter((series) => Boolean(series.right) === right).flatMap(({ points }) => points.filter(shown).map(([, y]) => y));
      return scale({ log: true, domain: domainOf(values, true) ?? [0.1, 1], range: [height - edge.bottom, edge.top] });
    };
    const [left, right] = [vertical(false), spec.right ? vertical(true) : null];
    plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
    plot.setAttribute("height", height);
    plot.setAttribute("aria-label", spec.name);
    plot.replaceChildren(
      ...axes(spec, { x, left, right, width, height, edge, narrow }),
      ...spec.series.map((series, i) => curve(series, i, x, series.right ? right : left, inner)),
    );
    key.replaceChildren(legend(spec.series));
    frame = { spec, x, left, right, height, edge, inner, places: [...new Set(all)].sort((a, b) => a - b) };
    reset.hidden = domain === null;
    drawCursor();
  }

  function drawCursor() {
    plot.querySelectorAll(".over").forEach((old) => old.remove());
    tip.hidden = cursor === null;
    if (!frame) return;
    const { spec, x, left, right, height, edge } = frame;
    if (picked) {
      const [from, to] = picked[0] < picked[1] ? picked : [picked[1], picked[0]];
      plot.append(svg("rect", { class: "selection over", x: from, y: edge.top, width: to - from, height: height - edge.top - edge.bottom }));
    }
    if (cursor === null) return;
    const at = x.place(cursor);
    plot.append(svg("line", { class: "cursor over", x1: at, x2: at, y1: edge.top, y2: height - edge.bottom }));
    const lines = spec.series.map((series, i) => {
      const reached = series.points.filter(([place]) => place <= cursor).at(-1);
      if (reached && reached[1] > 0) {
        plot.append(fill(MARKS[i % 6](x.place(reached[0]), (series.right ? right : left).place(reached[1])), { class: `dot over ink-${i % 6}` }, []));
      }
      return el("div", {}, el("span", {}, series.name), el("b", {}, number(reached?.[1])));
    });
    tip.replaceChildren(el("strong", {}, spec.x.text(cursor)), ...lines);
    const [room, size] = [host.clientWidth, tip.offsetWidth];
    const offset = plot.getBoundingClientRect().left - host.getBoundingClientRect().left;
    const beside = offset + at + 14 + size > room ? offset + at - size - 14 : offset + at + 14;
    tip.style.left = `${Math.max(4, Math.min(beside, room - size - 4))}px`;
    tip.style.top = `${plot.getBoundingClientRect().top - host.getBoundingClientRect().top + edge.top + 4}px`;
  }

  function zoom(to) {
    domain = to;
    draw();
  }

  const pixel = (event) => Math.min(frame.inner[1], Math.max(frame.inner[0], event.clientX - plot.getBoundingClientRect().left));
  const nearest = (value) => frame.places.reduce((best, place) => (Math.abs(frame.x.place(place) - frame.x.place(value)) < Math.abs(frame.x.place(best) - frame.x.place(value)) ? place : best), frame.places[0]);

  fill(plot, {
    onpointerdown: (event) => {
      if (event.pointerType === "mouse" && event.button !== 0) return;
      picked = [pixel(event), pixel(event)];
      plot.setPointerCapture(event.pointerId);
    },
    onpointermove: (event) => {
      if (picked) picked[1] = pixel(event);
      cursor = frame.places.length > 0 ? nearest(frame.x.invert(pixel(event))) : null;
      drawCursor();
    },
    onpointerup: () => {
      const ends = picked?.map((place) => frame.x.invert(place)).sort((a, b) => a - b);
      const wide = picked && Math.abs(picked[1] - picked[0]) > 8;
      picked = null;
      if (wide) zoom(ends);
      else drawCursor();
    },
    onpointercancel: () => { picked = null; drawCursor(); },
    onpointerleave: () => { if (!picked) { cursor = null; drawCursor(); } },
    onblur: () => { cursor = null; drawCursor(); },
    ondblclick: () => zoom(null),
    onkeydown: (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || frame.places.length === 0) return;
      const { places, x, inner } = frame;
      const visible = places.filter((place) => place >= x.invert(inner[0]) && place <= x.invert(inner[1]));
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) {
        const at = visible.indexOf(cursor);
        cursor = at < 0 ? visible[step > 0 ? 0 : visible.length - 1] ?? null : visible[Math.min(visible.length - 1, Math.max(0, at + step))];
        drawCursor();
      } else if (["+", "=", "-"].includes(event.key)) {
        const half = ((inner[1] - inner[0]) / 2) * (event.key === "-" ? 2 : 0.5);
        const middle = cursor === null ? (inner[0] + inner[1]) / 2 : x.place(cursor);
        const whole = scale({ log: frame.spec.x.log, domain: domainOf(places, frame.spec.x.log), range: [0, 1] });
        const ends = [x.invert(middle - half), x.invert(middle + half)].map((end) => whole.invert(Math.min(1, Math.max(0, whole.place(end)))));
        zoom(whole.place(ends[0]) < 1e-6 && whole.place(ends[1]) > 1 - 1e-6 ? null : ends);
      } else if (event.key === "Escape") {
        cursor = null;
        zoom(null);
      } else return;
      event.preventDefault();
    },
  }, []);

  drawnToWidth(plot, (now) => { width = now; draw(); });
  /** Draws again what `describe` now says, in full. */
  const redraw = () => { cursor = null; zoom(null); };
  return { host, redraw };
}
