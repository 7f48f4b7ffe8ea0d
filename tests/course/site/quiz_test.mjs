// Quizzes in the page: a number, a choice with a line, lanes and a scenario, by mouse and by keyboard.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

import * as site from "./site_server.mjs";

const page = await site.new_page();
const question = (text) => page.locator(".question", { hasText: text });

// A number: nothing, wrong, shown, right; the score counts the first try.
await site.open(page, "chapters/02-coalescing.html");
const stride = question("Lane l loads the float at index 2 * l.");
assert.ok(!(await stride.textContent()).includes("8 sectors; half of each"), "the answer is on the page before a try");
await stride.locator("button[type=submit]").click();
assert.match(await stride.locator(".outcome").textContent(), /Type a number first/);
await stride.locator("input").fill("16 sectors");
await page.keyboard.press("Enter");
assert.match(await stride.locator(".wrong").textContent(), /Not yet/);
await stride.locator("button", { hasText: "Show the answer" }).click();
assert.match(await stride.locator(".shown").textContent(), /It is 8 sectors\. The addresses span 252 bytes/);
await stride.locator("input").fill("8");
await page.keyboard.press("Enter");
assert.match(await stride.locator(".right").textContent(), /Right/);
assert.match(await page.locator(".quiz-score").textContent(), /^\s*0 of 9 right at the first try, 1 answered/);

// Lanes.
const lanes = question("Which lanes use the bank that lane 1 uses?");
for (const lane of [1, 5, 9, 13, 17, 21, 25, 29]) await lanes.locator(`button[aria-label="lane ${lane}"]`).click();
await lanes.locator("button[type=submit]").click();
assert.match(await lanes.locator(".right").textContent(), /Right/);
await lanes.locator('button[aria-label="lane 2"]').click();
await lanes.locator("button[type=submit]").click();
assert.match(await lanes.locator(".wrong").textContent(), /Not yet/);
assert.match(await page.locator(".quiz-score").textContent(), /^\s*1 of 9 right at the first try, 2 answered/);
assert.deepEqual(await site.violations(page), [], "a page with answers");

// Answers are remembered, and forgotten on demand.
await site.open(page, "quizzes/index.html");
assert.equal(await page.locator("tr", { hasText: "02 Coalescing" }).locator("td").last().textContent(), "1 of 9");
await site.open(page, "chapters/02-coalescing.html");
assert.match(await question("Lane l loads the float at index 2 * l.").locator(".before").textContent(), /You answered this right before/);
await page.click("text=Start again");
assert.match(await page.locator(".quiz-score").textContent(), /^\s*0 of 9 right at the first try, 0 answered/);

// A diagnosis: a choice and a line, by keyboard.
await site.open(page, "quizzes/diagnosis.html");
const diagnosis = page.locator(".question").first();
await diagnosis.locator("button[type=submit]").click();
assert.match(await diagnosis.locator(".outcome").textContent(), /Choose an answer and a line/);
await diagnosis.locator("input[type=radio]").first().focus();
await page.keyboard.press("Space");
for (let line = 1; line < 4; ++line) await page.keyboard.press("ArrowDown");
assert.equal(await diagnosis.locator(".code-lines .chosen").textContent(), " 4  out[x * n + y] = v;");
await diagnosis.locator(".choices input").first().check();
await diagnosis.locator("button[type=submit]").click();
assert.match(await diagnosis.locator(".right").textContent(), /Right/);
await diagnosis.locator(".code-lines label").first().click();
await diagnosis.locator("button[type=submit]").click();
assert.match(await diagnosis.locator(".wrong").textContent(), /Not yet/);

