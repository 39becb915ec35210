// Measures what watching costs a run: node live.mjs RIGOR SCENE [METHOD] [TURNS]. In turns, the run goes on alone and with
// `--view` and its page open; the CPU time of the program until the run has ended is compared. Needs /proc.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "./open.mjs";

const [, , rigor, scene, method = "rapier", turns = "3"] = process.argv;
if (!scene) throw new Error("name a program and a scene: node live.mjs RIGOR SCENE [METHOD] [TURNS]");
const folder = mkdtempSync(join(tmpdir(), "rigor-live-"));
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
// User and system time (s) of a task from its file `stat`.
const seconds = (path) => {
  const words = readFileSync(path, "utf8").split(") ").pop().split(" ");
  return (Number(words[11]) + Number(words[12])) / 100;
};
const has_ended = (out) => {
  const record = join(out, "run.json");
  return existsSync(record) && /"kind": "completed"/.test(readFileSync(record, "utf8"));
};

// The CPU time (s) of the whole program and of its busiest thread, which is that of the run, when the run has ended; and how many frames the
// page had seen.
const run = async (is_watched, name) => {
  const out = join(folder, name), line = ["run", scene, "--method", method, "--out", out, "--quiet", ...(is_watched ? ["--view"] : [])];
  const process = spawn(rigor, line, { stdio: ["ignore", "pipe", "inherit"] });
  let browser, opened, seen = 0;
  if (is_watched) {
    const address = await new Promise((done) => process.stdout.once("data", (text) => done(String(text).split(/\s/)[0])));
    browser = await launch();
    while (!existsSync(join(out, "run.json"))) await sleep(20);
    opened = await browser.page(address);
  }
  let all = 0, own = 0, rounds = 0;
  while (process.exitCode === null) {
    try {
      all = seconds(`/proc/${process.pid}/stat`);
      const tasks = `/proc/${process.pid}/task`;
      own = Math.max(own, ...readdirSync(tasks).map((task) => seconds(join(tasks, task, "stat"))));
    } catch { break; }
    if (is_watched && has_ended(out)) break;
    if (is_watched && rounds++ % 20 === 0) seen = Math.max(seen, await opened.page.evaluate(() => rigor?.players[0]?.films[0].frames ?? 0).catch(() => 0));
    await sleep(20);
  }
  await browser?.close();
  process.kill("SIGINT");
  return { all, own, seen };
};

for (let turn = 0; turn < Number(turns); turn++) {
  const alone = await run(false, `alone-${turn}`), watched = await run(true, `watched-${turn}`);
  const more = 100 * (watched.all / alone.all - 1), aside = (100 * (watched.all - watched.own)) / watched.own;
  console.log(`alone ${alone.all.toFixed(2)} s; watched ${watched.all.toFixed(2)} s: ${more.toFixed(1)} % more, of which other threads than that of the run ${aside.toFixed(1)} %; ${watched.seen} frames seen`);
}
rmSync(folder, { recursive: true, force: true });
