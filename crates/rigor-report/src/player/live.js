// Follows a run that goes on: the page that the program serves asks for new frames, and keeps time and camera.
"use strict";

// Frames in parts, each packed by itself, that are read like one film.
rigor.Reel = class {
  constructor(film, forces) {
    this.bodies = film.bodies;
    this.particles = film.particles;
    this.starts = [];
    this.parts = [];
    this.frames = 0;
    this.now = 0;
    this.steps = [];
    this.times = [];
    this.append(film, forces);
  }
  append(film, forces) {
    this.starts.push(this.frames);
    this.parts.push({ film, forces });
    this.frames += film.frames;
    this.steps.push(...film.steps);
    this.times.push(...film.times);
  }
  // The part that holds a frame, and its place in it.
  part(frame) {
    let k = this.starts[this.now] <= frame ? this.now : 0;
    while (this.starts[k + 1] <= frame) k += 1;
    this.now = k;
    this.inside = frame - this.starts[k];
    return this.parts[k];
  }
  at(time) { return rigor.Film.prototype.at.call(this, time); }
  place(thing, axis, frame) { return this.part(frame).film.place(thing, axis, this.inside); }
  position(thing, frame, into, at) { return this.part(frame).film.position(thing, this.inside, into, at); }
  turn(body, frame, into, at) { this.part(frame).film.turn(body, this.inside, into, at); }
  speed(body, frame) { return rigor.Film.prototype.speed.call(this, body, frame); }
  // Forces, like `rigor.Forces`: a part without any has none.
  forces() {
    const of = (body, frame) => this.part(frame).forces?.of(body, this.inside) ?? [0, 0, 0];
    return { of, size: (body, frame) => rigor.vec.norm(of(body, frame)) };
  }
};

{
  // Numbers of 16 bits that a page takes before it is made anew with every second, third … frame.
  const ROOM = 32e6;
  const note = (every) => `The run goes on${every > 1 ? `: one step in ${every} is shown` : ""}. Contacts, and all frames that fit, are shown once it has ended.`;

  // Takes over new frames of the run; a player that showed the end shows the new end.
  const extend = async (player, run) => {
    const { stage } = player.data, bodies = stage.names.length;
    const film = new rigor.Film(run, bodies, stage.radii.length, await rigor.bytes(run.film));
    const forces = run.forces ? new rigor.Forces(bodies, film.frames, await rigor.bytes(run.forces)) : undefined;
    const was_at_end = player.clock.time >= player.end - 1e-9;
    if (!(player.films[0] instanceof rigor.Reel)) {
      player.films[0] = new rigor.Reel(player.films[0], player.forces[0]);
      player.forces[0] = player.films[0].forces();
    }
    player.films[0].append(film, forces);
    player.times.push(...film.times);
    player.end = film.times[film.frames - 1];
    player.tops = player.unit = undefined;
    player.slider.max = player.end;
    player.message.textContent = note(run.every);
    if (was_at_end) player.clock.set(player.end); else player.changed();
  };

  const { live } = document.body.dataset;
  // One run is followed by its new frames, several by the whole page.
  const news = async (known) => {
    const [player] = rigor.players, last = player?.films[0].steps.at(-1);
    const answer = await fetch(live === "one" && player ? `/news?after=${last}` : "/state").catch(() => undefined);
    if (!answer?.ok) return undefined;
    const { state, going, run } = await answer.json();
    if (!going) { location.reload(); return undefined; }
    if (run) {
      await extend(player, run);
      if (player.films[0].frames * (6 * player.films[0].bodies + 3 * player.films[0].particles) > ROOM) { location.reload(); return undefined; }
    } else if (live !== "one" && state !== known) await renew();
    return state;
  };
  const renew = async () => {
    const page = new DOMParser().parseFromString(await (await fetch("/")).text(), "text/html");
    const fresh = [...page.querySelectorAll("div.player")].map((root) => JSON.parse(root.querySelector("script").textContent));
    for (const player of rigor.players) {
      const data = fresh.find((other) => other.file === player.data.file);
      if (data) await player.refresh(data);
    }
  };
  // New frames take at most a twentieth of one processor from the run.
  rigor.follow = async () => {
    let known = live;
    for (let rest = 2000; known !== undefined; ) {
      await new Promise((done) => setTimeout(done, rest));
      const began = performance.now();
      known = await news(known);
      rest = Math.max(1000, 20 * (performance.now() - began));
    }
  };
}
