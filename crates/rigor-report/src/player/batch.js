// Many bodies of one small shape as one mesh in the world: a renderer in software takes as long to start an instance as to draw it.
"use strict";
rigor.Batch = class {
  // From so many bodies on, up to so many vertices in all.
  static serves(shape, n) { return n >= 32 && shape.local.length / 3 * n <= 400000; }
  constructor(gl, shape, n) {
    this.gl = gl;
    this.local = shape.local;
    this.n = n;
    const vertices = shape.local.length / 3, { indices, triangles, lines, dots } = shape;
    const all = new Uint32Array(n * indices.length);
    // All triangles, then all lines, then all points, each copy after the other.
    let to = 0;
    for (const [from, count] of [[0, triangles], [triangles, lines], [triangles + lines, dots]]) {
      for (let copy = 0; copy < n; copy++) for (let k = 0; k < count; k++) all[to++] = indices[from + k] + copy * vertices;
    }
    this.places = new Float32Array(3 * vertices * n);
    this.colors = new Uint8Array(4 * vertices * n);
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    this.buffers = [[rigor.places.at, 3, gl.FLOAT, this.places], [rigor.places.color, 4, gl.UNSIGNED_BYTE, this.colors]].map(([place, size, type, numbers]) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, type, type === gl.UNSIGNED_BYTE, 0, 0);
      return [buffer, numbers];
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, all, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  }
  // Places copies at `n` poses of eleven numbers, as the model has them, from the one at `start` on: the nearest first, looking along
  // `forward`, so that what they hide is not painted.
  load(data, start, forward) {
    const { gl, local, places, colors } = this;
    const vertices = local.length / 3, words = new Uint32Array(colors.buffer), paint = new Uint8Array(4), word = new Uint32Array(paint.buffer);
    const order = Uint32Array.from({ length: this.n }, (_, k) => 11 * (start + k));
    const depth = (at) => data[at] * forward[0] + data[at + 1] * forward[1] + data[at + 2] * forward[2];
    order.sort((one, other) => depth(one) - depth(other));
    for (let copy = 0, to = 0; copy < this.n; copy++) {
      const at = order[copy], x = data[at + 3], y = data[at + 4], z = data[at + 5], w = data[at + 6];
      const a = 1 - 2 * (y * y + z * z), b = 2 * (x * y - z * w), c = 2 * (x * z + y * w), d = 2 * (x * y + z * w), e = 1 - 2 * (x * x + z * z);
      const f = 2 * (y * z - x * w), g = 2 * (x * z - y * w), h = 2 * (y * z + x * w), i = 1 - 2 * (x * x + y * y);
      for (let k = 0; k < 4; k++) paint[k] = Math.round(255 * data[at + 7 + k]);
      for (let k = 0; k < local.length; k += 3, to += 3) {
        const p = local[k], q = local[k + 1], r = local[k + 2];
        places[to] = data[at] + a * p + b * q + c * r;
        places[to + 1] = data[at + 1] + d * p + e * q + f * r;
        places[to + 2] = data[at + 2] + g * p + h * q + i * r;
      }
      words.fill(word[0], copy * vertices, (copy + 1) * vertices);
    }
    for (const [buffer, numbers] of this.buffers) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STREAM_DRAW);
    }
  }
  draw(program, first, count, mode) {
    const { gl, n } = this, { place, turn } = rigor.places;
    gl.bindVertexArray(this.array);
    gl.vertexAttrib3f(place, 0, 0, 0);
    gl.vertexAttrib4f(turn, 0, 0, 0, 1);
    gl.uniform3fv(program.uniforms.low, [0, 0, 0]);
    gl.uniform3fv(program.uniforms.step, [1, 1, 1]);
    gl.drawElements(mode, n * count, gl.UNSIGNED_INT, 4 * n * first);
  }
};
