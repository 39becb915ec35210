// Plots: values under the mouse, zoom, pan, lines on and off, a time shared with the player, and exports.
"use strict";
const NAMED = { "-15": "f", "-12": "p", "-9": "n", "-6": "µ", "-3": "m", 0: "", 3: "k", 6: "M", 9: "G" };
const PREFIXABLE = ["m", "s", "J", "N", "W"];
const powers = (k) => `10${[...String(k)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("")}`;

// Round ticks from `low` to `high`, about `n` of them, and the unit of their labels.
const linear = ([low, high], unit, n, is_tight) => {
  const raw = (high - low) / n, decade = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * decade).find((s) => s >= raw * (1 - 1e-9));
  const [first, last] = is_tight ? [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)] : [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  if (!is_tight) [low, high] = [first * step, last * step];
  const top = Math.floor(Math.log10(Math.max(Math.abs(low), Math.abs(high)))), by_three = Math.floor(top / 3) * 3;
  const has_prefix = PREFIXABLE.includes(unit) && NAMED[by_three] !== undefined, own = unit === "1" ? "" : unit;
  const is_plain = top >= -3 && top < 5, shift = has_prefix ? by_three : is_plain ? 0 : top;
  const decimals = Math.max(0, shift - Math.floor(Math.log10(step) + 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, k) => {
    const value = (first + k) * step;
    return { value, label: (value / 10 ** shift + 0).toFixed(decimals).replace("-", "−") };
  });
  const named = has_prefix ? NAMED[by_three] + unit : is_plain ? own : `${powers(top)} ${own}`.trim();
  return { low, high, ticks, unit: named, straight: (value) => value };
};

// Logarithmic on both sides of zero; linear, and marked as broken, up to the smallest power of ten that matters.
const decades = (values, unit) => {
  let least = Infinity, most = 0, low = 0, high = 0;
  for (const v of values) {
    if (!Number.isFinite(v)) continue;
    if (v !== 0) { least = Math.min(least, Math.abs(v)); most = Math.max(most, Math.abs(v)); }
    low = Math.min(low, v); high = Math.max(high, v);
  }
  if (most === 0) return linear([0, 1], unit, 4);
  const top = Math.ceil(Math.log10(most) - 1e-12), bottom = Math.min(top - 1, Math.max(top - 10, Math.floor(Math.log10(least) + 1e-12)));
  const threshold = 10 ** bottom, bound = (v) => (v === 0 ? 0 : Math.sign(v) * 10 ** Math.max(bottom, Math.ceil(Math.log10(Math.abs(v)) - 1e-12)));
  const straight = (v) => (Math.abs(v) <= threshold ? v / threshold : Math.sign(v) * (1 + Math.log10(Math.abs(v) / threshold)));
  [low, high] = [bound(low), bound(high)];
  const sides = (low < 0) + (high > 0), stride = (top - bottom + 1) * sides <= 6 ? 1 : 3, ticks = [{ value: 0, label: "0" }];
  for (let k = bottom; k <= top; k++) {
    for (const sign of [-1, 1]) {
      const value = sign * 10 ** k;
      if (value < low * (1 + 1e-9) || value > high * (1 + 1e-9)) continue;
      const three = Math.floor(k / 3) * 3, text = PREFIXABLE.includes(unit) && NAMED[three] !== undefined ? `${10 ** (k - three)} ${NAMED[three]}${unit}` : powers(k);
      ticks.push({ value, label: (top - k) % stride === 0 ? (sign < 0 ? "−" : "") + text : "" });
    }
  }
  return { low, high, ticks, unit: "", straight, broken: threshold };
};

