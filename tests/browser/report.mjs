// Tests the player and the plots of a report: node report.mjs REPORT.html [FOLDER FOR PICTURES]
// The report needs at least two methods that run on its first scene.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { launch } from "./open.mjs";

const [, , file, pictures] = process.argv;
if (!file) throw new Error("name a report: node report.mjs REPORT.html [FOLDER FOR PICTURES]");
if (pictures) mkdirSync(pictures, { recursive: true });
const browser = await launch();
const done = [];

// The first player of the page, ready.
const ready = async (page) => {
  await page.evaluate(() => rigor.start(document.querySelector("div.player")));
  await page.locator("div.player.ready").first().scrollIntoViewIfNeeded();
};
const time = (page) => page.evaluate(() => rigor.players[0].clock.time);
// Where the first plot is, once it is in sight.
const first = async (page) => {
  const plot = page.locator("figure.plot > svg").first();
  await plot.scrollIntoViewIfNeeded();
  return plot.boundingBox();
};
// The colours of the pixels of a view, to see whether a picture changed and whether it shows anything.
const pixels = (page) => page.evaluate(async () => {
  rigor.players[0].draw();
  const { canvas } = rigor.players[0].tiles[0], { width, height } = canvas;
  const pen = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d", { willReadFrequently: true });
  pen.drawImage(canvas, 0, 0);
  const { data } = pen.getImageData(0, 0, width, height);
  let sum = 0;
  for (let k = 0; k < data.length; k += 4) sum = (31 * sum + data[k] + 3 * data[k + 1] + 7 * data[k + 2]) % 1000000007;
  return { sum, colors: new Set(new Uint32Array(data.buffer)).size };
});
const download = async (page, click) => {
  const [saved] = await Promise.all([page.waitForEvent("download"), click()]);
  return readFileSync(await saved.path());
};

