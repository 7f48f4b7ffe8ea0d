// The pages in headless Chromium: what a student and an instructor do, at three widths, in both themes, without a
// console error and without a violation that axe-core finds. SHOTS=FOLDER keeps a picture of every page.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { chromium } from "playwright-core";

import { ClassServer, freePort, scratchFolder, sleep } from "./class_server.mjs";

const axe_source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const shots = process.env.SHOTS;
if (shots) mkdirSync(shots, { recursive: true });
const folder = scratchFolder();
const server = new ClassServer(folder, await freePort(), ["--fresh", "--workers", "0", "--students", "14", "--submissions", "160"]);
const started_ms = await server.start();
assert.ok(started_ms < 10_000, `the demonstration answered after ${started_ms} ms`);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const errors = [];
let checked = 0;

async function newPage(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && errors.push(`${page.url()}: ${message.text()}`));
  page.on("pageerror", (error) => errors.push(`${page.url()}: ${error}`));
  return page;
}

// axe-core runs in the page's isolated world, which the content security policy does not reach.
async function look(page, name, widths = [1280], themes = ["light"]) {
  for (const theme of themes)
    for (const width of widths) {
      await page.setViewportSize({ width, height: width === 360 ? 740 : width > 1500 ? 1080 : 900 });
      await page.evaluate((chosen) => {
        if (document.documentElement.dataset.theme === chosen) return;
        const button = document.querySelector(".who button.quiet"); // there is none on a projector
        if (button) button.click();
        else document.documentElement.dataset.theme = chosen;
      }, theme);
      await page.waitForTimeout(60);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${name} at ${width} px is ${overflow} px too wide`);
      const found = await page.evaluate(async () => {
        const result = await globalThis.axe.run(document, { resultTypes: ["violations"] });
        return result.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).slice(0, 3).join(" | ")}`);
      });
      assert.deepEqual(found, [], `${name}, ${width} px, ${theme}`);
      ++checked;
      if (shots) await page.screenshot({ path: join(shots, `${name}-${width}-${theme}.png`), fullPage: width < 1500 });
    }
}

async function open(page, address) {
  await page.goto(server.url + "/" + address);
  await page.waitForSelector("main h1");
  await page.evaluate(axe_source);
}
async function follow(page, address, selector = "main h1") {
  await page.evaluate((hash) => (location.hash = hash), address);
  await page.waitForSelector(selector);
  await page.waitForTimeout(120);
}

const both = ["light", "dark"];
const everywhere = [360, 1280];

// Nobody: the public board, and the way to sign in.
const visitor = await newPage();
await open(visitor, "#/board/demo/coalescing");
await visitor.waitForSelector("tbody tr");
await look(visitor, "board", everywhere, both);
await follow(visitor, "#/board/demo/coalescing/projector");
await look(visitor, "projector", [1920], both);
await follow(visitor, "#/sign-in");
await look(visitor, "sign-in", everywhere, both);
await visitor.fill("#secret", "AAAAA-AAAAA-AAAAA-AAAAA");
errors.length = 0;
await visitor.click("main button[type=submit]");
await visitor.waitForSelector(".error");
assert.match(await visitor.textContent(".error"), /unknown, used or too old/);
assert.equal(errors.filter((text) => !text.includes("401")).length, 0, errors.join("\n"));
errors.length = 0;

visitor.evaluate(() => localStorage.clear());

