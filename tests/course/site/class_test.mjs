// Answers given in the page reach a class: a real class server, a clone that joined it by `ridge class join`, and what
// the instructor's export says.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";

process.env.RIDGE_BINARIES ??= join(process.env.RIDGE_BUILD, "bin");
if (!existsSync(join(process.env.RIDGE_BINARIES, "ridge-class"))) {
  console.log("skipped: the class server is not built");
  process.exit(0);
}
const { ClassServer, freePort, root, scratchFolder, signIn } = await import("./class_server.mjs");
const site = await import("./site_server.mjs");

const server = new ClassServer(scratchFolder(), await freePort(), ["--workers", "0", "--students", "2", "--submissions", "2"]);
await server.start();
for (const name of ["labs", "solutions", "course", "CMakeLists.txt"]) symlinkSync(join(root, name), join(site.clone, name));
execFileSync(join(process.env.RIDGE_BINARIES, "ridge"), ["class", "join", server.url, server.secrets.classes[0].join_code, "--name", "Reader Ada"], {
  env: { ...process.env, RIDGE_ROOT: site.clone },
  cwd: site.clone,
});

// A right number, a wrong choice, and the rest left out; then a diagnosis with its line.
const page = await site.new_page();
const send = async (answered) => {
  await page.locator(".class-link button").click();
  await page.waitForSelector(`text=/The class counts ${answered} right/`);
};
await site.open(page, "quizzes/roofline.html");
await page.locator(".question").first().locator("input").fill("1,000,000");
await page.keyboard.press("Enter");
await send("1 of \\d+");
await site.open(page, "quizzes/diagnosis.html");
const diagnosis = page.locator(".question").first();
await diagnosis.locator(".choices input").last().check();
await diagnosis.locator(".code-lines input").last().check();
await diagnosis.locator("button[type=submit]").click();
if (await diagnosis.locator(".wrong").count()) await send("0 of \\d+");
else await send("1 of \\d+");

const link = server.secrets.classes[0].instructors[0].link;
const ask = await signIn(server, link);
const { status, text } = await ask("GET", "/classes/demo/exports/quizzes.csv");
assert.equal(status, 200, text);
const rows = text.split("\r\n").filter((row) => row.includes("Reader Ada"));
assert.equal(rows.length, 2, text);
assert.match(rows.find((row) => row.includes(",roofline,")), /,roofline,1,\d+,/);
assert.match(rows.find((row) => row.includes(",diagnosis,")), /,diagnosis,[01],\d+,/);
console.log("class: answers of two quizzes reached the class and its export");
await site.end();
await server.stop();
process.exit(0);
