// The player of a scene: views of all runs, locked in time and camera, and its controls.
"use strict";
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
};

// A number with four digits and its unit.
rigor.number = (value, unit) => {
  if (!Number.isFinite(value)) return String(value);
  const digits = Number(value.toPrecision(4)), size = Math.abs(digits);
  const [mantissa, power] = size !== 0 && (size < 1e-3 || size >= 1e5) ? digits.toExponential().split("e") : [String(digits), ""];
  const raised = power && ` × 10${[...power.replace("+", "")].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("")}`;
  return `${mantissa}${raised}${unit && unit !== "1" ? ` ${unit}` : ""}`.replace(/-/g, "−");
};

// Saves `content` as a file.
rigor.save = (name, content, type) => {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
};

// One time for all that a section shows.
rigor.Clock = class {
  constructor() { this.time = 0; this.heard = []; }
  set(time) { this.time = time; for (const hear of this.heard) hear(time); }
  hear(hear) { this.heard.push(hear); }
};
rigor.clock = (element) => {
  const section = element.closest("section") ?? document.body;
  return (section.clock ??= new rigor.Clock());
};

rigor.theme = () => matchMedia("(prefers-color-scheme: dark)").matches && !rigor.paper
  ? { haze: [0.13, 0.145, 0.165], sky: [0.2, 0.22, 0.25] }
  : { haze: [0.925, 0.932, 0.94], sky: [0.975, 0.98, 0.985] };

// How much of the other bodies is left where bodies are marked.
const VEIL = 0.3;
const HELP = "Drag turns, Shift or the right button moves, Ctrl with the wheel zooms. Keys in a view: arrows turn, with Shift they " +
  "move, + and − zoom, R resets; space plays, comma and full stop step.";