const tests = {
  "it opens from a file below 4 MB and draws its first player in few calls": async (page) => {
    await page.addInitScript(() => {
      window.calls = 0;
      for (const name of ["drawArrays", "drawElements", "drawElementsInstanced"]) {
        const draw = WebGL2RenderingContext.prototype[name];
        WebGL2RenderingContext.prototype[name] = function (...numbers) { window.calls += 1; return draw.apply(this, numbers); };
      }
    });
    await page.reload();
    await ready(page);
    await page.waitForFunction(() => rigor.players[0].drawn > 0);
    const counted = await page.evaluate(() => {
      const [player] = rigor.players, before = window.calls;
      player.draw();
      return { calls: window.calls - before, views: player.tiles.length, shapes: player.data.stage.shapes.length, all: document.querySelectorAll("div.player").length, started: rigor.players.length, time: Math.round(player.first) };
    });
    const { calls, views, shapes, all, started, time } = counted, megabytes = statSync(file).size / 1e6;
    // The ground, and triangles, lines and points of each shape, of static and of moving bodies: however many bodies there are.
    assert.ok(calls >= views && calls <= views * (1 + 6 * shapes), JSON.stringify(counted));
    assert.ok(started < all || all <= 2, `${started} of ${all} players are started`);
    assert.ok(megabytes < 4, `${megabytes} MB`);
    assert.ok((await pixels(page)).colors > 50);
    return `${calls} calls, ${started} of ${all} players started, ${megabytes.toFixed(2)} MB; it took ${time} ms, which no test limits`;
  },
  "it plays, pauses and stops at the end": async (page) => {
    const before = await pixels(page);
    await page.getByRole("button", { name: "Play", exact: true }).first().click();
    await page.waitForFunction(() => rigor.players[0].clock.time > 0.3);
    await page.getByRole("button", { name: "Pause" }).first().click();
    const paused = await time(page);
    assert.notEqual((await pixels(page)).sum, before.sum);
    await page.waitForTimeout(200);
    assert.equal(await time(page), paused);
    return `${Math.round(await page.evaluate(() => rigor.players[0].rate))} pictures/s possible`;
  },
  "frames step by keys, alone": async (page) => {
    await page.evaluate(() => rigor.players[0].clock.set(0));
    const view = page.locator(".view canvas").first();
    await view.focus();
    await page.keyboard.press(".");
    const [, second, third] = await page.evaluate(() => rigor.players[0].times);
    assert.equal(await time(page), second);
    await page.keyboard.press(".");
    assert.equal(await time(page), third);
    await page.keyboard.press(",");
    assert.equal(await time(page), second);
    await page.keyboard.press("Tab");
    const reached = [];
    for (let k = 0; k < 14; k++) {
      reached.push(await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.tagName));
      await page.keyboard.press("Tab");
    }
    for (const label of ["Play", "One frame back", "One frame forward", "Time", "SELECT"]) assert.ok(reached.includes(label), `${label} of ${reached}`);
  },
  "the time bar scrubs all views and the cursors of the plots": async (page) => {
    await page.getByLabel("Time", { exact: true }).first().evaluate((slider) => { slider.value = 0.5 * Number(slider.max); slider.dispatchEvent(new Event("input")); });
    await page.waitForFunction(() => rigor.players[0].tiles.every((tile) => !tile.frame.textContent.startsWith("step 0,")));
    const { half, tiles, cursors } = await page.evaluate(() => {
      const player = rigor.players[0], of = rigor.plots.filter((plot) => plot.clock === player.clock);
      return {
        half: 0.5 * player.end, tiles: player.tiles.map((tile) => tile.frame.textContent),
        cursors: of.map((plot) => [Number(plot.cursor.getAttribute("x1")), plot.px(0.5 * player.end)]),
      };
    });
    assert.equal(await time(page), half);
    assert.ok(tiles.length >= 2 && tiles.every((tile) => tile.startsWith("step ") && !tile.startsWith("step 0,")), String(tiles));
    assert.ok(cursors.length > 0 && cursors.every(([x, expected]) => Math.abs(x - expected) < 1e-3), String(cursors));
  },
  "a click on a plot sets the time of the player": async (page) => {
    const box = await first(page);
    await page.mouse.click(box.x + 0.7 * box.width, box.y + 0.5 * box.height);
    const expected = await page.evaluate(() => { const p = rigor.plots[0], [l, , r] = p.data.margin, w = p.data.size[0]; return p.full[0] + ((0.7 * w - l) / (w - l - r)) * (p.full[1] - p.full[0]); });
    assert.ok(Math.abs((await time(page)) - expected) < 0.02 * expected, `${await time(page)} ${expected}`);
  },
  "values under the mouse are those of the CSV": async (page) => {
    const plot = page.locator("figure.plot").first(), box = await first(page);
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.5 * box.height);
    await plot.locator(".hover td[data-value]").first().waitFor();
    const shown = await plot.locator(".hover tr").evaluateAll((rows) => rows.map((row) => [row.cells[0].textContent, row.cells[1].dataset.x, row.cells[1].dataset.value, row.cells[1].textContent]));
    const csv = (await download(page, () => plot.getByRole("button", { name: /CSV/ }).click())).toString().trim().split("\n").map((line) => line.split(","));
    assert.ok(shown.length >= 2);
    for (const [name, x, value, told] of shown) {
      const column = csv[0].findIndex((head) => head.startsWith(`${name} [`)), row = csv.find((cells) => cells[0] === x);
      assert.equal(row[column], value);
      const number = Number(told.replace("−", "-").split(" ")[0]);
      assert.ok(Math.abs(number - Number(value)) <= 1e-5 * Math.abs(Number(value)), `${told} ${value}`);
    }
    return `${csv.length - 1} rows`;
  },
  "a drag enlarges a plot, Escape shows the whole": async (page) => {
    const box = await first(page);
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await page.waitForTimeout(100);
    const range = () => page.evaluate(() => rigor.plots[0].range[1] - rigor.plots[0].range[0]);
    const full = await page.evaluate(() => rigor.plots[0].full[1] - rigor.plots[0].full[0]);
    assert.ok((await range()) < 0.3 * full);
    await page.locator("figure.plot > svg").first().focus();
    await page.keyboard.press("Escape");
    assert.equal(await range(), full);
  },
  "a name hides its lines and shows them again": async (page) => {
    const name = page.locator(".keys button").first(), line = () => page.evaluate(() => rigor.plots[0].paths[0].getAttribute("d").length);
    await name.click();
    await page.waitForTimeout(100);
    assert.equal(await line(), 0);
    await name.click();
    await page.waitForTimeout(100);
    assert.ok((await line()) > 10);
  },
  "a verdict leads to its moment, with bodies marked": async (page) => {
    const link = page.locator("a[data-moment]").first();
    if ((await link.count()) === 0) return "no run of this report has a fault";
    await link.click();
    await page.waitForFunction(() => rigor.players.some((player) => player.tiles.some((tile) => tile.marked)));
    const shown = await page.evaluate(() => { const p = rigor.players.find((q) => q.tiles.some((t) => t.marked)); return { time: p.clock.time, message: p.message.textContent }; });
    assert.ok(shown.message.includes("at "), shown.message);
    if (pictures) { await page.waitForTimeout(300); await page.screenshot({ path: join(pictures, "moment.png") }); }
    await page.evaluate(() => rigor.players.forEach((player) => player.reset()));
    return shown.message;
  },
  "pictures and plots are saved": async (page) => {
    const png = await download(page, () => page.getByRole("button", { name: "Save the pictures as PNG" }).first().click());
    assert.equal(png.subarray(1, 4).toString(), "PNG");
    assert.ok(png.length > 10000);
    const svg = (await download(page, () => page.getByRole("button", { name: /Save as SVG/ }).first().click())).toString();
    const fault = await page.evaluate((source) => new DOMParser().parseFromString(source, "image/svg+xml").querySelector("parsererror")?.textContent, svg);
    assert.equal(fault, undefined);
    assert.ok(svg.includes("stroke:") && svg.includes("<path") && !svg.includes("var("));
    return `PNG ${Math.round(png.length / 1000)} kB, SVG ${Math.round(svg.length / 1000)} kB`;
  },
  "tables are saved as LaTeX and CSV, and a plot prints alone as PDF": async (page) => {
    await page.locator("#files").evaluate((details) => { details.open = true; });
    const button = (form) => page.locator(`button[data-form=${form}]`).first();
    const tex = (await download(page, () => button("tex").click())).toString();
    assert.ok(tex.includes("\\begin{tabular}") && tex.includes("\\toprule") && tex.includes("\\end{tabular}"), tex);
    assert.ok((await download(page, () => button("csv").click())).toString().split("\n").length > 1);
    await page.evaluate(() => { window.print = () => {}; return rigor.print(rigor.plots[0]); });
    const pdf = await page.pdf({ preferCSSPageSize: true, ...(pictures ? { path: join(pictures, "plot.pdf") } : {}) });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.ok(!(await page.evaluate(() => document.body.classList.contains("one"))));
    const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g).length;
    assert.equal(pages, 1);
    return `LaTeX ${tex.length} bytes, PDF ${Math.round(pdf.length / 1000)} kB, ${pages} page`;
  },
  "colour, ghost and follow change the picture": async (page) => {
    await page.evaluate(() => { rigor.players[0].reset(); rigor.players[0].clock.set(0.4 * rigor.players[0].end); });
    const seen = [(await pixels(page)).sum];
    for (const label of ["Colour", "Ghost", "Follow"]) {
      const select = page.locator(".options label", { hasText: label }).first().locator("select");
      await select.selectOption({ index: label === "Ghost" ? 2 : 1 });
      seen.push((await pixels(page)).sum);
      await select.selectOption({ index: 0 });
    }
    assert.equal(new Set(seen).size, 4, String(seen));
    await page.evaluate(() => rigor.players[0].reset());
  },
};

