// The moving figures in headless Chromium: played, scrubbed, by keyboard and by touch; the calculators; a trace dropped
// on the page; what remains without script; the time to the first picture, the time per frame and the size of the code.
// SHOTS=FOLDER keeps a picture of each look; TRACES=FOLDER drops those traces instead of the site's.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import * as site from "./site_server.mjs";

const kMostCodeBytes = 3_000_000;
const kMostFirstPictureMs = 2_000;
const kMostFrameMs = 1000 / 60;
const shots = process.env.SHOTS;
if (shots) mkdirSync(shots, { recursive: true });
const page_with_figures = "chapters/02-coalescing.html";

if (!existsSync(join(site.site_folder, "wasm/figures.wasm")) || !existsSync(join(site.site_folder, "traces/index.json"))) {
  console.log("skipped: the site was built without emscripten (package emscripten) or without traces");
  await site.end();
  process.exit(0);
}

const attribute = (locator, name) => locator.getAttribute(name);

// Waits until `look` returns what `is_right` accepts.
async function until(what, look, is_right) {
  let last;
  for (const begun = Date.now(); Date.now() - begun < 10_000; await new Promise((done) => setTimeout(done, 50)))
    if (is_right((last = await look()))) return last;
  assert.fail(`${what}: ${last}`);
}

async function shown_figure(page, index = 0) {
  const figure = page.locator(".trace-figure").nth(index);
  await figure.evaluate((element) => element.scrollIntoView({ block: "center" }));
  await figure.and(page.locator("[data-ready=true]")).waitFor();
  return figure;
}
const place_of = (figure) => figure.locator("input[type=range]").inputValue().then(Number);
// Different pictures give different numbers.
const picture_of = (figure) =>
  figure.locator("canvas").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.reduce((sum, byte, i) => (sum * 31 + byte * (i & 255)) >>> 0, 7);
  });