// A scenario: a bad choice leads back, the good ones to the end.
await site.open(page, "quizzes/scenarios.html");
const scenario = page.locator(".scenario").first();
const choose = (text) => scenario.locator(".turn").last().locator("button", { hasText: text }).click();
await choose("All SMs compute at full rate.");
assert.match(await scenario.locator(".wrong").textContent(), /No\. The usual utilisation figure/);
await choose("At every moment some kernel was running");
await choose("They are mostly idle");
await choose("Fuse them");
await choose("The arithmetic or a reduction inside");
assert.match(await scenario.locator(".quiz-score").textContent(), /4 of 5 choices were good/);
assert.deepEqual(await site.violations(page), [], "a scenario at its end");
await scenario.locator("text=Play again").click();
assert.equal(await scenario.locator(".turn").count(), 1);

// A clone that has joined a class sends what was answered; the token stays with the server.
const received = [];
const class_server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  received.push({ url: request.url, token: request.headers.authorization, body: JSON.parse(body) });
  response.writeHead(200, { "Content-Type": "application/json" }).end('{"quiz": "roofline", "right": 1, "of": 9}');
});
await new Promise((done) => class_server.listen(0, "127.0.0.1", done));
await site.open(page, "quizzes/roofline.html");
assert.equal(await page.locator(".class-link").count(), 0, "no class, no button");
mkdirSync(join(site.clone, ".ridge"));
writeFileSync(join(site.clone, ".ridge/class.json"), JSON.stringify({ url: `http://127.0.0.1:${class_server.address().port}`, class: "gpu", title: "GPU programming", student: "Ada", token: "secret" }));
await site.open(page, "quizzes/roofline.html");
await page.locator(".question").first().locator("input").fill("1,000,000");
await page.keyboard.press("Enter");
await page.click("text=Send my answers to GPU programming");
await page.waitForSelector("text=The class counts 1 of 9 right.");
assert.deepEqual(received, [{ url: "/api/v1/classes/gpu/quizzes", token: "Bearer secret", body: { quiz: "roofline", answers: { operations: "1000000" } } }]);
assert.deepEqual(await site.violations(page), [], "a quiz that was sent");
class_server.close();
class_server.closeAllConnections();

// Every question of every quiz, of a sample those of one lab, takes its own right answer.
const is_sample = Boolean(process.env.RIDGE_SITE_SAMPLE);
const quizzes = site.all_pages().filter((path) => (is_sample ? /^chapters\/02/ : /^(chapters|quizzes)\//).test(path));
let right = 0;
for (const path of quizzes) {
  await site.open(page, path);
  for (const one of await page.locator("form.question").all()) {
    if (await one.locator(".answer input").count()) await one.locator(".answer input").fill("-987654");
    else if (await one.locator(".lanes").count()) await one.locator(".lanes button").nth(31).click();
    else await one.locator(".choices input").last().check();
    if (await one.locator(".code-lines").count()) await one.locator(".code-lines input").last().check();
    await one.locator("button[type=submit]").click();
    if (await one.locator(".right").count()) {
      ++right;
      continue;
    }
    await one.locator("button", { hasText: "Show the answer" }).click();
    const answer = (await one.locator(".shown strong").textContent()).replace(/^It is /, "").replace(/\.$/, "");
    if (await one.locator(".answer input").count()) await one.locator(".answer input").fill(answer);
    else if (await one.locator(".lanes").count()) {
      await one.locator(".lanes button").nth(31).click();
      for (const part of answer.replace("lanes ", "").split(", ")) {
        const [first, last = first] = part.split("-").map(Number);
        for (let lane = first; lane <= last; ++lane) await one.locator(`button[aria-label="lane ${lane}"]`).click();
      }
    } else await one.locator(".choices input").nth(answer.charCodeAt(0) - 97).check();
    const line = answer.match(/, line (\d+)$/)?.[1];
    if (line) await one.locator(`input[aria-label="line ${line}"]`).check();
    await one.locator("button[type=submit]").click();
    assert.equal(await one.locator(".right").count(), 1, `${path}: "${answer}" is not taken`);
    ++right;
  }
}
assert.ok(right > (is_sample ? 8 : 150), `${right} questions`);
console.log(`quizzes: ${right} questions take the answer that they show`);
await site.end();
process.exit(0);
