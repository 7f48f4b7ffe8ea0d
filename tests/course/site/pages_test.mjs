// The built site in headless Chromium: every page at two widths and every kind of page in both themes without a violation
// that axe-core finds, search, formulas, copy buttons, closed pages of rungs, progress, and the size of the first page.
// SHOTS=FOLDER keeps a picture of each look; PAGES=kinds looks at one page of each kind; RIDGE_SITE_SAMPLE=REGEX at
// those of a sample.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import * as site from "./site_server.mjs";

const kMostBytes = 300_000; // of the first page as it is sent, without pictures
const is_sample = Boolean(process.env.RIDGE_SITE_SAMPLE);
const shots = process.env.SHOTS;
if (shots) mkdirSync(shots, { recursive: true });

// One page of each kind.
const kinds = ["index.html", "concepts/04-three-regimes.html", "chapters/02-coalescing.html", "chapters/06-gemm-tensor-cores.html",
  "worklogs/02-coalescing/4-transpose-tiled.html", "worklogs/05-gemm-ladder/index.html", "quizzes/index.html", "quizzes/scenarios.html",
  "projects/1-fused-block.html", "glossary.html", "concepts/15-cheat-sheet.html", "source/solutions/06-gemm-tensor-cores/1-wmma.cu.html", "measured/nvidia-h200/counters.html"];

async function first_page_is_small() {
  const page = await site.new_page();
  const sizes = [];
  page.on("response", async (response) => {
    if (/\.(png|svg|wasm|rtrace)$/.test(new URL(response.url()).pathname)) return;
    sizes.push((await response.request().sizes()).responseBodySize);
  });
  await page.goto(site.address, { waitUntil: "networkidle" });
  await page.waitForTimeout(200);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes > 20_000 && bytes < kMostBytes, `the first page is ${bytes} bytes in ${sizes.length} files`);
  console.log(`first page: ${bytes} bytes in ${sizes.length} files, without pictures`);
  await page.context().close();
}

async function every_page_is_accessible() {
  const page = await site.new_page();
  const paths = is_sample ? ["index.html", "chapters/02-coalescing.html", "quizzes/scenarios.html"] : process.env.PAGES === "kinds" ? kinds : site.all_pages();
  let looks = 0;
  for (const path of paths)
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await site.open(page, path);
      await page.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));
      await page.addStyleTag({ content: "*, *::before, *::after { transition: none !important; }" }); // colours change at once
      for (const theme of !is_sample && kinds.includes(path) ? ["light", "dark"] : [width === 360 ? "dark" : "light"]) {
        await site.set_theme(page, theme);
        await page.waitForTimeout(100);
        const name = `${path}, ${width} px, ${theme}`;
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(overflow <= 0, `${name} is ${overflow} px too wide`);
        assert.deepEqual(await site.violations(page), [], name);
        ++looks;
        if (shots) await page.screenshot({ path: join(shots, `${path.replaceAll("/", "_")}-${width}-${theme}.png`) });
      }
    }
  console.log(`${looks} looks at ${paths.length} pages without a violation`);
  await page.context().close();
}

async function search_finds() {
  const page = await site.new_page();
  await site.open(page, "");
  await page.keyboard.press("Control+k");
  await page.fill("#localsearch-input", "bank conflict");
  await page.waitForSelector(".VPLocalSearchBox .result");
  assert.deepEqual(await site.violations(page), [], "the search box");
  const found = await page.locator(".VPLocalSearchBox .result").allTextContents();
  assert.ok(found.some((text) => /bank conflict/i.test(text)), found.join(" | "));
  // A closed page is found by its heading, and not by what it tells.
  await page.fill("#localsearch-input", "508,400 cycles per SM");
  await page.waitForTimeout(400);
  const spoiled = await page.locator(".VPLocalSearchBox .result[href*=worklogs]").allTextContents();
  assert.ok(!spoiled.some((text) => text.includes("508,400")), spoiled.join(" | "));
  await page.fill("#localsearch-input", "three regimes");
  await page.waitForTimeout(300);
  await page.keyboard.press("Enter");
  await page.waitForURL(/three-regimes|\.html/);
  await page.context().close();
}