rigor.Plot = class {
  constructor(figure) {
    this.figure = figure;
    this.data = JSON.parse(figure.querySelector("script").textContent);
    this.svg = figure.querySelector("svg");
    this.paths = [...this.svg.querySelectorAll("path.line")];
    this.range = this.full = this.data.range;
    this.log = this.data.scale.threshold !== null;
    this.hidden = new Set();
    if (this.data.across[0] === "time") {
      this.clock = rigor.clock(figure);
      this.clock.hear(() => this.follow());
    }
    this.hover = make("div", { class: "hover", hidden: true, role: "status" });
    const tool = (text, label, onclick) => make("button", { type: "button", title: label, "aria-label": `${label}: ${this.data.title}`, onclick }, text);
    this.log_button = tool("Log", "Logarithmic axis, with 0", () => { this.log = !this.log; this.redraw(); });
    this.log_button.setAttribute("aria-pressed", this.log);
    figure.append(this.hover, make("div", { class: "tools" }, this.log_button,
      tool("Whole", "Show the whole range", () => this.zoom(this.full)),
      tool("SVG", "Save as SVG", () => this.to_svg().then((text) => rigor.save(`${this.data.file}.svg`, text, "image/svg+xml"))),
      tool("PDF", "Print alone, or save as PDF", () => rigor.print(this)),
      tool("CSV", "Save the numbers as CSV", () => this.to_csv().then((text) => rigor.save(`${this.data.file}.csv`, text, "text/csv")))));
    this.listen();
  }
  element(tag, attributes, text) {
    const element = document.createElementNS(this.svg.namespaceURI, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }
  // The numbers of each line.
  async lines() {
    if (this.ready) return this.ready;
    return (this.ready = (async () => {
      const { lines, numbers } = this.data;
      const reader = new rigor.Reader(await rigor.bytes(numbers), 0);
      const column = (n) => {
        const top = reader.track(n), bottom = reader.track(n), bits = Uint32Array.from(top, (t, k) => t * 65536 + bottom[k]);
        return Array.from(new Float32Array(bits.buffer), (v) => Number(v.toPrecision(7)));
      };
      return lines.map(({ name, n, even }) => ({
        name, x: even ? Array.from({ length: n }, (_, k) => Number((even[0] + k * even[1]).toPrecision(7))) : column(n), y: column(n),
      }));
    })());
  }

  // Places.
  px(x) { const [left, , right] = this.data.margin; return left + ((x - this.range[0]) / (this.range[1] - this.range[0])) * (this.data.size[0] - left - right); }
  x_of(event) {
    const box = this.svg.getBoundingClientRect(), [left, , right] = this.data.margin, width = this.data.size[0];
    const part = (((event.clientX - box.left) / box.width) * width - left) / (width - left - right);
    return this.range[0] + Math.min(1, Math.max(0, part)) * (this.range[1] - this.range[0]);
  }
  py(value, scale = this.scale ?? this.first()) {
    const [, top, , bottom] = this.data.margin, height = this.data.size[1];
    const [low, high, at] = [scale.low, scale.high, value].map(scale.straight);
    return height - bottom - Math.min(1, Math.max(0, (at - low) / (high - low))) * (height - top - bottom);
  }
  // The axis as the program drew it.
  first() {
    const { low, high, threshold } = this.data.scale;
    const straight = (v) => (threshold === null ? v : Math.abs(v) <= threshold ? v / threshold : Math.sign(v) * (1 + Math.log10(Math.abs(v) / threshold)));
    return { low, high, straight };
  }

  listen() {
    const { svg } = this;
    let start;
    svg.setAttribute("tabindex", 0);
    svg.addEventListener("pointerdown", (event) => { start = { x: event.clientX, value: this.x_of(event) }; svg.setPointerCapture(event.pointerId); });
    svg.addEventListener("pointermove", (event) => {
      this.band?.remove();
      if (start && event.shiftKey) {
        const by = start.value - this.x_of(event);
        this.zoom(this.range.map((x) => x + by));
      } else if (start && Math.abs(event.clientX - start.x) > 5) {
        const [a, b] = [start.value, this.x_of(event)].map((x) => this.px(x)), [, top, , bottom] = this.data.margin;
        this.band = this.element("rect", { class: "band", x: Math.min(a, b), width: Math.abs(b - a), y: top, height: this.data.size[1] - top - bottom });
        svg.append(this.band);
      }
      this.show(this.x_of(event));
    });
    svg.addEventListener("pointerup", (event) => {
      this.band?.remove();
      if (!start || event.shiftKey) { start = undefined; return; }
      if (Math.abs(event.clientX - start.x) > 5) this.zoom([start.value, this.x_of(event)].sort((a, b) => a - b));
      else this.set(this.x_of(event));
      start = undefined;
    });
    svg.addEventListener("pointerleave", () => this.hide());
    svg.addEventListener("blur", () => this.hide());
    svg.addEventListener("dblclick", () => this.zoom(this.full));
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.around(this.x_of(event), Math.exp(0.002 * event.deltaY));
    }, { passive: false });
    svg.addEventListener("keydown", (event) => this.key(event));
  }
  async key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key], now = this.clock?.time ?? this.range[0];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (by && event.shiftKey) this.zoom(this.range.map((x) => x + 0.1 * by * (this.range[1] - this.range[0])));
    else if (by) this.set(this.range[0] + Math.min(1, Math.max(0, (now - this.range[0]) / (this.range[1] - this.range[0]) + 0.01 * by)) * (this.range[1] - this.range[0]));
    else if (event.key === "+" || event.key === "=") this.around(now, 0.8);
    else if (event.key === "-") this.around(now, 1.25);
    else if (event.key === "Escape") this.zoom(this.full);
    else return;
    event.preventDefault();
    this.show(this.clock?.time ?? now);
  }
  set(x) {
    if (!this.clock) return;
    for (const player of rigor.players) if (player.clock === this.clock) player.pause();
    this.clock.set(x);
  }
  around(x, factor) { this.zoom(this.range.map((end) => x + factor * (end - x))); }
  zoom([low, high]) {
    const [least, most] = this.full, width = Math.min(most - least, Math.max(1e-6 * (most - least), high - low));
    const from = Math.min(most - width, Math.max(least, low));
    this.range = [from, from + width];
    this.redraw();
  }
  toggle(name, is_shown) {
    if (is_shown) this.hidden.delete(name); else this.hidden.add(name);
    this.redraw();
  }
  // The cursor of the player's time.
  follow() {
    this.cursor ??= this.svg.appendChild(this.element("line", { class: "cursor" }));
    const x = this.px(this.clock.time), [left, top, right, bottom] = this.data.margin;
    const is_inside = x >= left - 0.1 && x <= this.data.size[0] - right + 0.1;
    for (const [name, value] of Object.entries({ x1: x, x2: x, y1: top, y2: this.data.size[1] - bottom, visibility: is_inside ? "visible" : "hidden" })) {
      this.cursor.setAttribute(name, value);
    }
  }
  // The values of all lines at the point nearest to `x`.
  async show(x) {
    this.wanted = x;
    const lines = await this.lines();
    if (this.wanted !== x) return;
    const near = (list) => {
      let low = 0, high = list.length;
      while (high - low > 1) { const middle = (low + high) >> 1; if (list[middle] <= x) low = middle; else high = middle; }
      return low + 1 < list.length && list[low + 1] - x < x - list[low] ? low + 1 : low;
    };
    this.unmark();
    const rows = lines.filter((line) => line.x.length && !this.hidden.has(line.name)).map((line) => {
      const k = near(line.x), path = this.paths[lines.indexOf(line)];
      if (Number.isFinite(line.y[k]) && line.x[k] >= this.range[0] && line.x[k] <= this.range[1]) {
        const dot = this.element("circle", { class: "dot", cx: this.px(line.x[k]), cy: this.py(line.y[k]), r: 3.5, fill: getComputedStyle(path).stroke });
        this.svg.append(dot);
      }
      return make("tr", {}, make("td", {}, line.name), make("td", { class: "number", "data-x": line.x[k], "data-value": line.y[k] }, this.text(line.y[k])));
    });
    this.hover.replaceChildren(`${this.data.across[0]} ${rigor.number(x, this.data.across[1])}`, make("table", {}, make("tbody", {}, ...rows)));
    this.hover.hidden = false;
    const at = (this.px(x) / this.data.size[0]) * this.svg.clientWidth, width = this.hover.offsetWidth;
    this.hover.style.left = `${Math.max(0, at + 12 + width > this.figure.clientWidth ? at - width - 12 : at + 12)}px`;
    this.hover.style.top = `${this.svg.getBoundingClientRect().top - this.figure.getBoundingClientRect().top + 8}px`;
  }
  text(value) { return `${String(Number(value.toPrecision(6))).replace("-", "−")}${this.data.unit === "1" ? "" : ` ${this.data.unit}`}`; }
  unmark() { for (const dot of this.svg.querySelectorAll(".dot")) dot.remove(); }
  hide() { this.wanted = undefined; this.hover.hidden = true; this.unmark(); this.band?.remove(); }

  // Draws axes and lines over the range that is shown.
  async redraw() {
    const lines = await this.lines(), { size, margin, unit, across } = this.data, [left, top, right, bottom] = margin, [from, to] = this.range;
    const cut = lines.map((line) => this.hidden.has(line.name) ? [] : this.cut(line));
    const values = [].concat(...cut.map((points) => points.map((point) => point[1]))).filter(Number.isFinite);
    const low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    const span = high > low ? [low, high] : Number.isFinite(low) ? [Math.min(low, 0), Math.max(low, 0, low === 0 ? 1 : low)] : [0, 1];
    this.scale = this.log ? decades(values, unit) : linear(span, unit, 5);
    this.log_button.setAttribute("aria-pressed", this.log);
    const axes = this.svg.querySelector("g.axes"), x_axis = linear([from, to], across[1], 6, true), drawn = [];
    for (const { value, label } of this.scale.ticks) {
      const y = this.py(value);
      drawn.push(this.element("line", { class: value === 0 ? "grid zero" : "grid", x1: left, x2: size[0] - right, y1: y, y2: y }));
      if (label) drawn.push(this.element("text", { class: "y", x: left - 6, y: y + 4 }, label));
    }
    for (const { value, label } of x_axis.ticks) {
      const x = this.px(value);
      drawn.push(this.element("line", { class: "grid", x1: x, x2: x, y1: top, y2: size[1] - bottom }), this.element("text", { class: "x", x, y: size[1] - bottom + 15 }, label));
    }
    const is_long = [...this.scale.unit].length > 6;
    if (this.scale.unit) drawn.push(this.element("text", { class: is_long ? "unit long" : "unit", x: is_long ? 0 : left, y: 10 }, `(${this.scale.unit})`));
    drawn.push(this.element("text", { class: "time", x: size[0] - right, y: size[1] - 4 }, `${across[0]}${x_axis.unit ? ` (${x_axis.unit})` : ""}`));
    if (this.scale.broken) {
      for (const sign of [this.scale.high > 0 && 1, this.scale.low < 0 && -1].filter(Boolean)) {
        const y = this.py(0.5 * sign * this.scale.broken);
        drawn.push(this.element("path", { class: "break", d: `M${left - 5} ${y + 1}l10 -4m-10 7l10 -4` }));
      }
    }
    axes.replaceChildren(...drawn);
    this.paths.forEach((path, k) => {
      let data = "", is_drawing = false;
      for (const [x, y] of cut[k]) {
        if (!Number.isFinite(y)) { is_drawing = false; continue; }
        data += `${is_drawing ? "L" : "M"}${this.px(x).toFixed(1)} ${this.py(y).toFixed(1)}`;
        is_drawing = true;
      }
      path.setAttribute("d", data);
    });
    if (this.clock) this.follow();
  }
  // The points of a line in the range, with its values at both ends.
  cut({ x, y }) {
    const [from, to] = this.range, points = [];
    const between = (k, at) => y[k] + ((at - x[k]) / (x[k + 1] - x[k])) * (y[k + 1] - y[k]);
    for (let k = 0; k < x.length; k++) {
      if (x[k] >= from && x[k] <= to) points.push([x[k], y[k]]);
      for (const end of [from, to]) if (k + 1 < x.length && x[k] < end && x[k + 1] > end) points.push([end, between(k, end)]);
    }
    return points.sort((a, b) => a[0] - b[0]);
  }

  // One column per line and one row per time at which any of them has a value.
  async to_csv() {
    const lines = await this.lines(), { across, unit } = this.data, quoted = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const times = [...new Set([].concat(...lines.map((line) => line.x)))].sort((a, b) => a - b);
    const columns = lines.map((line) => new Map(line.x.map((x, k) => [x, line.y[k]])));
    const head = [`${across[0]}${across[1] ? ` [${across[1]}]` : ""}`, ...lines.map((line) => `${line.name} [${unit}]`)].map(quoted);
    return [head, ...times.map((x) => [x, ...columns.map((column) => column.get(x) ?? "")])].map((row) => `${row.join(",")}\n`).join("");
  }
  // A picture that stands alone, with the names of the lines below.
  async to_svg() {
    const copy = this.svg.cloneNode(true), [width, height] = this.data.size, wanted = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-dashoffset", "stroke-linejoin", "font-size", "text-anchor", "opacity"];
    const originals = [this.svg, ...this.svg.querySelectorAll("*")], copies = [copy, ...copy.querySelectorAll("*")];
    rigor.in_light(() => originals.forEach((original, k) => {
      const style = getComputedStyle(original);
      for (const name of wanted) copies[k].style.setProperty(name, style.getPropertyValue(name));
    }));
    for (const extra of copy.querySelectorAll(".cursor, .dot, .band")) extra.remove();
    const names = this.data.lines.map((line) => line.name), shown = names.map((name, k) => [name, k]).filter(([name]) => !this.hidden.has(name));
    rigor.in_light(() => shown.forEach(([name, k], place) => {
      const y = height + 14 + 16 * place, style = getComputedStyle(this.paths[k]);
      copy.append(this.element("path", { d: `M62 ${y - 4}h28`, style: `stroke:${style.stroke};stroke-width:1.7;stroke-dasharray:${style.strokeDasharray};fill:none` }));
      copy.append(this.element("text", { x: 98, y, style: `font-size:11.5px;fill:${getComputedStyle(this.svg).color}` }, name));
    }));
    copy.setAttribute("viewBox", `0 0 ${width} ${height + 8 + 16 * shown.length}`);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height + 8 + 16 * shown.length);
    copy.style.fontFamily = "sans-serif";
    for (const name of ["tabindex", "class"]) copy.removeAttribute(name);
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
  }
};

// Names of lines switch them on and off: those of a figure there, those of a section in all its plots.
rigor.legends = () => {
  for (const keys of document.querySelectorAll("p.keys")) {
    const scope = keys.closest("figure.plot") ?? keys.closest("section");
    for (const key of keys.querySelectorAll(".key")) {
      const name = key.textContent;
      const button = make("button", { type: "button", "aria-pressed": "true", title: `Show or hide ${name}`, onclick: () => {
        const is_shown = button.getAttribute("aria-pressed") === "false";
        button.setAttribute("aria-pressed", is_shown);
        for (const plot of rigor.plots) {
          if (scope?.contains(plot.figure) && plot.data.lines.some((line) => line.name === name)) plot.toggle(name, is_shown);
        }
      } });
      button.append(...key.childNodes);
      key.append(button);
    }
  }
};
