// Zoom, hover and theme for the report. The pictures are complete without it: it
// reads the points back from the drawn paths, so the page carries them once.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const make = (name, attributes, parent) => {
    const node = document.createElementNS(SVG, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (parent) parent.append(node);
    return node;
  };

  // Theme: as the system, light, dark. A page from disk may have no storage.
  const themes = ["auto", "light", "dark"];
  const words = { auto: "as the system", light: "light", dark: "dark" };
  const button = document.getElementById("theme");
  const store = (value) => {
    try {
      if (value === undefined) return localStorage.getItem("llmbench-theme");
      localStorage.setItem("llmbench-theme", value);
    } catch { /* the choice then lasts as long as the page */ }
  };
  const setTheme = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = "Theme: " + words[theme];
    button.dataset.theme = theme;
  };
  setTheme(themes.includes(store()) ? store() : "auto");
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = themes[(themes.indexOf(button.dataset.theme) + 1) % themes.length];
    setTheme(next);
    store(next);
  });

  // A panel is one drawn picture: its data area and the ranges of its axes.
  const number = (v) => {
    const size = Math.abs(v);
    for (const [per, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
      if (size >= per) return Number((v / per).toPrecision(4)) + name;
    }
    return String(Number(v.toPrecision(4)));
  };
  const panels = all("svg.data").map((data) => {
    const d = data.dataset;
    const box = data.viewBox.baseVal;
    const axis = (from, to, log) => ({ from: Number(from), to: Number(to), log: log === "true" });
    return {
      data, figure: data.closest("figure"), outer: data.parentNode,
      width: box.width, height: box.height,
      x: axis(d.x0, d.x1, d.xlog), y: axis(d.y0, d.y1, d.ylog),
      series: null,
    };
  });
  const value = (axis, share) => axis.log
    ? axis.from * Math.pow(axis.to / axis.from, share)
    : axis.from + (axis.to - axis.from) * share;

  // points reads a series back from its path: pairs of x and y in the data area.
  const points = (path) => {
    const found = [];
    for (const match of (path.getAttribute("d") || "").matchAll(/[ML]([-\d.e+]+),([-\d.e+]+)/g)) {
      found.push([Number(match[1]), Number(match[2])]);
    }
    return found;
  };
  const load = (panel) => {
    panel.series ??= all("g.s", panel.data).filter((g) => g.dataset.quiet !== "true").map((g) => ({
      name: g.dataset.name, mark: g.dataset.mark, points: all("path", g).flatMap(points),
    }));
    return panel.series;
  };

  // Zoom on the run's clock: every chart on it shows the same stretch.
  const clocked = panels.filter((p) => "clock" in p.figure.dataset);
  const range = clocked.length ? { from: clocked[0].x.from, to: clocked[0].x.to } : null;
  const whole = range && { ...range };
  const marks = (from, to, count) => {
    const raw = (to - from) / count;
    const ten = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 5, 10].map((m) => m * ten).find((s) => s >= raw);
    const list = [];
    for (let i = Math.ceil(from / step); i * step <= to; i++) list.push(i * step);
    return { list, digits: Math.max(0, -Math.floor(Math.log10(step))) };
  };
  const drawMarks = (panel) => {
    all(".svg-zoom", panel.outer).forEach((g) => g.remove());
    const zoomed = range.from !== whole.from || range.to !== whole.to;
    all(".frame .x", panel.outer).forEach((node) => { node.style.display = zoomed ? "none" : ""; });
    if (!zoomed) return;
    const group = make("g", { class: "svg-zoom" });
    panel.outer.insertBefore(group, panel.data);
    const left = panel.data.x.baseVal.value, top = panel.data.y.baseVal.value;
    const narrow = panel.outer.classList.contains("narrow");
    const { list, digits } = marks(range.from, range.to, narrow ? 4 : 9);
    for (const at of list) {
      const x = left + (at - range.from) / (range.to - range.from) * panel.width;
      make("line", { x1: x, x2: x, y1: top, y2: top + panel.height, stroke: "var(--grid)", "stroke-width": 0.6 }, group);
      const text = make("text", { x, y: top + panel.height + 18, "text-anchor": "middle", "font-size": narrow ? 11 : 12 }, group);
      text.textContent = at.toFixed(digits);
    }
  };
  const show = () => {
    for (const panel of clocked) {
      const span = panel.x.to - panel.x.from;
      const x = (range.from - panel.x.from) / span * panel.width;
      panel.data.setAttribute("viewBox", [x, 0, (range.to - range.from) / span * panel.width, panel.height].join(" "));
      drawMarks(panel);
    }
    for (const out of all(".zoom output")) {
      out.textContent = range.from === whole.from && range.to === whole.to ? ""
        : range.from.toPrecision(5) + " s to " + range.to.toPrecision(5) + " s";
    }
  };
  const zoomTo = (from, to) => {
    const least = (whole.to - whole.from) / 5000;
    if (to - from < least) to = from + least;
    const width = Math.min(to - from, whole.to - whole.from);
    range.from = Math.min(Math.max(from, whole.from), whole.to - width);
    range.to = range.from + width;
    if (width >= (whole.to - whole.from) * (1 - 1e-9)) Object.assign(range, whole);
    show();
  };
  const moves = {
    in: () => zoomTo(range.from + (range.to - range.from) / 4, range.to - (range.to - range.from) / 4),
    out: () => zoomTo(range.from - (range.to - range.from) / 2, range.to + (range.to - range.from) / 2),
    left: () => zoomTo(range.from - (range.to - range.from) / 2, range.to - (range.to - range.from) / 2),
    right: () => zoomTo(range.from + (range.to - range.from) / 2, range.to + (range.to - range.from) / 2),
    all: () => zoomTo(whole.from, whole.to),
  };
  if (range) {
    for (const bar of all(".zoom")) {
      bar.hidden = false;
      bar.addEventListener("click", (event) => moves[event.target.dataset.zoom]?.());
    }
  }

  // Hover: a line at the pointer and the values there.
  const tip = document.getElementById("tip");
  const visible = (panel) => panel.outer.getClientRects().length > 0;
  const shareOf = (panel, event) => {
    const r = panel.data.getScreenCTM();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(r.inverse());
    return at;
  };
  const heightAt = (one, x) => {
    const list = one.points;
    if (one.mark === "level" || one.mark === "dashed") return list[0][1];
    if (!list.length || x < list[0][0] - 1 || x > list[list.length - 1][0] + 1) return null;
    let low = 0, high = list.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (list[middle][0] <= x) low = middle; else high = middle - 1;
    }
    return list[low][1];
  };
  const nearest = (one, x, y, scale) => {
    let best = null, least = 14 * 14;
    for (const p of one.points) {
      const dx = (p[0] - x) * scale.x, dy = (p[1] - y) * scale.y;
      if (dx * dx + dy * dy < least) { least = dx * dx + dy * dy; best = p; }
    }
    return best;
  };
  const unit = (name) => name && name !== "percentile" ? " " + name : "";
  const percentile = (v) => "p" + Number((100 * (1 - Math.pow(10, -v))).toPrecision(4));
  const describe = (panel, x, up, scale) => {
    const d = panel.data.dataset;
    const xv = value(panel.x, x / panel.width);
    const lines = [d.xunit === "percentile" ? percentile(xv) : number(xv) + unit(d.xunit)];
    const height = (y) => number(value(panel.y, y / panel.height)) + unit(d.yunit);
    if (panel.figure.dataset.lanes !== undefined) {
      const names = panel.figure.dataset.lanes.split(" ");
      const lane = Math.round(value(panel.y, up / panel.height));
      if (lane < 0 || lane >= names.length) return null;
      lines[0] = names[lane] + " at " + lines[0];
      for (const one of load(panel)) {
        for (let i = 0; i + 1 < one.points.length; i += 2) {
          const [a, b] = [one.points[i], one.points[i + 1]];
          if (Math.abs(a[1] / panel.height * (panel.y.to - panel.y.from) + panel.y.from - lane) < 0.3 && a[0] <= x && x <= b[0]) {
            lines.push(one.name + " for " + number(value(panel.x, b[0] / panel.width) - value(panel.x, a[0] / panel.width)) + " s");
          }
        }
      }
      return lines;
    }
    for (const one of load(panel)) {
      if (one.mark === "dots") {
        const p = nearest(one, x, up, scale);
        if (p) lines.push(one.name + ": " + height(p[1]) + " at " + number(value(panel.x, p[0] / panel.width)) + unit(d.xunit));
        continue;
      }
      const y = heightAt(one, x);
      if (y !== null) lines.push(one.mark === "level" || one.mark === "dashed" ? one.name : one.name + ": " + height(y));
    }
    return lines;
  };
  const hide = () => { tip.hidden = true; all(".cursor").forEach((n) => n.remove()); };
  const hover = (panel, event) => {
    const at = shareOf(panel, event);
    const inside = at.x >= panel.data.viewBox.baseVal.x && at.x <= panel.data.viewBox.baseVal.x + panel.data.viewBox.baseVal.width
      && at.y >= 0 && at.y <= panel.height;
    hide();
    if (!inside) return;
    const matrix = panel.data.getScreenCTM();
    const lines = describe(panel, at.x, panel.height - at.y, { x: matrix.a, y: matrix.d });
    if (!lines) return;
    make("line", { class: "cursor", x1: at.x, x2: at.x, y1: 0, y2: panel.height }, panel.data);
    tip.textContent = lines.join("\n");
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const right = event.clientX + 16 + box.width > innerWidth;
    tip.style.left = Math.max(4, right ? event.clientX - 16 - box.width : event.clientX + 16) + "px";
    tip.style.top = Math.max(4, Math.min(event.clientY + 16, innerHeight - box.height - 4)) + "px";
  };

  // Dragging across a chart on the clock zooms all of them.
  for (const panel of panels) {
    const plot = panel.outer;
    let start = null, brush = null;
    const clock = clocked.includes(panel);
    plot.addEventListener("pointerdown", (event) => {
      if (!clock || event.button !== 0) return;
      start = shareOf(panel, event).x;
      plot.setPointerCapture(event.pointerId);
      brush = make("rect", { class: "brush", x: start, y: 0, width: 0, height: panel.height }, panel.data);
      event.preventDefault();
    });
    plot.addEventListener("pointermove", (event) => {
      if (!visible(panel)) return;
      if (start !== null) {
        const x = shareOf(panel, event).x;
        brush.setAttribute("x", Math.min(start, x));
        brush.setAttribute("width", Math.abs(x - start));
      }
      hover(panel, event);
    });
    const end = (event, apply) => {
      if (start === null) return;
      const from = Math.min(start, shareOf(panel, event).x), to = Math.max(start, shareOf(panel, event).x);
      const pixels = (to - from) * panel.data.getScreenCTM().a;
      brush.remove();
      start = null;
      if (apply && pixels > 6) zoomTo(value(panel.x, from / panel.width), value(panel.x, to / panel.width));
    };
    plot.addEventListener("pointerup", (event) => end(event, true));
    plot.addEventListener("pointercancel", (event) => end(event, false));
    plot.addEventListener("pointerleave", hide);
    plot.addEventListener("dblclick", () => { if (clock) moves.all(); });
  }
})();