// A student joins, signs in by keyboard, hands in; the board moves without a reload.
const { token, student } = await server.join("Eve <script>alert(1)</script>");
const code = (await server.ask("POST", "/sign-in-codes", token, {})).body.code;
const page = await newPage();
await open(page, "#/sign-in");
await page.focus("#secret");
await page.keyboard.type(code);
await page.keyboard.press("Enter");
await page.waitForSelector("tbody tr");
assert.ok(!(await page.textContent("tbody")).includes("you"), "the student is on the board before any grade");
await follow(page, "#/board/demo/coalescing");
const first = await server.submit(token, "02-coalescing/4-transpose-tiled", "__global__ void f() {}\n");
assert.equal(first.status, 201);
await page.evaluate(() => (globalThis.not_reloaded = true));
await server.gradeOne(() => "PASS");
const graded_at = performance.now();
await page.waitForSelector("tr.own");
const board_ms = performance.now() - graded_at;
assert.ok(board_ms < 1000, `the board moved after ${board_ms} ms`);
assert.ok(await page.evaluate(() => globalThis.not_reloaded), "the page was reloaded");
await look(page, "board-student");
await follow(page, `#/submission/${first.body.submission}`, ".badge.large");
await page.waitForSelector(".badge.large.pass");
await look(page, "submission-first");
const second = await server.submit(token, "02-coalescing/4-transpose-tiled", "__global__ void f() { /* better */ }\n// </code></pre><img src=x onerror=alert(1)>\n");
await follow(page, `#/submission/${second.body.submission}`, ".diff");
await page.waitForFunction(() => document.querySelector(".badge.large")?.textContent === "WAITING");
await server.gradeOne(() => "GOLD");
await page.waitForSelector(".badge.large.gold");
assert.match(await page.textContent(".diff"), /\+__global__ void f\(\) \{ \/\* better/);
assert.equal(await page.locator("main img").count(), 0, "a source became markup");
await look(page, "submission-diff", everywhere, both);
await follow(page, `#/student/${student.id}`, ".chart canvas");
await look(page, "my-work", everywhere, both);
await page.fill("#nickname", "<b>bold</b>");
await page.click("form.row button[type=submit]");
await page.waitForFunction(() => document.body.textContent.includes("Saved."));
await follow(page, "#/board/demo/coalescing", "tr.own");
await page.waitForFunction(() => document.querySelector("tr.own th")?.textContent.includes("<b>bold</b>"));
assert.equal(await page.locator("main b, main script").count(), 0, "a name became markup");
await follow(page, "#/roster");
assert.match(await page.textContent("main"), /Sign in first/);

// An instructor.
const boss = await newPage();
await open(boss, "#" + server.secrets.classes[0].instructors[0].link.split("#")[1]);
await boss.waitForSelector("nav a[href='#/roster']");
await boss.waitForSelector("tbody tr");
await boss.check("main input[type=checkbox]");
await boss.waitForSelector("tbody th a");
await look(boss, "board-instructor", [1280], both);
for (const name of ["submissions", "stuck", "exports"]) {
  await follow(boss, `#/${name}`, "tbody tr");
  await look(boss, name, everywhere, both);
}
await follow(boss, "#/workers", "#worker-name");
await boss.fill("#worker-name", "lab-pc");
await boss.click("text=Make a token");
await boss.waitForSelector("tbody tr");
assert.match(await boss.textContent("main"), /class workers http/);
await look(boss, "workers", everywhere, both);
await follow(boss, "#/similarity/coalescing");
await boss.waitForSelector(".card");
await look(boss, "similarity");
await follow(boss, "#/roster", "tbody tr");
await boss.fill("#csv", "name,email,id\nAda,ada@example.org,1\nBob,bob.example.org,2\n,eve@example.org,3\n");
errors.length = 0;
await boss.click("text=Check");
await boss.waitForSelector(".error li");
assert.deepEqual(await boss.locator(".error li").allTextContents(), ['line 3: "bob.example.org" is not an e-mail address', "line 4: the name is empty"]);
assert.equal(errors.filter((text) => !text.includes("422")).length, 0, errors.join("\n"));
errors.length = 0;
await look(boss, "roster-errors");
await boss.fill("#csv", "name,email,id\nAda,ada@example.org,1\nBob,bob@example.org,2\n");
await boss.click("text=Check");
await boss.click("text=Import 2 students");
await boss.waitForSelector("text=2 students were imported.");
await look(boss, "roster", everywhere, both);
await follow(boss, "#/assignments", "form");
await boss.waitForSelector("#due-coalescing");
await look(boss, "assignments", everywhere, both);
await boss.fill("#due-coalescing", "2031-02-30 18:00");
errors.length = 0;
await boss.locator("form:has(#due-coalescing) button[type=submit]").click();
await boss.waitForSelector(".error");
assert.match(await boss.textContent(".error"), /there is no 2031-02-30 18:00/);
errors.length = 0;

// A regrade: dry run, table, apply.
await follow(boss, `#/submission/${first.body.submission}`, ".badge.large");
await look(boss, "submission-instructor");
await boss.click("text=Regrade (dry run)");
await boss.waitForSelector("progress");
await server.gradeOne(() => "WRONG");
await boss.waitForSelector("text=1 of 1 verdicts would change");
assert.equal((await server.ask("GET", `/submissions/${first.body.submission}`, token)).body.grade.verdict, "PASS");
await look(boss, "regrade", everywhere, both);
await boss.click("text=Apply 1 new grade");
await boss.waitForSelector("text=Applied: 1 of 1 verdicts changed.");
assert.equal((await server.ask("GET", `/submissions/${first.body.submission}`, token)).body.grade.verdict, "WRONG");
await follow(boss, "#/exports");
const [download] = await Promise.all([boss.waitForEvent("download"), boss.click("text=canvas.csv")]);
assert.match(readFileSync(await download.path(), "utf8"), /^Student,ID,SIS User ID,SIS Login ID,Section,/);

assert.deepEqual(errors, [], "console errors");
await browser.close();
await server.stop();
await sleep(10);
console.log(`pages: ${checked} looks without a violation; the demonstration answered after ${Math.round(started_ms)} ms, the board moved ${Math.round(board_ms)} ms after the grade`);
process.exit(0);
