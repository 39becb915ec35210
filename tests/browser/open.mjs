// Opens a page in headless Chromium and records what a page must not do.
import { createRequire } from "node:module";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.PLAYWRIGHT ?? process.cwd(), "package.json"));
const { chromium } = require("playwright-core");

const FLAGS = [
  "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-default-apps", "--no-first-run",
];

// Starts a browser with a profile of its own and returns `page(file, width, height)`; `browser.close()` ends it.
export const launch = async () => {
  const browser = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), "rigor-browser-")), {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: FLAGS, acceptDownloads: true,
  });
  const page = async (address, width = 1280, height = 900) => {
    const opened = await browser.newPage();
    const faults = [];
    const home = address.startsWith("http://127.0.0.1:") ? new URL(address).origin : undefined;
    const url = home ? address : pathToFileURL(resolve(address)).href;
    opened.on("console", (message) => { if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`); });
    opened.on("pageerror", (error) => faults.push(`error: ${error.stack ?? error.message}`));
    opened.on("request", (request) => {
      const asked = request.url();
      const is_inside = asked === url || /^(data|blob):/.test(asked) || (home && asked.startsWith(`${home}/`));
      if (!is_inside) faults.push(`request: ${asked}`);
    });
    await opened.setViewportSize({ width, height });
    await opened.goto(url);
    return { page: opened, faults };
  };
  return { page, close: () => browser.close() };
};