// A label of its own for each thing to press, and contrast of at least 4.5 for the text of buttons [WCAG 2.2, 1.4.3].
const accessible = (page) => page.evaluate(() => {
  const faults = [], light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const numbers = (color) => color.match(/[\d.]+/g).map(Number);
  const paper = (e) => { for (let at = e; at; at = at.parentElement) { const c = numbers(getComputedStyle(at).backgroundColor); if (c[3] !== 0) return c; } return [255, 255, 255]; };
  for (const e of document.querySelectorAll("button, select, input, canvas[tabindex], svg[tabindex]")) {
    const name = e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim();
    if (!name) faults.push(`without a name: ${e.outerHTML.slice(0, 80)}`);
    if (e.tagName === "BUTTON") {
      const [a, b] = [light(numbers(getComputedStyle(e).color)), light(paper(e))].sort((x, y) => y - x), contrast = (a + 0.05) / (b + 0.05);
      if (contrast < 4.5) faults.push(`contrast ${contrast.toFixed(2)}: ${e.textContent}`);
    }
  }
  return faults;
});

let failed = 0;
const report = (name, error, note) => {
  failed += error ? 1 : 0;
  done.push(`${error ? "FAILED" : "ok    "} ${name}${note ? ` (${note})` : ""}${error ? `\n       ${error.message}` : ""}`);
};
{
  const { page, faults } = await browser.page(file);
  await ready(page);
  for (const [name, test] of Object.entries(tests)) {
    try { report(name, undefined, await test(page)); } catch (error) { report(name, error); }
  }
  const unnamed = await accessible(page);
  report("everything to press has a name and contrast", unnamed.length && new Error(unnamed.join("\n       ")));
  report("no fault in the console, and no request to the outside", faults.length && new Error(faults.join("\n       ")));
  await page.close();
}
for (const [width, scheme] of [[400, "light"], [1600, "light"], [1280, "dark"]]) {
  const { page, faults } = await browser.page(file, width, 1000);
  await page.emulateMedia({ colorScheme: scheme });
  await page.reload();
  await ready(page);
  await page.evaluate(() => { rigor.players[0].clock.set(0.5 * rigor.players[0].end); document.querySelector("section.scene").scrollIntoView(); });
  await page.waitForTimeout(400);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  const complaints = [...faults, ...(wide > 0 ? [`the page is ${wide} pixels too wide`] : []), ...(await accessible(page))];
  report(`${width} pixels, ${scheme}`, complaints.length && new Error(complaints.join("\n       ")));
  if (pictures) {
    await page.screenshot({ path: join(pictures, `${width}-${scheme}.png`) });
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(pictures, `${width}-${scheme}-top.png`) });
    if (width === 1600) {
      await page.emulateMedia({ media: "print", colorScheme: "light" });
      await page.pdf({ path: join(pictures, "print.pdf"), format: "A4" });
    }
  }
  await page.close();
}
await browser.close();
console.log(done.join("\n"));
process.exitCode = failed ? 1 : 0;
