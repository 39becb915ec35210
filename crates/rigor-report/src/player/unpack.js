// Reads what the program packed: zlib in base64; plain numbers first, then tracks as second differences.
"use strict";
const rigor = (window.rigor = { players: [], plots: [] });

rigor.bytes = async (text) => {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

// `plain` is the number of bytes before the tracks.
rigor.Reader = class {
  constructor(bytes, plain) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.bytes = bytes;
    this.at = 0;
    this.low = plain;
    this.high = plain + (bytes.length - plain) / 2;
  }
  u32() { this.at += 4; return this.view.getUint32(this.at - 4, true); }
  f32() { this.at += 4; return this.view.getFloat32(this.at - 4, true); }
  // The next `n` numbers, into `into` from `start` on.
  track(n, into = new Uint16Array(n), start = 0) {
    let before = 0, slope = 0;
    for (let k = 0; k < n; k++) {
      const folded = this.bytes[this.low++] | (this.bytes[this.high++] << 8);
      slope = (slope + ((folded >> 1) ^ -(folded & 1))) & 65535;
      before = (before + slope) & 65535;
      into[start + k] = before;
    }
    return into;
  }
};

// Three numbers of 16 bits as a quaternion (x, y, z, w).
rigor.rotation = (a, b, c, into, at) => {
  const largest = (a >> 15) | ((b >> 15) << 1), unit = 1 / (16383 * Math.SQRT2);
  const p = ((a & 32767) - 16384) * unit, q = ((b & 32767) - 16384) * unit, r = ((c & 32767) - 16384) * unit;
  const rest = Math.sqrt(Math.max(0, 1 - p * p - q * q - r * r));
  const w = largest === 0 ? rest : p, x = largest === 1 ? rest : largest === 0 ? p : q;
  const y = largest === 2 ? rest : largest < 2 ? q : r, z = largest === 3 ? rest : r;
  into[at] = x; into[at + 1] = y; into[at + 2] = z; into[at + 3] = w;
};

// The poses of a run.
rigor.Film = class {
  constructor(run, bodies, particles, bytes) {
    const n = run.frames;
    this.bodies = bodies;
    this.particles = particles;
    this.frames = n;
    const reader = new rigor.Reader(bytes, 4 * n + 24 * (bodies + particles));
    this.steps = Array.from({ length: n }, () => reader.u32());
    this.times = this.steps.map((step) => step * run.dt);
    this.boxes = Float32Array.from({ length: 6 * (bodies + particles) }, () => reader.f32());
    this.tracks = new Uint16Array((6 * bodies + 3 * particles) * n);
    for (let k = 0; k < 6 * bodies + 3 * particles; k++) reader.track(n, this.tracks, k * n);
  }
  // The last frame that is not later than `time`.
  at(time) {
    let low = 0, high = this.frames;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time + 1e-9) low = middle; else high = middle;
    }
    return low;
  }
  place(thing, axis, frame) {
    const track = thing < this.bodies ? 6 * thing + axis : 6 * this.bodies + 3 * (thing - this.bodies) + axis;
    return this.boxes[6 * thing + axis] + (this.boxes[6 * thing + 3 + axis] * this.tracks[track * this.frames + frame]) / 65535;
  }
  position(thing, frame, into = [0, 0, 0], at = 0) {
    for (let axis = 0; axis < 3; axis++) into[at + axis] = this.place(thing, axis, frame);
    return into;
  }
  turn(body, frame, into, at) {
    const n = this.frames, start = (6 * body + 3) * n + frame;
    rigor.rotation(this.tracks[start], this.tracks[start + n], this.tracks[start + 2 * n], into, at);
  }
  // Speed (m/s) of the centre of mass between the frames around this one.
  speed(body, frame) {
    const a = Math.max(0, frame - 1), b = Math.min(this.frames - 1, frame + 1);
    if (this.times[b] <= this.times[a]) return 0;
    let sum = 0;
    for (let axis = 0; axis < 3; axis++) sum += (this.place(body, axis, b) - this.place(body, axis, a)) ** 2;
    return Math.sqrt(sum) / (this.times[b] - this.times[a]);
  }
};
