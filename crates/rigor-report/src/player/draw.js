// Draws a scene with WebGL2: one hidden canvas serves every view of the page.
"use strict";
rigor.vec = {
  add: (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  norm: (a) => Math.hypot(a[0], a[1], a[2]),
  unit: (a) => { const n = Math.hypot(a[0], a[1], a[2]) || 1; return [a[0] / n, a[1] / n, a[2] / n]; },
};

const VERTEX = `#version 300 es
in vec3 at; in vec3 place; in vec4 turn; in vec4 color;
uniform vec3 low, step, eye, right, up, forward; uniform vec4 lens; uniform vec2 depth;
out vec3 seen; flat out vec4 paint;
void main() {
  vec3 local = low + step * at;
  vec3 turned = local + 2.0 * cross(turn.xyz, cross(turn.xyz, local) + turn.w * local);
  seen = place + turned - eye;
  vec3 view = vec3(dot(seen, right), dot(seen, up), dot(seen, forward));
  gl_Position = vec4(lens.x * view.x, lens.y * view.y, depth.x * view.z + depth.y, view.z);
  if (color.a < 0.3) gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
  paint = color;
}`;
// The alpha of a colour says what is drawn: 1 a body, 0.75 a static body, 0.5 a marked body, 0.25 one that is left out.
const SOLID = `#version 300 es
precision highp float;
in vec3 seen; flat in vec4 paint;
uniform vec3 vertical, lamp, other, home, ground_a, ground_b, sky, haze; uniform vec4 grid; uniform vec2 reach; uniform float alpha, near;
uniform vec3 forward;
out vec4 result;
void main() {
  bool still = paint.a > 0.7 && paint.a < 0.8;
  if (still && dot(seen, forward) < near) discard;
  vec3 n = cross(dFdx(seen), dFdy(seen));
  n = normalize(n); if (dot(n, seen) > 0.0) n = -n;
  vec3 own = pow(paint.rgb, vec3(2.2));
  if (paint.a < 0.6) own = mix(own, vec3(0.85, 0.03, 0.02), 0.7);
  float light = mix(0.24, 0.5, 0.5 + 0.5 * dot(n, vertical)) + 0.62 * max(0.0, dot(n, lamp)) + 0.16 * max(0.0, dot(n, other));
  vec3 lit = own * light;
  if (still) {
    if (abs(dot(n, vertical)) > 0.9) {
      vec2 c = (vec2(dot(seen, ground_a), dot(seen, ground_b)) + grid.xy) / grid.z;
      vec2 width = fwidth(c);
      vec2 d = abs(fract(c - 0.5) - 0.5) / width;
      float line = (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
      lit *= 1.0 - 0.22 * line;
    }
    float far = smoothstep(reach.x, reach.y, length(seen - home));
    lit = mix(lit, pow(haze, vec3(2.2)), far);
  }
  result = vec4(pow(lit, vec3(1.0 / 2.2)), 1.0) * alpha;
}`;
const LINE = `#version 300 es
precision highp float;
in vec3 seen; flat in vec4 paint;
uniform float alpha, near; uniform vec3 forward, home, haze; uniform vec2 reach;
out vec4 result;
void main() {
  bool still = paint.a > 0.7 && paint.a < 0.8;
  if (still && dot(seen, forward) < near) discard;
  vec3 ink = paint.a < 0.6 ? vec3(0.75, 0.0, 0.0) : paint.rgb * (still ? 0.78 : 0.42);
  if (still) ink = mix(ink, haze, smoothstep(reach.x, reach.y, length(seen - home)));
  result = vec4(ink, 1.0) * alpha;
}`;
const BALL_VERTEX = `#version 300 es
in vec4 ball; in vec4 color;
uniform vec3 eye, right, up, forward; uniform vec4 lens; uniform vec2 depth;
flat out vec4 paint;
void main() {
  vec3 seen = ball.xyz - eye;
  vec3 view = vec3(dot(seen, right), dot(seen, up), dot(seen, forward));
  gl_Position = vec4(lens.x * view.x, lens.y * view.y, depth.x * view.z + depth.y, view.z);
  gl_PointSize = max(4.0, 2.0 * ball.w * lens.z / view.z);
  paint = color;
}`;
const BALL = `#version 300 es
precision highp float;
flat in vec4 paint;
uniform vec3 vertical, lamp, other, right, up, forward; uniform float alpha;
out vec4 result;
void main() {
  vec2 d = 2.0 * gl_PointCoord - 1.0;
  float rest = 1.0 - dot(d, d);
  if (rest < 0.0) discard;
  vec3 n = right * d.x - up * d.y - forward * sqrt(rest);
  float light = mix(0.24, 0.5, 0.5 + 0.5 * dot(n, vertical)) + 0.62 * max(0.0, dot(n, lamp)) + 0.16 * max(0.0, dot(n, other));
  result = vec4(pow(pow(paint.rgb, vec3(2.2)) * light, vec3(1.0 / 2.2)), 1.0) * alpha;
}`;
const BACK_VERTEX = `#version 300 es
out float height;
void main() {
  vec2 at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  height = 0.5 * at.y + 0.5;
  gl_Position = vec4(at, 0.9999, 1.0);
}`;
const BACK = `#version 300 es
precision highp float;
in float height; uniform vec3 haze, sky; out vec4 result;
void main() { result = vec4(mix(haze, sky, height), 1.0); }`;

// Half the vertical angle of view, as in the program's pictures: tan 15°; the framed area is 1.6 times as wide as high.
const SLOPE = 0.2679, ASPECT = 1.6;
const PLACES = { at: 0, place: 1, turn: 2, color: 3, ball: 4 };

const program = (gl, vertex, fragment) => {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  for (const [name, place] of Object.entries(PLACES)) gl.bindAttribLocation(made, place, name);
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  const uniforms = {};
  for (let k = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS) - 1; k >= 0; k--) {
    const { name } = gl.getActiveUniform(made, k);
    uniforms[name] = gl.getUniformLocation(made, name);
  }
  return { made, uniforms };
};

