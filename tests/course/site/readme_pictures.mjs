// The README's pictures, taken from the built site in headless Chromium: readme_pictures.mjs, run by run_site.sh with
// PICTURES=FOLDER. warp-view.png is the moving figure of the naive transpose, scrubbed to its first store; roofline.png
// is the roofline calculator. course/figures/make.sh calls it.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";

import * as site from "./site_server.mjs";

const folder = process.env.PICTURES;
assert.ok(folder, "PICTURES names the folder of the pictures");
const missing = ["wasm/figures.wasm", "traces/index.json"].filter((file) => !existsSync(join(site.site_folder, file)));
assert.deepEqual(missing, [], "the site was built without its moving figures (package emscripten)");

const page = await site.new_page({ viewport: { width: 1280, height: 1000 }, deviceScaleFactor: 2 });

// The part of the page is complete: scrolled to, its canvas drawn, its colours at rest.
async function take(part, name) {
  await part.scrollIntoViewIfNeeded();
  await page.waitForTimeout(1000);
  await part.screenshot({ path: join(folder, name) });
}

await site.open(page, "chapters/02-coalescing.html");
await site.set_theme(page, "light");
// A figure loads, and has its slider, when it is seen.
const figures = page.locator(".trace-figure[data-trace='02-3']");
let figure, slider;
for (let i = 0; !slider; ++i) {
  assert.ok(i < (await figures.count()), "chapter 02 shows no moving figure of 02/3");
  figure = figures.nth(i);
  await figure.evaluate((element) => element.scrollIntoView({ block: "center" }));
  await figure.and(page.locator("[data-ready=true]")).waitFor();
  const found = figure.getByRole("slider", { name: "Access" });
  if (await found.count()) slider = found;
}
const is_store = async () => /: store to global memory/.test(await figure.locator("canvas").getAttribute("aria-label"));
for (let access = 0; !(await is_store()); ++access) {
  assert.ok(access <= Number(await slider.getAttribute("max")), "the figure shows no store");
  await slider.fill(String(access));
  await page.waitForTimeout(300);
}
await take(figure, "warp-view.png");

await site.open(page, "calculators.html");
await site.set_theme(page, "light");
await take(page.getByRole("region", { name: "Roofline calculator" }), "roofline.png");
await site.end();
