// Marks on a view: arrows for forces, triangles that intersect, the smallest gap. They are drawn over everything else.
"use strict";
const FLAT_VERTEX = `#version 300 es
in vec3 at; in vec3 color;
uniform vec3 eye, right, up, forward; uniform vec4 lens; uniform vec2 depth;
flat out vec3 paint;
void main() {
  vec3 seen = at - eye, view = vec3(dot(seen, right), dot(seen, up), dot(seen, forward));
  gl_Position = vec4(lens.x * view.x, lens.y * view.y, depth.x * view.z + depth.y, view.z);
  paint = color;
}`;
const FLAT = `#version 300 es
precision highp float;
flat in vec3 paint; uniform float alpha; out vec4 result;
void main() { result = vec4(paint, 1.0) * alpha; }`;

// Colours of arrows and marks, which differ from those of bodies in brightness too.
rigor.inks = { force: [0.75, 0.05, 0.05], normal: [0.1, 0.1, 0.12], friction: [0.45, 0.1, 0.55], triangle: [0.95, 0.1, 0.05], gap: [0.0, 0.35, 0.95] };

// Triangles of lines and arrows that face the camera: `width` is in pixels.
rigor.Marks = class {
  constructor(camera, scale) { this.camera = camera; this.scale = scale; this.numbers = []; }
  // Metres per pixel at a point.
  pixel(at) {
    const { add, dot } = rigor.vec;
    return Math.max(1e-9, dot(add(at, this.camera.eye, -1), this.camera.axes[2])) / this.scale;
  }
  triangle(a, b, c, ink) { for (const corner of [a, b, c]) this.numbers.push(...corner, ...ink); }
  line(a, b, width, ink) {
    const { add, cross, unit } = rigor.vec, along = add(b, a, -1);
    const side = unit(cross(along, add(a, this.camera.eye, -1)));
    const [p, q] = [a, b].map((at) => 0.5 * width * this.pixel(at));
    const corners = [add(a, side, p), add(a, side, -p), add(b, side, q), add(b, side, -q)];
    this.triangle(corners[0], corners[1], corners[2], ink);
    this.triangle(corners[1], corners[3], corners[2], ink);
  }
  arrow(from, vector, width, ink) {
    const { add, cross, unit, norm } = rigor.vec, length = norm(vector), to = add(from, vector);
    const head = Math.min(0.5 * length, 4 * width * this.pixel(to)), neck = add(to, vector, -head / (length || 1));
    const side = unit(cross(vector, add(from, this.camera.eye, -1)));
    this.line(from, neck, width, ink);
    this.triangle(add(neck, side, 0.45 * head), add(neck, side, -0.45 * head), to, ink);
  }
  // Draws all marks, with the values of the camera that the model was drawn with.
  draw(values, alpha = 1) {
    const gl = rigor.gl;
    if (!this.numbers.length) return;
    rigor.programs.flat ??= rigor.program(gl, FLAT_VERTEX, FLAT);
    const { made, uniforms } = rigor.programs.flat;
    gl.useProgram(made);
    for (const [name, [n, value]] of Object.entries(values)) if (uniforms[name]) gl[`uniform${n}fv`](uniforms[name], value);
    gl.uniform1f(uniforms.alpha, alpha);
    this.buffer ??= gl.createBuffer();
    gl.bindVertexArray(null);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, Float32Array.from(this.numbers), gl.STREAM_DRAW);
    const { at, color } = rigor.places;
    gl.enableVertexAttribArray(at);
    gl.enableVertexAttribArray(color);
    gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 24, 0);
    gl.vertexAttribPointer(color, 3, gl.FLOAT, false, 24, 12);
    gl.disable(gl.DEPTH_TEST);
    gl.drawArrays(gl.TRIANGLES, 0, this.numbers.length / 6);
    gl.enable(gl.DEPTH_TEST);
    gl.disableVertexAttribArray(at);
    gl.disableVertexAttribArray(color);
    gl.deleteBuffer(this.buffer);
  }
};

// The total contact force on each body: a range of three components per body, then a track for each.
rigor.Forces = class {
  constructor(bodies, frames, bytes) {
    const reader = new rigor.Reader(bytes, 24 * bodies);
    this.frames = frames;
    this.boxes = Float32Array.from({ length: 6 * bodies }, () => reader.f32());
    this.tracks = new Uint16Array(3 * bodies * frames);
    for (let k = 0; k < 3 * bodies; k++) reader.track(frames, this.tracks, k * frames);
  }
  of(body, frame) {
    return [0, 1, 2].map((axis) => this.boxes[6 * body + axis] + (this.boxes[6 * body + 3 + axis] * this.tracks[(3 * body + axis) * this.frames + frame]) / 65535);
  }
  size(body, frame) { return rigor.vec.norm(this.of(body, frame)); }
};

// The contacts of each frame: their number, then for each its point (m), its normal, and the normal and the friction force (N) on the body
// that the normal points to.
rigor.Contacts = class {
  constructor(frames, bytes) {
    const reader = new rigor.Reader(bytes, bytes.length);
    const three = () => [reader.f32(), reader.f32(), reader.f32()];
    this.lists = Array.from({ length: frames }, () => reader.u32()).map((n) => Array.from({ length: n }, () => ({ point: three(), normal: three(), push: three(), drag: three() })));
  }
};