rigor.Player = class {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.clock = rigor.clock(root);
    this.playing = false;
    this.drawn = 0;
    this.intervals = [];
  }
  async start() {
    const { stage } = this.data;
    if (!rigor.screen()) throw new Error("this browser has no WebGL2");
    this.model = new rigor.Model(stage, await rigor.bytes(stage.meshes));
    await this.load();
    this.build();
    this.reset();
    this.clock.hear(() => this.changed());
    new ResizeObserver(() => this.changed()).observe(this.views);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.changed());
    this.changed();
    return this;
  }

  // Takes over longer films of the same runs; a player that showed the end shows the new end.
  async refresh(data) {
    const was_at_end = this.clock.time >= this.end - 1e-9;
    this.data = { ...this.data, runs: data.runs };
    await this.load();
    this.tops = undefined;
    this.slider.max = this.end;
    if (was_at_end) this.clock.set(this.end); else this.changed();
  }
  async load() {
    const { stage, runs } = this.data;
    this.films = await Promise.all(runs.map(async (run) =>
      new rigor.Film(run, stage.names.length, stage.radii.length, await rigor.bytes(run.film))));
    this.forces = await Promise.all(runs.map(async (run, k) =>
      run.forces ? new rigor.Forces(stage.names.length, this.films[k].frames, await rigor.bytes(run.forces)) : undefined));
    this.contacts = await Promise.all(runs.map(async (run, k) => run.contacts ? new rigor.Contacts(this.films[k].frames, await rigor.bytes(run.contacts)) : undefined));
    this.unit = undefined;
    this.end = Math.max(...this.films.map((film) => film.times[film.frames - 1]));
    this.times = [...new Set([].concat(...this.films.map((film) => film.times)))].sort((a, b) => a - b);
  }

  // What the player consists of.
  build() {
    const { stage, runs, others } = this.data;
    this.views = make("div", { class: runs.length > 6 ? "views many" : "views" });
    this.tiles = runs.map((run, k) => this.tile(run, k));
    for (const other of others) {
      this.views.append(make("figure", { class: "view" }, make("div", { class: "nothing" }, other.text), make("figcaption", {}, make("b", {}, other.name))));
    }
    const button = (text, label, onclick) => make("button", { type: "button", "aria-label": label, title: label, onclick }, text);
    this.play_button = button("▶", "Play", () => this.toggle());
    this.slider = make("input", {
      type: "range", min: 0, max: this.end, step: "any", value: 0, "aria-label": "Time",
      oninput: () => { this.pause(); this.clock.set(Number(this.slider.value)); },
      onkeydown: (event) => this.slide(event),
    });
    this.shown = make("output", { class: "time" });
    const choice = (label, options, chosen, onchange) => {
      const select = make("select", { onchange: () => { onchange(select.value); this.changed(); } },
        ...options.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
      return make("label", {}, `${label} `, select);
    };
    const speeds = [["0.01", "1/100"], ["0.03125", "1/32"], ["0.125", "1/8"], ["0.25", "1/4"], ["0.5", "1/2"], ["1", "1×"], ["2", "2×"], ["4", "4×"]];
    this.speed = this.end < 0.25 ? 0.03125 : this.end < 1 ? 0.25 : 1;
    const colors = [["body", "body"], ["speed", "speed"], ["energy", "kinetic energy"],
      ...(this.forces.some(Boolean) ? [["force", "contact force"]] : [])];
    const arrows = [["", "none"], ...(this.forces.some(Boolean) ? [["force", "force on each body"]] : []),
      ...(this.contacts.some(Boolean) ? [["contact", "forces at contacts"], ["normal", "normals of contacts"]] : [])];
    const nobody = [["", "nothing"], ...stage.names.slice(0, 500).map((name, k) => [String(k), name])];
    const ghosts = [["", "none"], ...runs.map((run, k) => [String(k), run.name])];
    const controls = make("div", { class: "controls", role: "group", "aria-label": "Playback" },
      this.play_button, button("|◀", "One frame back", () => this.step(-1)), button("▶|", "One frame forward", () => this.step(1)),
      this.slider, this.shown);
    const options = make("div", { class: "options" },
      choice("Speed", speeds, String(this.speed), (value) => { this.speed = Number(value); }),
      choice("Colour", colors, "body", (value) => { this.coloring = value; }),
      arrows.length > 1 ? choice("Arrows", arrows, "", (value) => { this.arrows = value; }) : "",
      choice("Follow", nobody, "", (value) => { this.follow = value === "" ? undefined : Number(value); this.chase(); }),
      runs.length > 1 ? choice("Ghost", ghosts, "", (value) => { this.ghost = value === "" ? undefined : Number(value); }) : "",
      button("Reset view", "Reset the view", () => this.reset()), button("PNG", "Save the pictures as PNG", () => this.png()));
    this.legend = make("div", { class: "ramp", hidden: true });
    this.scale = make("div", { class: "ramp arrows", hidden: true });
    this.message = make("p", { class: "source", role: "status" });
    this.root.prepend(this.views, controls, options, this.legend, this.scale, this.moments(), this.message);
    this.root.append(make("details", { class: "help" }, make("summary", {}, "Mouse and keys"), make("p", {}, HELP)));
    this.root.classList.add("ready");
    this.coloring = "body";
  }
  tile(run, k) {
    const canvas = make("canvas", { tabindex: 0, role: "img", "aria-label": `${this.data.scene} by ${run.name}` });
    const frame = make("span", { class: "frame" });
    const key = this.swatch(run.key);
    const outcome = make("span", { class: run.mark }, run.sign && make("span", { class: "sign" }, run.sign), run.text);
    this.views.append(make("figure", { class: "view" }, canvas, make("figcaption", {}, key, make("b", {}, run.name), " ", outcome, " ", frame)));
    this.steer(canvas, k);
    return { canvas, frame, context: canvas.getContext("2d"), marked: undefined };
  }
  swatch(key) {
    return make("span", { class: "swatch", style: `background:var(--${key.split(" ")[0]})` });
  }
  // Links to the moments of all runs.
  moments() {
    const lists = this.data.runs.map((run, k) => run.moments.map((moment) => make("li", {}, make("button", {
      type: "button", class: moment.mark, onclick: () => this.visit(k, moment),
    }, moment.sign && make("span", { class: "sign" }, moment.sign), `${run.name}: ${moment.what}`, make("small", {}, ` ${moment.at}${moment.bodies.length ? `, ${moment.bodies.map((b) => b.name).join(" – ")}` : ""}`)))));
    const all = [].concat(...lists);
    if (!all.length) return "";
    const list = make("ul", { class: "moments", "aria-label": "Moments" }, ...all);
    return all.length > 6 ? make("details", {}, make("summary", {}, `Moments to look at (${all.length})`), list) : list;
  }
  // Shows a moment of run `k`, with its bodies marked and, if `is_close`, near.
  visit(k, moment, is_close = true) {
    this.pause();
    const film = this.films[k], frame = film.at(moment.time + 0.5 * (film.times[1] ?? 0));
    this.tiles.forEach((tile) => { tile.marked = undefined; });
    const bodies = moment.bodies.map((body) => body.index).filter((index) => index >= 0);
    this.tiles[k].marked = { frame, bodies: new Set(bodies), moment };
    this.clock.set(film.times[frame]);
    if (is_close && bodies.length) {
      const sizes = this.data.stage.size, smallest = bodies.reduce((a, b) => (sizes[b] < sizes[a] ? b : a));
      this.camera.focus = film.position(smallest, frame);
      this.camera.distance = Math.min(this.camera.distance, Math.max(5.5 * sizes[smallest], 0.05 * this.data.stage.camera.radius) / 0.2679 / 1.6);
      this.changed();
    }
    this.message.textContent = `${this.data.runs[k].name}: ${moment.what}, ${moment.at}. ${moment.triangles?.length ? `${moment.triangles.length} triangles intersect, outlined in red. ` : ""}${moment.gap ? "The blue line is the gap. " : ""}“Reset view” shows the whole scene.`;
  }

  // Time.
  toggle() { if (this.playing) this.pause(); else this.run(); }
  run() {
    if (this.clock.time >= this.end - 1e-9) this.clock.set(0);
    this.playing = true;
    this.intervals = [];
    this.play_button.textContent = "❚❚";
    this.play_button.setAttribute("aria-label", "Pause");
    let before = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      const time = Math.min(this.end, this.clock.time + (this.speed * Math.min(250, now - before)) / 1000);
      this.pace(now - before);
      before = now;
      this.clock.set(time);
      if (time >= this.end) this.pause(); else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
  pause() {
    this.playing = false;
    if (this.is_slow) { this.is_slow = false; this.changed(); }
    this.play_button.textContent = "▶";
    this.play_button.setAttribute("aria-label", "Play");
  }
  step(by) {
    this.pause();
    const { times } = this, now = this.clock.time;
    const next = by > 0 ? times.find((time) => time > now + 1e-9) : times.findLast((time) => time < now - 1e-9);
    if (next !== undefined) this.clock.set(next);
  }
  slide(event) {
    const keys = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
    if (keys[event.key]) { this.step(keys[event.key]); event.preventDefault(); }
    if (event.key === " ") { this.toggle(); event.preventDefault(); }
  }

  // The camera.
  reset() {
    // The program's pictures look beside the centre of the framed region where bodies lie more to one side.
    const { eye, axes, focus } = this.data.stage.camera, { add, dot } = rigor.vec;
    const distance = dot(add(focus, eye, -1), axes[2]);
    this.camera = { focus: add(eye, axes[2], distance), axes: axes.map((axis) => [...axis]), distance, home: distance };
    this.chase();
    this.tiles.forEach((tile) => { tile.marked = undefined; });
    this.message.textContent = "";
    this.changed();
  }
  // Keeps the distance between the focus and the followed body.
  chase() {
    const { follow } = this;
    if (follow === undefined) return;
    this.camera.focus = this.films[0].position(follow, this.films[0].at(this.clock.time));
    this.anchor = [...this.camera.focus];
  }
  turn(across, upwards) {
    const { camera } = this, { cross, dot, unit } = rigor.vec, vertical = this.data.stage.camera.up;
    const spin = (v, axis, angle) => {
      const c = Math.cos(angle), s = Math.sin(angle), x = cross(axis, v), d = dot(axis, v) * (1 - c);
      return v.map((e, k) => e * c + x[k] * s + axis[k] * d);
    };
    const height = Math.asin(Math.max(-1, Math.min(1, -dot(camera.axes[2], vertical))));
    const tilt = Math.max(-1.55, Math.min(1.55, height + upwards)) - height;
    let forward = spin(camera.axes[2], vertical, -across), right = unit(cross(forward, vertical));
    forward = unit(spin(forward, right, -tilt));
    right = unit(cross(forward, vertical));
    camera.axes = [right, cross(right, forward), forward];
    this.changed();
  }
  move(right, up) {
    const { camera } = this, { add } = rigor.vec, step = camera.distance * 0.2679 * 2;
    camera.focus = add(add(camera.focus, camera.axes[0], -right * step), camera.axes[1], up * step);
    this.changed();
  }
  zoom(factor) {
    const { camera } = this;
    camera.distance = Math.max(1e-3 * camera.home, Math.min(50 * camera.home, camera.distance * factor));
    this.changed();
  }
  // Mouse, fingers and keys in a view.
  steer(canvas) {
    const fingers = new Map();
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, event);
      canvas.focus({ preventScroll: true });
    });
    const gone = (event) => fingers.delete(event.pointerId);
    canvas.addEventListener("pointerup", gone);
    canvas.addEventListener("pointercancel", gone);
    canvas.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY, height = canvas.clientHeight;
      if (fingers.size === 2) {
        const [other] = [...fingers.values()].filter((finger) => finger.pointerId !== event.pointerId);
        const apart = (finger) => Math.hypot(finger.clientX - other.clientX, finger.clientY - other.clientY);
        this.zoom(apart(before) / Math.max(1, apart(event)));
      } else if (event.shiftKey || event.buttons & 6) this.move(dx / height, dy / height);
      else this.turn((3 * dx) / height, (3 * dy) / height);
      fingers.set(event.pointerId, event);
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(Math.exp(0.002 * event.deltaY));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (arrows) { if (event.shiftKey) this.move(0.1 * arrows[0], -0.1 * arrows[1]); else this.turn(0.15 * arrows[0], 0.15 * arrows[1]); }
      else if (event.key === "+" || event.key === "=") this.zoom(0.87);
      else if (event.key === "-") this.zoom(1.15);
      else if (event.key === " ") this.toggle();
      else if (event.key === ",") this.step(-1);
      else if (event.key === ".") this.step(1);
      else if (event.key.toLowerCase() === "r") this.reset();
      else return;
      event.preventDefault();
    });
  }

  // Drawing: at most once per picture of the screen.
  changed() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }
  colors(film, frame) {
    if (this.coloring === "body") return undefined;
    const top = this.top();
    return (body) => rigor.ramp(this.value(film, body, frame) / top);
  }
  // The quantity that colours a body.
  value(film, body, frame) {
    if (this.coloring === "force") return this.forces[this.films.indexOf(film)]?.size(body, frame) ?? 0;
    const speed = film.speed(body, frame);
    return this.coloring === "speed" ? speed : 0.5 * this.data.stage.mass[body] * speed * speed;
  }
  // The largest value of all runs, over a sample of frames.
  top() {
    this.tops ??= {};
    return (this.tops[this.coloring] ??= Math.max(1e-12, ...this.films.map((film) => {
      const stride = Math.max(1, Math.ceil((film.frames * film.bodies) / 200000));
      let top = 0;
      for (let frame = 0; frame < film.frames; frame += stride) {
        for (let body = 0; body < film.bodies; body++) top = Math.max(top, this.value(film, body, frame));
      }
      return top;
    })));
  }
  seen(film, frame) {
    const { add } = rigor.vec;
    let focus = this.camera.focus;
    if (this.follow !== undefined) focus = add(film.position(this.follow, frame), add(focus, this.anchor, -1));
    return { ...this.camera, eye: add(focus, this.camera.axes[2], -this.camera.distance) };
  }
  paint(k, width, height, theme) {
    const film = this.films[k], frame = film.at(this.clock.time), tile = this.tiles[k], camera = this.seen(film, frame);
    const marked = tile.marked?.frame === frame ? tile.marked.bodies : undefined;
    [, , this.model.forward] = camera.axes;
    rigor.begin(width, height, theme);
    const colors = this.colors(film, frame), others = marked?.size ? (body) => !marked.has(body) : undefined;
    this.model.load(film, frame, colors, marked, others);
    this.model.draw(camera, width, height, theme);
    if (others) {
      this.model.load(film, frame, colors, undefined, (body) => marked.has(body));
      this.model.draw(camera, width, height, theme, VEIL, true);
    }
    this.mark(k, frame, camera, tile.marked?.frame === frame ? tile.marked.moment : undefined);
    if (this.ghost !== undefined && this.ghost !== k) {
      const ghost = this.films[this.ghost], gray = [0.35, 0.4, 0.5];
      this.model.load(ghost, ghost.at(this.clock.time), () => gray);
      this.model.draw(camera, width, height, theme, 0.25);
    }
    return frame;
  }
  // The force (N) that an arrow of a fifth of the scene stands for: the median of a sample of all that are not 0.
  newton() {
    const sample = [];
    this.films.forEach((film, k) => {
      const forces = this.forces[k], stride = Math.max(1, Math.ceil((film.frames * film.bodies) / 20000));
      for (let frame = 0; forces && frame < film.frames; frame += stride) {
        for (let body = 0; body < film.bodies; body++) { const size = forces.size(body, frame); if (size > 0) sample.push(size); }
      }
      for (const { push, drag } of (this.contacts[k]?.lists ?? []).flat().slice(0, 20000)) sample.push(rigor.vec.norm(rigor.vec.add(push, drag)));
    });
    sample.sort((a, b) => a - b);
    return (this.unit ??= sample[sample.length >> 1] || 1);
  }
  // Arrows, triangles that intersect, and the gap of a moment.
  mark(k, frame, camera, moment) {
    const { add, norm } = rigor.vec, { inks } = rigor, { values, scale } = this.model.seen, marks = new rigor.Marks(camera, scale);
    const radius = this.data.stage.camera.radius, longest = 1.2 * radius;
    const arrow = (at, force, ink, width = 3) => {
      const length = (0.2 * radius * norm(force)) / this.newton();
      if (length > 1e-3 * radius) marks.arrow(at, force.map((c) => (c * Math.min(length, longest)) / norm(force)), width, ink);
    };
    const film = this.films[k], list = this.contacts[k]?.lists[frame] ?? [];
    if (this.arrows === "force" && this.forces[k]) {
      for (let body = 0; body < film.bodies; body++) arrow(film.position(body, frame), this.forces[k].of(body, frame), inks.force);
    } else if (this.arrows === "contact") {
      for (const { point, push, drag } of list) { arrow(point, push, inks.force, 2.5); arrow(point, drag, inks.friction, 2); }
    } else if (this.arrows === "normal") {
      for (const { point, normal } of list) marks.arrow(point, normal.map((c) => 0.12 * radius * c), 2, inks.normal);
    }
    for (const t of moment?.triangles ?? []) {
      const corners = [t.slice(0, 3), t.slice(3, 6), t.slice(6, 9)];
      corners.forEach((corner, i) => marks.line(corner, corners[(i + 1) % 3], 2, inks.triangle));
    }
    if (moment?.gap) marks.line(moment.gap.slice(0, 3), moment.gap.slice(3, 6), 4, inks.gap);
    marks.draw(values);
    this.marked = marks.numbers.length / 18;
  }
  draw() {
    const ratio = this.is_slow ? 0.5 : Math.min(2, devicePixelRatio || 1), theme = rigor.theme();
    this.model.is_plain = this.is_slow;
    this.tiles.forEach((tile, k) => {
      const width = Math.round(tile.canvas.clientWidth * ratio), height = Math.round(tile.canvas.clientHeight * ratio);
      if (!width || !height) return;
      if (tile.canvas.width !== width || tile.canvas.height !== height) { tile.canvas.width = width; tile.canvas.height = height; }
      const frame = this.paint(k, width, height, theme), film = this.films[k];
      tile.context.drawImage(rigor.gl.canvas, 0, 0);
      const ended = frame === film.frames - 1 && this.clock.time > film.times[frame] + 1e-9 ? ", its last" : "";
      tile.frame.textContent = `step ${film.steps[frame]}, ${rigor.number(film.times[frame], "s")}${ended}`;
    });
    this.drawn += 1;
    this.first ??= performance.now();
    const { time } = this.clock;
    if (document.activeElement !== this.slider || this.playing || Number(this.slider.value) !== time) this.slider.value = time;
    this.slider.setAttribute("aria-valuetext", rigor.number(time, "s"));
    this.shown.textContent = `${time.toFixed(this.end < 1 ? 4 : 2)} / ${rigor.number(this.end, "s")}`;
    this.label();
    this.scale.hidden = !this.arrows;
    if (this.arrows === "normal") this.scale.textContent = "Arrows are unit normals of contacts, towards the first body.";
    else if (this.arrows) this.scale.textContent = `Arrows: a fifth of the scene's radius is ${rigor.number(this.newton(), "N")}; six times that is the longest. Forces are means over the step${this.arrows === "contact" ? "; red along the normal, purple friction" : ""}.`;
  }
  // Takes the time (ms) from one picture to the next. If this computer is too slow to show every frame, it says so and draws less until
  // the reader pauses: half as many pixels in each direction, and no edges.
  pace(milliseconds) {
    this.intervals = [...this.intervals.slice(-9), milliseconds];
    const mean = this.intervals.reduce((a, b) => a + b, 0) / this.intervals.length;
    this.rate = 1000 / mean;
    if (this.intervals.length < 3 || (mean <= 50 && !this.is_slow)) return;
    this.is_slow = true;
    this.message.textContent = `Shown at ${Number(this.rate.toPrecision(2))} pictures per second: this computer draws no faster. Frames between are skipped, and the picture is coarse until you pause.`;
  }
  label() {
    this.legend.hidden = this.coloring === "body";
    if (this.legend.hidden || this.legend.dataset.of === this.coloring) return;
    this.legend.dataset.of = this.coloring;
    const [unit, what, note] = {
      speed: ["m/s", "speed of the centre of mass", ", between frames"], energy: ["J", "kinetic energy of the translation", ", between frames"],
      force: ["N", "total contact force on the body", ", mean over the step"],
    }[this.coloring];
    const stops = [0, 0.25, 0.5, 0.75, 1].map((part) => `rgb(${rigor.ramp(part).map((c) => Math.round(255 * c))})`);
    this.legend.replaceChildren(what, " 0 ", make("span", { style: `background:linear-gradient(90deg,${stops})` }), ` ${rigor.number(this.top(), unit)}${note}`);
  }

  // All pictures side by side, with names and time, as one PNG.
  png() {
    const width = 960, height = 600, columns = Math.min(3, this.tiles.length), rows = Math.ceil(this.tiles.length / columns), head = 44;
    const sheet = make("canvas", { width: columns * width, height: rows * (height + head) }), pen = sheet.getContext("2d");
    rigor.paper = true;
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, sheet.width, sheet.height);
    pen.font = "24px system-ui, sans-serif";
    this.tiles.forEach((tile, k) => {
      const x = (k % columns) * width, y = Math.floor(k / columns) * (height + head);
      this.paint(k, width, height, rigor.theme());
      pen.drawImage(rigor.gl.canvas, x, y + head);
      pen.fillStyle = "#1c2024";
      pen.fillText(`${this.data.runs[k].name}, ${tile.frame.textContent}`, x + 12, y + 30);
    });
    rigor.paper = false;
    return new Promise((done) => sheet.toBlob((blob) => { rigor.save(`${this.data.file}.png`, blob); done(blob); this.changed(); }));
  }
};