async function look(page, name, locator) {
  for (const width of [1280, 360])
    for (const theme of ["light", "dark"]) {
      await page.setViewportSize({ width, height: 900 });
      await site.set_theme(page, theme);
      await locator.first().evaluate((element) => element.scrollIntoView({ block: "start" }));
      await page.waitForTimeout(600); // colours change slowly
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${name} at ${width} px is ${overflow} px too wide`);
      assert.deepEqual(await site.violations(page), [], `${name}, ${width} px, ${theme}`);
      if (shots) await page.screenshot({ path: join(shots, `${name}-${width}-${theme}.png`) });
    }
  await page.setViewportSize({ width: 1280, height: 900 });
}

async function code_is_small() {
  const bytes = ["figures.mjs", "figures.wasm"].reduce((sum, file) => sum + statSync(join(site.site_folder, "wasm", file)).size, 0);
  assert.ok(bytes < kMostCodeBytes, `the module is ${bytes} bytes`);
  console.log(`module: ${bytes} bytes`);
}

async function first_picture_is_quick() {
  const page = await site.new_page();
  const begun = Date.now();
  await site.open(page, page_with_figures);
  await shown_figure(page);
  const ms = Date.now() - begun;
  // Of an idle machine; a test run has neighbours.
  assert.ok(ms < 5 * kMostFirstPictureMs, `the first picture came after ${ms} ms`);
  console.log(`first picture after ${ms} ms (bar ${kMostFirstPictureMs} on an idle machine)`);
  await page.context().close();
}

async function figure_plays_and_scrubs() {
  const page = await site.new_page();
  await site.open(page, page_with_figures);
  const figure = await shown_figure(page);
  const canvas = figure.locator("canvas");
  assert.ok(!(await figure.locator("img").first().isVisible()), "the still picture is beside the moving one");

  const slider = figure.getByRole("slider", { name: "Access" });
  await slider.fill("0");
  await until("scrubbed to the start", () => attribute(canvas, "aria-label"), (text) => text.includes("Access 1 of"));
  const [first_words, first_picture] = [await attribute(canvas, "aria-label"), await picture_of(figure)];
  await slider.fill("3");
  await until("scrubbed", () => attribute(canvas, "aria-label"), (text) => text.includes("Access 4 of"));
  assert.match(await attribute(canvas, "aria-label"), /sectors?/);
  await page.waitForTimeout(600); // the move has ended
  assert.notEqual(await picture_of(figure), first_picture);
  assert.notEqual(await attribute(canvas, "aria-label"), first_words);

  await slider.fill("0");
  await canvas.evaluate((element) => (element.figureTiming = undefined));
  await figure.getByRole("button", { name: "Play" }).click();
  await until("played", () => place_of(figure), (at) => at >= 3);
  await figure.getByRole("button", { name: "Pause" }).click();
  const { frames, milliseconds, seconds } = await canvas.evaluate((element) => element.figureTiming);
  const per_frame = milliseconds / frames;
  assert.ok(frames > 20 && per_frame < kMostFrameMs, `${frames} frames took ${per_frame.toFixed(1)} ms each`);
  console.log(`playing: ${per_frame.toFixed(2)} ms per frame over ${frames} frames, ${(frames / seconds).toFixed(0)} frames per second`);

  // Keys, which the page does not take for scrolling.
  await canvas.focus();
  const scrolled = await page.evaluate(() => scrollY);
  const at = await place_of(figure);
  await page.keyboard.press("ArrowRight");
  await until("arrow", () => place_of(figure), (now) => now === at + 1);
  await page.keyboard.press("Home");
  await until("Home", () => place_of(figure), (now) => now === 0);
  await page.keyboard.press("Space");
  await figure.getByRole("button", { name: "Pause" }).waitFor();
  await page.keyboard.press("Space");
  await page.keyboard.press("7");
  await until("digit", () => attribute(canvas, "aria-label"), (text) => text.startsWith("Grid view"));
  await figure.getByRole("combobox", { name: "View" }).selectOption("Warp");
  await until("list of views", () => attribute(canvas, "aria-label"), (text) => text.startsWith("Warp view"));
  assert.equal(await page.evaluate(() => scrollY), scrolled, "a key of the figure scrolled the page");
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => document.activeElement.tagName !== "CANVAS"), "Tab is caught by the figure");

  // The wheel scrolls the page until the figure has the focus.
  await canvas.hover();
  await page.mouse.wheel(0, 80);
  await until("wheel", () => page.evaluate(() => scrollY), (now) => now !== scrolled);
  await look(page, "figure", figure);
  await page.context().close();
}

// Every figure of every chapter is drawn and goes on when it is played; every lab has two of different rungs or more.
async function every_figure_plays() {
  const page = await site.new_page();
  const rungs = new Map(); // by lab, "07"
  let figures = 0;
  for (const path of site.all_pages("chapters")) {
    await site.open(page, path);
    const count = await page.locator(".trace-figure").count();
    const lab = path.split("/")[1].slice(0, 2);
    if (!rungs.has(lab)) rungs.set(lab, new Set());
    for (let index = 0; index < count; ++index, ++figures) {
      const figure = await shown_figure(page, index);
      const name = `${path}, figure ${index} of ${await attribute(figure, "data-trace")}`;
      assert.ok((await figure.locator("img").first().getAttribute("alt"))?.length > 10, `${name} has no text beside it`);
      rungs.get(lab).add(await attribute(figure, "data-trace"));
      const before = [await place_of(figure), await picture_of(figure)];
      await figure.getByRole("button", { name: "Play" }).click();
      await until(`${name} plays`, () => place_of(figure), (at) => at !== before[0]);
      await until(`${name} shows another picture`, () => picture_of(figure), (now) => now !== before[1]);
      if (await figure.getByRole("button", { name: "Pause" }).count()) await figure.getByRole("button", { name: "Pause" }).click();
    }
  }
  for (const [lab, shown] of rungs) assert.ok(shown.size >= 2, `lab ${lab} has the moving figures "${[...shown]}"`);
  assert.ok(rungs.size >= 14, `${rungs.size} labs`);
  console.log(`${figures} figures of ${rungs.size} labs play`);
  await page.context().close();
}

async function figure_is_touched() {
  const page = await site.new_page({ hasTouch: true, viewport: { width: 360, height: 740 } });
  await site.open(page, page_with_figures);
  const figure = await shown_figure(page);
  const before = await picture_of(figure);
  await figure.locator("canvas").tap({ position: { x: 150, y: 180 } });
  await until("a touched lane is explained", () => picture_of(figure), (now) => now !== before);
  const at = await place_of(figure);
  await figure.getByRole("button", { name: "Access after" }).tap();
  await until("step", () => place_of(figure), (now) => now === at + 1);
  await page.context().close();
}

async function theme_follows_the_page() {
  const page = await site.new_page();
  await site.open(page, page_with_figures);
  const figure = await shown_figure(page);
  const corner = () => figure.locator("canvas").evaluate((canvas) => canvas.getContext("2d").getImageData(20, canvas.height - 8, 1, 1).data[0]);
  const is_dark = () => page.evaluate(() => document.documentElement.classList.contains("dark"));
  for (const _ of [0, 1]) {
    const dark = await is_dark();
    await until("colours", corner, (red) => (dark ? red < 80 : red > 180));
    await page.locator(".VPSwitchAppearance").first().click();
    await until("theme", is_dark, (now) => now !== dark);
  }
  await page.context().close();
}

async function trace_is_dropped() {
  const page = await site.new_page();
  await site.open(page, "trace.html");
  const drop = page.locator(".trace-drop");
  await drop.locator("canvas").waitFor();
  const give = (name, bytes) =>
    drop.evaluate(
      (element, [file, base64]) => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], file));
        for (const type of ["dragover", "drop"]) element.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      },
      [name, bytes.toString("base64")],
    );
  await give("noise.rtrace", Buffer.from("this is no trace"));
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").textContent(), /noise\.rtrace/);
  const canvas = drop.locator("canvas");
  const folder = process.env.TRACES ?? join(site.site_folder, "traces");
  const traces = readdirSync(folder).filter((name) => name.endsWith(".rtrace"));
  for (const name of [...traces.filter((one) => one !== "02-4.rtrace"), "02-4.rtrace"]) {
    await give(name, readFileSync(join(existsSync(join(folder, name)) ? folder : join(site.site_folder, "traces"), name)));
    const [, lab, rung] = name.match(/^(\d+)-(\d+)/);
    await until(`${name} opened`, () => attribute(canvas, "aria-label"), (text) => new RegExp(` view of ${lab}-[^/]*/${rung}-`).test(text));
    assert.equal(await page.getByRole("alert").count(), 0, name);
    const views = await drop.getByRole("combobox", { name: "View" }).locator("option").allTextContents();
    assert.ok(views.length >= 9, views.join());
    for (const view of views) {
      await drop.getByRole("combobox", { name: "View" }).selectOption(view);
      await until(`${view} of ${name}`, () => attribute(canvas, "aria-label"), (text) => text.startsWith(`${view} view`));
      if (shots) await page.screenshot({ path: join(shots, `dropped-${name}-${view.replaceAll(/\W+/g, "-")}.png`) });
    }
  }
  console.log(`${traces.length} traces dropped, each with every view`);
  await drop.getByRole("combobox", { name: "View" }).selectOption("Banks");
  await look(page, "trace", drop);
  await page.context().close();
}

async function calculators_calculate() {
  const page = await site.new_page();
  await site.open(page, "calculators.html");
  const calculator = (name) => page.getByRole("region", { name: `${name} calculator` });
  const shows = async (name, result, is_right) => {
    const value = calculator(name).locator("dl > div", { has: page.getByText(result, { exact: true }) }).locator("dd");
    await until(`${name}: ${result}`, () => value.textContent(), is_right);
  };
  const visit = (name) => calculator(name).evaluate((element) => element.scrollIntoView());

  await visit("Sector");
  await shows("Sector", "Sectors", (text) => text.startsWith("4 "));
  await calculator("Sector").getByLabel("Stride (elements)").fill("2");
  await shows("Sector", "Sectors", (text) => text.startsWith("8 "));
  await visit("Bank");
  await shows("Bank", "Wavefronts", (text) => text.startsWith("32 "));
  await calculator("Bank").getByLabel("Padding (elements)").fill("1");
  await shows("Bank", "Wavefronts", (text) => text.startsWith("1 "));
  await visit("Occupancy");
  await shows("Occupancy", "Limited by", (text) => text === "registers");
  await calculator("Occupancy").getByLabel("Registers per thread").fill("32");
  await shows("Occupancy", "Occupancy", (text) => text.startsWith("100"));
  await visit("Roofline");
  await shows("Roofline", "Bound by", (text) => text === "memory bandwidth");
  const box = await calculator("Roofline").locator("canvas").boundingBox();
  await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 30, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await shows("Roofline", "Bound by", (text) => text === "arithmetic");
  for (const name of ["Sector", "Bank", "Occupancy", "Roofline"]) await look(page, `calculator-${name}`, calculator(name));
  await page.context().close();
}

async function pictures_stay_without_script() {
  const page = await site.new_page({ javaScriptEnabled: false });
  await page.goto(site.address + page_with_figures);
  const figure = page.locator(".trace-figure").first();
  assert.ok(await figure.locator("img").first().isVisible());
  assert.ok((await figure.locator("figcaption").textContent()).length > 10);
  assert.equal(await page.locator("canvas").count(), 0);
  await page.context().close();
}

for (const test of [code_is_small, first_picture_is_quick, figure_plays_and_scrubs, every_figure_plays, figure_is_touched, theme_follows_the_page, trace_is_dropped, calculators_calculate, pictures_stay_without_script])
  if (!process.env.ONLY || test.name.includes(process.env.ONLY)) await test();
await site.end();
console.log("figures: played, scrubbed, touched, dropped and calculated without an error");
process.exit(0);