rigor.program = program;
rigor.places = PLACES;

// The canvas of the page; `null` where the browser has no WebGL2.
rigor.screen = () => {
  if (rigor.gl !== undefined) return rigor.gl;
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true, alpha: false });
  if (gl) {
    rigor.programs = {
      solid: program(gl, VERTEX, SOLID), line: program(gl, VERTEX, LINE), ball: program(gl, BALL_VERTEX, BALL),
      back: program(gl, BACK_VERTEX, BACK),
    };
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }
  return (rigor.gl = gl);
};

const rgb = (hex) => [(hex >> 16) / 255, ((hex >> 8) & 255) / 255, (hex & 255) / 255];
// From slow to fast: dark blue, teal, green, yellow; readable in grey too.
const RAMP = [0x2d1e6b, 0x2a5c8f, 0x1f9a8a, 0x7fcb5a, 0xfbe432].map(rgb);
rigor.ramp = (part) => {
  const at = Math.min(1, Math.max(0, part)) * (RAMP.length - 1), k = Math.min(RAMP.length - 2, Math.floor(at));
  return RAMP[k].map((c, i) => c + (at - k) * (RAMP[k + 1][i] - c));
};

// The bodies of a scene on the graphics card.
rigor.Model = class {
  constructor(stage, bytes) {
    const gl = (this.gl = rigor.screen());
    this.stage = stage;
    const reader = new rigor.Reader(bytes, 0);
    this.shapes = stage.shapes.map((shape) => this.shape(shape, reader));
    this.moving = this.group(stage.shape);
    this.still = this.group(stage.still.map((body) => body[0]));
    this.colors = stage.color.map(rgb);
    for (const group of this.moving) {
      if (rigor.Batch.serves(group.shape, group.members.length)) group.batch = new rigor.Batch(this.gl, group.shape, group.members.length);
    }
    this.order = [].concat(...this.moving.map((group) => group.members));
    this.data = new Float32Array(11 * this.order.length);
    this.buffer = gl.createBuffer();
    const fixed = new Float32Array(11 * stage.still.length);
    [].concat(...this.still.map((group) => group.members)).forEach((k, place) => {
      const [, color, x, turn] = stage.still[k];
      fixed.set(x, 11 * place);
      rigor.rotation(...turn, fixed, 11 * place + 3);
      fixed.set([...rgb(color), 0.75], 11 * place + 7);
    });
    this.fixed = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.fixed);
    gl.bufferData(gl.ARRAY_BUFFER, fixed, gl.STATIC_DRAW);
    if (stage.radii.length) this.soften();
  }
  // Vertices and indices of a shape: triangles, then lines, then points.
  shape({ n: [vertices, triangles, lines, dots], low, step }, reader) {
    const gl = this.gl, axes = [0, 1, 2].map(() => reader.track(vertices));
    const at = new Uint16Array(4 * vertices), local = new Float32Array(3 * vertices);
    for (let k = 0; k < vertices; k++) for (let i = 0; i < 3; i++) { at[4 * k + i] = axes[i][k]; local[3 * k + i] = low[i] + step[i] * axes[i][k]; }
    const n = 3 * triangles + 2 * lines + dots, bottom = reader.track(n), top = reader.track(n);
    const indices = Uint32Array.from(bottom, (b, k) => b + 65536 * top[k]);
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, at, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(PLACES.at);
    gl.vertexAttribPointer(PLACES.at, 3, gl.UNSIGNED_SHORT, false, 8, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    for (const place of [PLACES.place, PLACES.turn, PLACES.color]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribDivisor(place, 1);
    }
    gl.bindVertexArray(null);
    return { array, triangles: 3 * triangles, lines: 2 * lines, dots, low, step, local, indices };
  }
  // Members of each shape that has any.
  group(shape_of) {
    const lists = new Map();
    shape_of.forEach((shape, k) => { if (!lists.has(shape)) lists.set(shape, []); lists.get(shape).push(k); });
    return [...lists].map(([shape, members]) => ({ shape: this.shapes[shape], members }));
  }
  soften() {
    const gl = this.gl, { soft, radii, loose } = this.stage, n = radii.length;
    this.balls = new Float32Array(8 * n);
    const shown = new Uint8Array(n).fill(1);
    for (let k = 0; k < n; k++) this.balls.set([0, 0, 0, radii[k], ...rgb(loose), 1], 8 * k);
    for (const body of soft) {
      for (let k = body.from; k < body.to; k++) {
        this.balls.set([...rgb(body.color), 1], 8 * k + 4);
        if (body.triangles.length) shown[k] = 0;
      }
    }
    this.shown = Uint32Array.from([...shown.keys()].filter((k) => shown[k]));
    this.points = gl.createBuffer();
    const indices = (list) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, Uint32Array.from(list), gl.STATIC_DRAW);
      return { buffer, n: list.length };
    };
    gl.bindVertexArray(null);
    this.dots = indices(this.shown);
    this.sheets = soft.map((body) => ({
      color: rgb(body.color), triangles: indices(body.triangles), edges: indices(body.edges),
    }));
  }
  // Poses and colours of a frame; `marked` is the set of bodies to point out, and `is_out` tells those to leave out.
  load(film, frame, color, marked, is_out) {
    const { data, order } = this;
    order.forEach((body, place) => {
      const at = 11 * place;
      film.position(body, frame, data, at);
      film.turn(body, frame, data, at + 3);
      const paint = color ? color(body) : this.colors[body];
      data[at + 7] = paint[0]; data[at + 8] = paint[1]; data[at + 9] = paint[2];
      data[at + 10] = is_out?.(body) ? 0.25 : marked?.has(body) ? 0.5 : 1;
    });
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STREAM_DRAW);
    let before = 0;
    for (const { members, batch } of this.moving) { batch?.load(data, before, this.forward); before += members.length; }
    if (!this.balls) return;
    for (let k = 0; k < this.stage.radii.length; k++) film.position(film.bodies + k, frame, this.balls, 8 * k);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.points);
    gl.bufferData(gl.ARRAY_BUFFER, this.balls, gl.STREAM_DRAW);
  }
  draw_groups(groups, buffer, program, first, count, mode) {
    const gl = this.gl;
    let before = 0;
    for (const { shape, members, batch } of groups) {
      if (batch && shape[count] > 0) batch.draw(program, first(shape), shape[count], mode);
      else if (shape[count] > 0) {
        gl.bindVertexArray(shape.array);
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        const at = 44 * before;
        gl.vertexAttribPointer(PLACES.place, 3, gl.FLOAT, false, 44, at);
        gl.vertexAttribPointer(PLACES.turn, 4, gl.FLOAT, false, 44, at + 12);
        gl.vertexAttribPointer(PLACES.color, 4, gl.FLOAT, false, 44, at + 28);
        gl.uniform3fv(program.uniforms.low, shape.low);
        gl.uniform3fv(program.uniforms.step, shape.step);
        gl.drawElementsInstanced(mode, shape[count], gl.UNSIGNED_INT, 4 * first(shape), members.length);
      }
      before += members.length;
    }
    gl.bindVertexArray(null);
  }
  // Everything that was loaded, as seen by `camera` on a picture of this size. Where bodies are a veil, only the nearest of them shows.
  draw(camera, width, height, theme, alpha = 1, is_veil = false) {
    const gl = this.gl, eye = camera.eye, distance = camera.distance, home = this.stage.camera;
    const scale = Math.min(0.5 * height, (0.5 * width) / ASPECT) / SLOPE;
    const near = 0.02 * distance, far = 40 * distance + 60 * home.radius;
    const vertical = home.up, axes = home.axes, { add, unit, dot, cross } = rigor.vec;
    const lamp = unit(add(add(vertical.map((c) => 0.9 * c), axes[0], -0.75), axes[2], -0.35));
    const other = unit(add(add(vertical.map((c) => 0.3 * c), axes[0], 1), axes[2], -0.6));
    const ground_a = unit(cross(vertical, Math.abs(vertical[0]) < 0.9 ? [1, 0, 0] : [0, 0, 1])), ground_b = cross(vertical, ground_a);
    const raw = home.radius / 3, decade = 10 ** Math.floor(Math.log10(raw));
    const cell = decade * (raw < 2 * decade ? 1 : raw < 5 * decade ? 2 : 5);
    const offset = (axis) => dot(eye, axis) - 1e3 * cell * Math.floor(dot(eye, axis) / (1e3 * cell));
    const values = {
      eye: [3, eye], right: [3, camera.axes[0]], up: [3, camera.axes[1]], forward: [3, camera.axes[2]],
      lens: [4, [(2 * scale) / width, (2 * scale) / height, scale, 0]],
      depth: [2, [(far + near) / (far - near), (-2 * far * near) / (far - near)]],
      vertical: [3, vertical], lamp: [3, lamp], other: [3, other], home: [3, add(home.focus, eye, -1)],
      ground_a: [3, ground_a], ground_b: [3, ground_b], grid: [4, [offset(ground_a), offset(ground_b), cell, 0]],
      reach: [2, [2.2 * home.radius, 8 * home.radius]], haze: [3, theme.haze], sky: [3, theme.sky],
      alpha: [1, [alpha]], near: [1, [home.near > 0 ? (home.near * distance) / camera.home : -1e30]],
    };
    const use = (program) => {
      gl.useProgram(program.made);
      for (const [name, [n, value]] of Object.entries(values)) {
        if (program.uniforms[name]) gl[`uniform${n}fv`](program.uniforms[name], value);
      }
      return program;
    };
    const { solid, line, ball } = rigor.programs;
    const ghost = alpha < 1;
    this.seen = { values, scale };
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    const fill = use(solid);
    if (is_veil) {
      gl.colorMask(false, false, false, false);
      this.draw_groups(this.moving, this.buffer, fill, () => 0, "triangles", gl.TRIANGLES);
      gl.colorMask(true, true, true, true);
      gl.depthFunc(gl.LEQUAL);
    }
    if (ghost) { gl.enable(gl.BLEND); gl.depthMask(is_veil); }
    if (!ghost) this.draw_groups(this.still, this.fixed, fill, () => 0, "triangles", gl.TRIANGLES);
    this.draw_groups(this.moving, this.buffer, fill, () => 0, "triangles", gl.TRIANGLES);
    if (this.balls && !is_veil) this.draw_soft(fill, ball, use);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    const wire = this.is_plain && this.shapes.every((shape) => shape.triangles > 0) ? undefined : use(line);
    if (wire) {
      if (ghost) gl.uniform1f(wire.uniforms.alpha, is_veil ? alpha : 0.6);
      else this.draw_groups(this.still, this.fixed, wire, (shape) => shape.triangles, "lines", gl.LINES);
      this.draw_groups(this.moving, this.buffer, wire, (shape) => shape.triangles, "lines", gl.LINES);
      this.draw_groups(this.moving, this.buffer, wire, (shape) => shape.triangles + shape.lines, "dots", gl.POINTS);
    }
    if (ghost) { gl.disable(gl.BLEND); gl.depthMask(true); gl.depthFunc(gl.LESS); }
  }
  draw_soft(fill, ball, use) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.points);
    gl.uniform3fv(fill.uniforms.low, [0, 0, 0]);
    gl.uniform3fv(fill.uniforms.step, [1, 1, 1]);
    gl.enableVertexAttribArray(PLACES.at);
    gl.vertexAttribPointer(PLACES.at, 3, gl.FLOAT, false, 32, 0);
    gl.vertexAttrib3f(PLACES.place, 0, 0, 0);
    gl.vertexAttrib4f(PLACES.turn, 0, 0, 0, 1);
    for (const { color, triangles, edges } of this.sheets) {
      for (const [{ buffer, n }, mode] of [[triangles, gl.TRIANGLES], [edges, gl.LINES]]) {
        gl.vertexAttrib4f(PLACES.color, ...color, 1);
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
        if (n) gl.drawElements(mode, n, gl.UNSIGNED_INT, 0);
      }
    }
    gl.disableVertexAttribArray(PLACES.at);
    use(ball);
    gl.enableVertexAttribArray(PLACES.ball);
    gl.enableVertexAttribArray(PLACES.color);
    gl.vertexAttribPointer(PLACES.ball, 4, gl.FLOAT, false, 32, 0);
    gl.vertexAttribPointer(PLACES.color, 4, gl.FLOAT, false, 32, 16);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.dots.buffer);
    if (this.dots.n) gl.drawElements(gl.POINTS, this.dots.n, gl.UNSIGNED_INT, 0);
    gl.disableVertexAttribArray(PLACES.ball);
    gl.disableVertexAttribArray(PLACES.color);
    use(rigor.programs.solid);
  }
};

// Starts a picture of this size in the hidden canvas.
rigor.begin = (width, height, theme) => {
  const gl = rigor.gl, { canvas } = gl;
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  gl.viewport(0, 0, width, height);
  gl.clear(gl.DEPTH_BUFFER_BIT | gl.COLOR_BUFFER_BIT);
  const { back } = rigor.programs;
  gl.useProgram(back.made);
  gl.uniform3fv(back.uniforms.haze, theme.haze);
  gl.uniform3fv(back.uniforms.sky, theme.sky);
  gl.depthMask(false);
  gl.bindVertexArray(null);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  gl.depthMask(true);
};
