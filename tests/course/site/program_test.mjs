// The programs behind `ridge course`: options, the server, the lock, links of pages. No packages of npm are needed.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";

const program = join(process.env.RIDGE_ROOT, "course/site/program");
const { read_options, help, UsageError } = await import(join(program, "options.mjs"));
const { file_of, serve } = await import(join(program, "serve.mjs"));
const { replace_links, rewrite_links } = await import(join(program, "assemble/links.mjs"));
const { slugify } = await import(join(program, "assemble/slug.mjs"));
const { read_terms } = await import(join(program, "assemble/terms.mjs"));
const { with_lock } = await import(join(program, "lock.mjs"));
const { open_browser } = await import(join(program, "browser.mjs"));

const work = mkdtempSync(join(tmpdir(), "ridge-site-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));

function options_are_read() {
  const defaults = { port: undefined, browser: true, build: "", base: "/", pdf: "", help: false };
  const table = [
    ["", {}],
    ["--port 9000 --no-browser", { port: 9000, browser: false }],
    ["--build out --base gpu", { build: "out", base: "/gpu/" }],
    ["--build=out --base=/a/b/", { build: "out", base: "/a/b/" }],
    ["--pdf a.pdf", { pdf: "a.pdf" }],
    ["--help", { help: true }],
  ];
  for (const [words, expected] of table) assert.deepEqual(read_options(words.split(" ").filter(Boolean)), { ...defaults, ...expected }, words);
  const wrong = ["--port 0", "--port 70000", "--port x", "--port", "--sport 1", "out", "--base /a/", "--build a --pdf b", "--build a --base a//b", "--build a --base ../b"];
  for (const words of wrong) assert.throws(() => read_options(words.split(" ")), UsageError, words);
}

function both_helps_name_the_same_options() {
  const command = readFileSync(join(process.env.RIDGE_ROOT, "harness/cli/commands/texts/course.cpp"), "utf8");
  const names = help.match(/^ {2}(--[a-z-]+.*?) {2}/gm);
  assert.equal(names.length, 5);
  for (const name of names) assert.ok(command.includes(name.trim()), name);
}

function get(port, path, method = "GET") {
  return new Promise((done, failed) => {
    const question = request({ host: "127.0.0.1", port, path, method }, (answer) => {
      let body = "";
      answer.on("data", (part) => (body += part)).on("end", () => done({ status: answer.statusCode, type: answer.headers["content-type"], body }));
    });
    question.on("error", failed).end();
  });
}

async function files_are_served() {
  const site = join(work, "site");
  mkdirSync(join(site, "labs"), { recursive: true });
  writeFileSync(join(site, "index.html"), "first");
  writeFileSync(join(site, "labs/one.html"), "one");
  writeFileSync(join(site, "figures.wasm"), "\0asm");
  writeFileSync(join(site, "404.html"), "none");
  writeFileSync(join(work, "secret"), "secret");
  const { server, port } = await serve(site, 0);
  const table = [
    ["/", 200, "text/html; charset=utf-8", "first"],
    ["/labs/one.html", 200, "text/html; charset=utf-8", "one"],
    ["/labs/one?a=b", 200, "text/html; charset=utf-8", "one"],
    ["/figures.wasm", 200, "application/wasm", "\0asm"],
    ["/labs/", 404, "text/html; charset=utf-8", "none"],
    ["/../secret", 404, "text/html; charset=utf-8", "none"],
    ["/%2e%2e/secret", 404, "text/html; charset=utf-8", "none"],
    ["/..%2fsecret", 404, "text/html; charset=utf-8", "none"],
    ["/%", 404, "text/html; charset=utf-8", "none"],
    ["/a%00b", 404, "text/html; charset=utf-8", "none"],
  ];
  for (const [path, status, type, body] of table) assert.deepEqual(await get(port, path), { status, type, body }, path);
  assert.equal((await get(port, "/", "HEAD")).body, "");
  // Browsers get text packed.
  writeFileSync(join(site, "long.html"), "long ".repeat(1000));
  const packed = await fetch(`http://127.0.0.1:${port}/long.html`);
  assert.equal(packed.headers.get("content-encoding"), "gzip");
  assert.equal(await packed.text(), "long ".repeat(1000));
  assert.equal((await get(port, "/long.html")).body, "long ".repeat(1000));
  assert.equal((await get(port, "/", "POST")).status, 405);
  assert.equal(await file_of(site, "/../secret"), undefined);

  // Two at once: the second gets the next port, or a sentence when the port was asked for.
  await assert.rejects(serve(site, port), (error) => error.message.includes(`port ${port} is in use`) && error.message.includes("--port"));
  const first = await serve(site), second = await serve(site);
  assert.ok(second.port > first.port);
  for (const one of [server, first.server, second.server]) one.close();
}

// Only the site's own pages may use the reader's membership of a class.
async function strangers_do_not_reach_the_class() {
  const site = join(work, "site"), clone = join(work, "member");
  mkdirSync(join(clone, ".ridge"), { recursive: true });
  writeFileSync(join(clone, ".ridge/class.json"), JSON.stringify({ url: "http://127.0.0.1:9", class: "gpu", title: "GPU", student: "Ada", token: "secret" }));
  const { server, port } = await serve(site, 0, clone);
  const ask = (path, method, headers) => new Promise((done) => request({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
    let body = "";
    answer.on("data", (part) => (body += part)).on("end", () => done([answer.statusCode, body]));
  }).end(method === "POST" ? "{}" : ""));
  const own = `127.0.0.1:${port}`;
  const table = [
    ["/-/class", "GET", { host: own }, 200],
    ["/-/class", "GET", { host: "evil.example" }, 403],
    ["/-/quiz", "POST", { host: own }, 403],
    ["/-/quiz", "POST", { host: own, origin: "http://evil.example" }, 403],
    ["/-/quiz", "POST", { host: "evil.example", origin: "http://evil.example" }, 403],
    ["/-/quiz", "POST", { host: own, origin: `http://${own}` }, 200],
  ];
  for (const [path, method, headers, status] of table) {
    const [got, body] = await ask(path, method, headers);
    assert.equal(got, status, JSON.stringify(headers));
    assert.ok(!body.includes("secret"), "the token is sent to a page");
    if (method === "POST" && status === 200) assert.match(body, /class server at http:\/\/127.0.0.1:9 does not answer/);
  }
  server.close();
}

function links_are_rewritten() {
  const root = join(work, "clone");
  mkdirSync(join(root, "course/chapters"), { recursive: true });
  mkdirSync(join(root, "course/worklogs/02-x"), { recursive: true });
  mkdirSync(join(root, "solutions"), { recursive: true });
  for (const file of ["course/chapters/a.md", "course/glossary.md", "solutions/a.cu", "solutions/b.md"]) writeFileSync(join(root, file), "# A\n");
  const table = [
    ["[a](a.md#x)", "[a](./a.md#x)"],
    ["[g](../glossary.md)", "[g](../glossary.md)"],
    ["[s](../../solutions/a.cu)", "[s](../source/solutions/a.cu.md)"],
    ["[b](../../solutions/b.md#x)", "[b](../source/solutions/b.md#x)"],
    ["[w](../worklogs/02-x)", "[w](../worklogs/02-x/index.md)"],
    ["[o](https://example.org/a.md)", "[o](https://example.org/a.md)"],
    ["[`s` and `t`](../../solutions/a.cu)", "[`s` and `t`](../source/solutions/a.cu.md)"],
    ["`[s](gone.md)`", "`[s](gone.md)`"],
    ["```\n[s](gone.md)\n```", "```\n[s](gone.md)\n```"],
  ];
  const found = { pages: new Set(), sources: new Set() };
  for (const [text, expected] of table) assert.equal(rewrite_links(root, "chapters/a", text, found), expected);
  assert.deepEqual([...found.pages], ["chapters/a", "glossary"]);
  assert.deepEqual([...found.sources], ["solutions/a.cu", "solutions/b.md"]);
  assert.throws(() => rewrite_links(root, "chapters/a", "[b](gone.md)", found), /links to gone.md, which does not exist/);
}

// In the pages of the tree, without building them: what is linked is a page, the page of a file, or a picture.
function links_of_the_course_lead_to_pages() {
  const course = join(process.env.RIDGE_ROOT, "course");
  const pages = readdirSync(course, { recursive: true }).filter((name) => name.endsWith(".md") && !name.startsWith("site/") && !name.startsWith("kit/"));
  const found = { pages: new Set(), sources: new Set() };
  let links = 0;
  for (const page of pages) {
    const path = page.slice(0, -3);
    replace_links(rewrite_links(process.env.RIDGE_ROOT, path, readFileSync(join(course, page), "utf8"), found), (all, image, label, target) => {
      ++links;
      if (/^(https?:|mailto:|#)/.test(target)) return all;
      const place = posix.join(target.startsWith("/") ? "" : posix.dirname(page), target.split("#")[0]);
      const is_written = pages.includes(place) || /^source\/.*\.md$|^worklogs\/[^/]+\/index\.md$/.test(place);
      assert.ok(image ? existsSync(join(course, place)) : is_written, `course/${page}: ${all}`);
      return all;
    });
  }
  assert.ok(pages.length > 90 && links > 400, `${pages.length} pages, ${links} links`);
}

// "4g" at the end of a line and "+ 3" at the start of the next would become a list of one.
function no_sentence_becomes_a_list() {
  const course = join(process.env.RIDGE_ROOT, "course");
  for (const page of readdirSync(course, { recursive: true }).filter((name) => name.endsWith(".md"))) {
    const text = readFileSync(join(course, page), "utf8").replace(/^```[\s\S]*?^```/gm, "");
    assert.doesNotMatch(text, /^(?![-*+] |\d+[.)] |[|#>< ])\S.*\n[-*+] .*/m, `course/${page}`);
  }
}

function anchors_are_those_of_code_hosts() {
  const table = [["Rung 3: one side or the other", "rung-3-one-side-or-the-other"], ["bank (banks)", "bank-banks"], ["The bank of `tile[3][7]`", "the-bank-of-tile37"]];
  for (const [heading, anchor] of table) assert.equal(slugify(heading), anchor);
  const [term] = read_terms("# Glossary\n\n## bank (banks, a bank)\n\nOne of\nthe 32.\n", slugify);
  assert.deepEqual(term, { forms: ["bank", "banks", "a bank"], anchor: "bank-banks-a-bank", first: "One of the 32." });
}

async function one_builds_at_a_time() {
  const folder = join(work, "lock");
  const order = [];
  const part = (name) => with_lock(folder, () => {}, async () => {
    order.push(`${name} begins`);
    await new Promise((done) => setTimeout(done, 20));
    order.push(`${name} ends`);
  });
  await Promise.all([part("a"), part("b")]);
  assert.deepEqual(order, ["a begins", "a ends", "b begins", "b ends"]);
  writeFileSync(join(folder, ".lock"), "999999999"); // left by a build that was killed
  await part("c");
  assert.equal(order.at(-1), "c ends");
}

function no_browser_without_a_display() {
  assert.equal(open_browser("http://127.0.0.1:1/", {}), false);
}

// A site that is built already is shown at once; Ctrl-C ends it with status 0.
async function it_starts_and_ends() {
  const root = join(work, "built"), site = join(work, "built/build/course-site");
  mkdirSync(join(root, "course"), { recursive: true });
  mkdirSync(join(site, "dist"), { recursive: true });
  writeFileSync(join(site, "dist/index.html"), "first");
  writeFileSync(join(site, ".built"), "");
  const env = { ...process.env, RIDGE_ROOT: root, DISPLAY: "", WAYLAND_DISPLAY: "" };
  const child = spawn(process.execPath, [join(program, "course.mjs")], { env });
  const port = await new Promise((done) => child.stdout.once("data", (text) => done(Number(String(text).match(/127\.0\.0\.1:(\d+)/)[1]))));
  assert.equal((await get(port, "/")).body, "first");
  const ended = new Promise((done) => child.on("close", (status, signal) => done([status, signal])));
  child.kill("SIGINT");
  assert.deepEqual(await ended, [0, null]);
}

// Where npm is missing or has no network, one sentence says so, and the exit status is 3.
async function troubles_are_plain() {
  const bin = join(work, "bin");
  mkdirSync(bin);
  const run = (root) => new Promise((done) => {
    const env = { PATH: bin, RIDGE_ROOT: root };
    execFile(process.execPath, [join(program, "course.mjs"), "--no-browser"], { env }, (error, out, said) => done([error?.code, said]));
  });
  const root = join(work, "new");
  mkdirSync(join(root, "course/site"), { recursive: true });
  writeFileSync(join(root, "course/site/package-lock.json"), "{}");
  let [status, said] = await run(root);
  assert.equal(status, 3, said);
  assert.match(said, /npm is missing. Install it: sudo apt-get install nodejs npm\n$/);
  writeFileSync(join(bin, "npm"), "#!/bin/sh\n[ $1 = --version ] && exit 0\necho 'npm error code EAI_AGAIN'\nexit 1\n", { mode: 0o755 });
  [status, said] = await run(root);
  assert.equal(status, 3, said);
  assert.match(said, /could not fetch the site's libraries: EAI_AGAIN. The first build needs the network/);
  // What was fetched once is not fetched again: the build goes on to its next step.
  writeFileSync(join(root, "build/course-site/.installed"), "{}");
  [status, said] = await run(root);
  assert.equal(status, 3, said);
  assert.doesNotMatch(said, /npm/);
  assert.match(said, /the pages could not be put together/);
}

for (const test of [options_are_read, both_helps_name_the_same_options, files_are_served, strangers_do_not_reach_the_class, links_are_rewritten, links_of_the_course_lead_to_pages, no_sentence_becomes_a_list, anchors_are_those_of_code_hosts,
  one_builds_at_a_time, no_browser_without_a_display, it_starts_and_ends, troubles_are_plain]) {
  await test();
  console.log(`${test.name}: ok`);
}