async function formulas_render() {
  const page = await site.new_page();
  await site.open(page, "concepts/04-three-regimes.html");
  const formulas = await page.evaluate(() => [...document.querySelectorAll(".vp-doc math")].map((one) => ({ name: one.namespaceURI, width: one.getBoundingClientRect().width })));
  assert.ok(formulas.length >= 2, `${formulas.length} formulas`);
  for (const { name, width } of formulas) {
    assert.equal(name, "http://www.w3.org/1998/Math/MathML");
    assert.ok(width > 5, `a formula is ${width} px wide`);
  }
  assert.ok(!(await page.textContent(".vp-doc")).includes("$$"));
  await page.context().close();
}

async function pages_of_rungs_are_closed() {
  const page = await site.new_page();
  await site.open(page, "worklogs/02-coalescing/4-transpose-tiled.html");
  const text = page.locator(".spoiler-text");
  assert.equal(await text.isVisible(), false);
  await page.click(".spoiler summary");
  assert.equal(await text.isVisible(), true);
  const plain = await site.new_page({ javaScriptEnabled: false });
  await plain.goto(site.address + "worklogs/02-coalescing/4-transpose-tiled.html");
  assert.equal(await plain.locator(".spoiler-text").isVisible(), false, "without script");
  await plain.click(".spoiler summary");
  assert.equal(await plain.locator(".spoiler-text").isVisible(), true, "without script, opened");
  await page.context().close();
  await plain.context().close();
}

async function progress_is_remembered() {
  const page = await site.new_page();
  await site.open(page, "concepts/04-three-regimes.html");
  await page.check(".read-mark input");
  await site.open(page, "concepts/06-numbers.html");
  await site.open(page, "");
  const box = page.locator(".progress-box");
  assert.match(await box.textContent(), /^\s*1 of \d+ pages read/);
  assert.equal(await box.locator("a").textContent(), "Numbers");
  assert.deepEqual(await site.violations(page), [], "the first page with progress");
  assert.match(await page.evaluate(() => getComputedStyle(document.querySelector('.VPSidebarItem a[href$="04-three-regimes.html"] .text'), "::after").content), /✓/);
  page.on("dialog", (dialog) => dialog.accept());
  await page.click("text=Forget my progress");
  assert.equal(await box.count(), 0);
  // Damaged storage is not the end of the page.
  await page.evaluate(() => localStorage.setItem("ridgepoint.progress", '{"read": 3, "answers": null'));
  await site.open(page, "concepts/06-numbers.html");
  await page.check(".read-mark input");
  await page.context().close();
}

async function readers_move_on_and_copy() {
  const page = await site.new_page();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await site.open(page, "chapters/01-kernel-basics.html");
  const code = page.locator(".vp-doc div[class*=language-]").first();
  await code.hover();
  await code.locator("button.copy").click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok((await code.locator("code").textContent()).includes(copied.trim().split("\n")[0]), copied);
  assert.equal(await page.locator(".pager-link.prev .title").textContent(), "00 The host side");
  await page.click(".pager-link.next");
  await page.waitForURL(/02-coalescing\.html/);
  // "Start here" and lab 00 ask for how a GPU waits first.
  await site.open(page, "chapters/00-how-a-gpu-waits.html");
  assert.equal(await page.locator(".pager-link.next .title").textContent(), "00 The host side");
  if (is_sample) return page.context().close();
  // Every page of the order can be reached by "next" from the first.
  await site.open(page, "concepts/00-start-here.html");
  let count = 1;
  while (await page.locator(".pager-link.next").count()) {
    await site.open(page, (await page.getAttribute(".pager-link.next", "href")).slice(1));
    ++count;
  }
  assert.match(page.url(), /glossary\.html$/);
  assert.ok(count >= 24, `${count} pages follow one another`);
  await page.context().close();
}

for (const test of [first_page_is_small, every_page_is_accessible, search_finds, formulas_render, pages_of_rungs_are_closed, progress_is_remembered, readers_move_on_and_copy]) {
  if (process.env.ONLY && !test.name.includes(process.env.ONLY)) continue;
  await test();
  console.log(`${test.name}: ok`);
}
await site.end();
process.exit(0);
