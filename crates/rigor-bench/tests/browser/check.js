// What a reader does with a page: the outcome of each step stands in the page, where the test reads it.
"use strict";
{
  const faults = window.seen_faults, told = [];
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
  // A virtual clock does not wait for pictures of the screen: here they follow timers.
  window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 16);
  const until = async (is_so, what) => { for (let k = 0; k < 200; k++) { if (is_so()) return; await sleep(50); } throw new Error(`waited in vain: ${what}`); };
  const must = (is_so, what) => { if (!is_so) throw new Error(what); };
  const pixels = (player) => {
    player.draw();
    const { canvas } = player.tiles[0], { width, height } = canvas, { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    let sum = 0;
    for (let k = 0; k < data.length; k += 4) sum = (31 * sum + data[k] + 3 * data[k + 1] + 7 * data[k + 2]) % 1000000007;
    return sum;
  };
  const select = (player, label, value) => {
    const element = [...player.root.querySelectorAll(".options label")].find((l) => l.textContent.startsWith(label))?.querySelector("select");
    must(element, `no choice ${label}`);
    element.value = value;
    element.dispatchEvent(new Event("change"));
  };
  const key = (element, name) => element.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  let player;
  const steps = {
    "the player draws": async () => {
      await rigor.start(document.querySelector("div.player"));
      player = rigor.players[0];
      must(player, document.querySelector("div.player").textContent);
      await until(() => player.drawn > 0, "a picture");
    },
    "play advances and pause stops": async () => {
      player.root.querySelector("button[aria-label=Play]").click();
      await until(() => player.clock.time > 0.02, "time");
      player.root.querySelector("button[aria-label=Pause]").click();
      const { time } = player.clock;
      await sleep(200);
      must(player.clock.time === time, "it goes on after a pause");
    },
    "the time bar scrubs views and cursors": async () => {
      player.slider.value = 0.5 * player.end;
      player.slider.dispatchEvent(new Event("input"));
      player.draw();
      must(player.clock.time === 0.5 * player.end, "another time");
      must(player.tiles.every((tile) => !tile.frame.textContent.startsWith("step 0,")), "a view stays at the start");
      const plots = rigor.plots.filter((plot) => plot.clock === player.clock);
      must(plots.length > 0 && plots.every((plot) => Math.abs(Number(plot.cursor.getAttribute("x1")) - plot.px(player.clock.time)) < 1e-3), "a cursor is elsewhere");
    },
    "keys alone step, turn and play": async () => {
      player.clock.set(0);
      const { canvas } = player.tiles[0];
      canvas.focus();
      must(document.activeElement === canvas, "a view takes no focus");
      key(canvas, ".");
      must(player.clock.time === player.times[1], "a full stop does not step");
      key(canvas, ",");
      must(player.clock.time === 0, "a comma does not step back");
      const before = pixels(player);
      key(canvas, "ArrowLeft");
      must(pixels(player) !== before, "an arrow does not turn");
      key(canvas, "r");
      must(pixels(player) === before, "R does not reset");
      const names = [...player.root.querySelectorAll("button, select, input, canvas")].filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim()));
      must(names.length === 0, `without a name: ${names.map((e) => e.outerHTML)}`);
    },
    "a moment is a jump": async () => {
      const k = player.data.runs.findIndex((run) => run.moments.length > 0);
      must(k >= 0, "no run has a moment");
      const moment = player.data.runs[k].moments[0], film = player.films[k];
      player.visit(k, moment);
      must(player.clock.time === film.times[film.at(moment.time + 0.5 * film.times[1])] && player.tiles[k].marked, "another time");
      player.reset();
    },
    "colours, arrows and ghosts show": async () => {
      const film = player.films[0], touches = (frame) => player.forces[0].size(0, frame) > 0 && player.contacts[0].lists[frame].length > 0;
      const frame = film.steps.findIndex((_, k) => touches(k));
      must(frame > 0, "no frame has a contact with a force");
      player.clock.set(film.times[frame]);
      select(player, "Follow", "0");
      const plain = pixels(player), seen = [plain];
      for (const [label, value] of [["Colour", "force"], ["Colour", "speed"], ["Arrows", "force"], ["Arrows", "contact"], ["Arrows", "normal"]]) {
        select(player, label, value);
        seen.push(pixels(player));
        if (label === "Arrows") must(player.marked > 0, `no arrow for ${value}`);
        select(player, label, label === "Colour" ? "body" : "");
      }
      must(pixels(player) === plain, "a choice leaves something behind");
      select(player, "Follow", "");
      must(new Set(seen).size >= 5, `pictures alike: ${seen}`);
    },
    "values under the mouse are those of the CSV": async () => {
      const plot = rigor.plots[0], [low, high] = plot.full;
      await plot.show(low + 0.6 * (high - low));
      const csv = (await plot.to_csv()).trim().split("\n").map((line) => line.split(","));
      const rows = [...plot.hover.querySelectorAll("tr")];
      must(rows.length >= 2, "too few values");
      for (const row of rows) {
        const [name, value] = row.cells, column = csv[0].findIndex((head) => head.startsWith(`${name.textContent} [`));
        const line = csv.find((cells) => cells[0] === value.dataset.x);
        must(line?.[column] === value.dataset.value, `${name.textContent}: ${value.dataset.value}`);
      }
      plot.hide();
    },
    "a moment fades the bodies that are not part of it": async () => {
      const { model } = player, { load } = model, loads = [];
      model.load = (...words) => { loads.push(words[4] && words[0].bodies); load.apply(model, words); };
      player.tiles[0].marked = { frame: player.films[0].at(player.clock.time), bodies: new Set([0]), moment: {} };
      player.draw();
      model.load = load;
      must(loads.filter(Boolean).length === 2, `${loads}`);
      player.reset();
    },
    "a picture takes few calls": async () => {
      const gl = rigor.screen(), names = ["drawArrays", "drawElements", "drawElementsInstanced"];
      let calls = 0;
      for (const name of names) gl[name] = function (...words) { calls += 1; WebGL2RenderingContext.prototype[name].apply(gl, words); };
      player.draw();
      for (const name of names) delete gl[name];
      const views = player.tiles.length;
      must(calls >= 2 * views && calls <= views * (1 + 6 * player.data.stage.shapes.length), `${calls} calls`);
    },
    "tables are saved as the program makes them, and a plot prints alone": async () => {
      const saved = [], { save } = rigor;
      rigor.save = (name, content) => saved.push([name, content]);
      for (const form of ["tex", "csv"]) document.querySelector(`button[data-table=figures][data-form=${form}]`).click();
      await until(() => saved.length === 2, "two files");
      const [tex, csv] = ["figures.tex", "figures.csv"].map((name) => saved.find((file) => file[0] === name)?.[1]);
      must(tex?.includes("\\toprule") && csv?.split("\n").length === 4, `${tex} ${csv}`);
      let is_alone = false;
      window.print = () => { is_alone = document.body.classList.contains("one") && document.querySelectorAll(".sheet svg path").length > 0; };
      document.querySelector("figure.plot button[title^=Print]").click();
      await until(() => is_alone, "a page with one plot");
      dispatchEvent(new Event("afterprint"));
      must(!document.querySelector(".sheet"), "the sheet stays");
      rigor.save = save;
    },
    "plots and pictures are saved": async () => {
      const svg = await rigor.plots[0].to_svg();
      must(!new DOMParser().parseFromString(svg, "image/svg+xml").querySelector("parsererror") && !svg.includes("var("), "no SVG");
      const saved = [];
      rigor.save = (name, content) => saved.push([name, content]);
      await player.png();
      must(saved[0][0].endsWith(".png") && saved[0][1].size > 5000, "no PNG");
    },
    "the page is not wider than the window": async () => {
      const { scrollWidth, clientWidth } = document.documentElement;
      must(scrollWidth <= clientWidth, `${scrollWidth} of ${clientWidth} pixels`);
    },
    "nothing is complained of and nothing fetched": async () => {
      must(faults.length === 0, faults.join("; "));
      const asked = performance.getEntriesByType("resource").map((entry) => entry.name).filter((name) => !/^(data|blob):/.test(name));
      must(asked.length === 0, asked.join(", "));
    },
  };
  (async () => {
    for (const [name, step] of Object.entries(steps)) {
      try { await step(); told.push(`ok ${name}`); } catch (error) { told.push(`FAILED ${name}: ${error.message}`); }
    }
    const pre = document.createElement("pre");
    pre.id = "outcome";
    pre.textContent = `${told.join("\n")}\nend`;
    document.body.append(pre);
  })();
}
