// `ridge course --build DIR --base /PATH/` on a host of static files, Python's, that knows nothing of the site: a page,
// its figure, the search, and a link to another page.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as site from "./site_server.mjs";

const base = "/2026/gpu/";
const host_folder = mkdtempSync(join(tmpdir(), "ridge-host-"));
const folder = join(host_folder, base);
execFileSync(process.execPath, [join(process.env.RIDGE_ROOT, "course/site/program/course.mjs"), "--build", folder, "--base", base], { stdio: "inherit" });

const python = spawn("python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", host_folder], { stdio: ["ignore", "pipe", "ignore"] });
process.on("exit", () => {
  python.kill();
  rmSync(host_folder, { recursive: true, force: true });
});
const port = await new Promise((done) => python.stdout.once("data", (text) => done(Number(String(text).match(/port (\d+)/)[1]))));
const host = `http://127.0.0.1:${port}`;
site.allow(host);

const page = await site.new_page();
await page.goto(host + base);
await page.locator(".lab-list a").nth(2).click();
await page.waitForURL(`${host}${base}chapters/02-coalescing.html`);
if (existsSync(join(folder, "wasm/figures.wasm"))) {
  const figure = page.locator(".trace-figure").first();
  await figure.evaluate((element) => element.scrollIntoView({ block: "center" }));
  await figure.and(page.locator("[data-ready=true]")).waitFor();
}
await page.keyboard.press("Control+k");
await page.fill("#localsearch-input", "bank conflict");
await page.waitForSelector(`.VPLocalSearchBox .result[href^="${base}"]`);
await page.keyboard.press("Enter");
await page.waitForSelector(".VPLocalSearchBox", { state: "detached" });
assert.ok(page.url().startsWith(host + base), page.url());
await page.reload(); // the address means a file
assert.ok((await page.locator(".vp-doc h1").textContent()).length > 2);
console.log(`static files: under ${base} of a host that serves files`);
await site.end();
process.exit(0);
