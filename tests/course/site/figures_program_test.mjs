// What makes the moving figures, without a browser and without emscripten: the Markdown plugin on tokens as markdown-it
// makes them, and the message of the build where emscripten is missing.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = process.env.RIDGE_ROOT;
const { recorded_scenes, trace_figures, without_motion } = await import(join(root, "course/site/.vitepress/theme/figures/markdown.mjs"));
const list = readFileSync(join(root, "course/figures/scenes.txt"), "utf8");

class Token {
  constructor(type, children) {
    this.type = type;
    this.children = children || null;
    this.content = "";
  }
  attrGet(name) {
    return name === "src" ? this.src : null;
  }
}
const paragraph = (...children) => [new Token("paragraph_open"), new Token("inline", children), new Token("paragraph_close")];
const image = (src) => paragraph(Object.assign(new Token("image"), { src }));
const words = (...types) => paragraph(...types.map((type) => Object.assign(new Token(type), { content: type === "text" ? "x" : "" })));
const italic = () => words("em_open", "text", "em_close");

// The page's tokens in short: html blocks by their content, pictures by their source.
function turned(scenes, ...parts) {
  const tokens = parts.flat();
  const md = { core: { ruler: { push: (_, rule) => rule({ tokens, Token }) } } };
  trace_figures(md, scenes);
  return tokens.map((one) => (one.type === "html_block" ? one.content.trim() : one.children?.[0]?.src ?? one.type)).filter(Boolean).join(" ");
}

function pictures_become_figures() {
  const scenes = recorded_scenes("# a comment\n\n a still 02/3\n b  moving  02/3 4\nc still 08/5\nd still 09/1\ne window 06/6 4\n", (trace) => trace !== "09-1");
  assert.deepEqual([...scenes.keys()], ["a", "b", "c", "e"]);
  const plain = (src) => `paragraph_open ${src} paragraph_close`;
  assert.equal(turned(scenes, image("../figures/c.svg")), '<TraceFigure trace="08-5"> ../figures/c.svg </TraceFigure>');
  assert.equal(turned(scenes, image("/figures/c.svg"), italic()), '<TraceFigure trace="08-5"> /figures/c.svg <template #caption> inline </template> </TraceFigure>');
  assert.equal(turned(scenes, image("c.svg"), words("text")), '<TraceFigure trace="08-5"> c.svg </TraceFigure> paragraph_open inline paragraph_close');
  assert.equal(turned(scenes, image("c.svg"), words("em_open", "em_close", "text")), '<TraceFigure trace="08-5"> c.svg </TraceFigure> paragraph_open inline paragraph_close');
  // At rest and in motion: one figure, with what is said of both.
  const both = '<TraceFigure trace="02-3"> a.svg b.png';
  assert.equal(turned(scenes, image("a.svg"), image("b.png")), `${both} </TraceFigure>`);
  assert.equal(turned(scenes, image("a.svg"), italic(), image("b.png"), italic()), `${both} <template #caption> inline inline </template> </TraceFigure>`);
  assert.equal(turned(scenes, image("a.svg"), image("b.png"), italic()), `${both} <template #caption> inline </template> </TraceFigure>`);
  assert.equal(turned(scenes, image("a.svg"), words("text"), image("b.png")), `${plain("a.svg")} paragraph_open inline paragraph_close <TraceFigure trace="02-3"> b.png </TraceFigure>`);
  assert.equal(turned(scenes, image("a.svg")), '<TraceFigure trace="02-3"> a.svg </TraceFigure>');
  assert.equal(turned(scenes, image("e.png")), '<TraceFigure trace="06-6" window> e.png </TraceFigure>');
  // Not recorded, not in the list, not alone.
  assert.equal(turned(scenes, image("d.svg")), plain("d.svg"));
  assert.equal(turned(scenes, image("other.svg")), plain("other.svg"));
  assert.equal(turned(scenes, paragraph(Object.assign(new Token("image"), { src: "c.svg" }), new Token("text"))), plain("c.svg"));
  assert.equal(turned(new Map(), image("c.svg")), plain("c.svg"));
}

function paper_shows_a_rung_once() {
  const scenes = recorded_scenes("a still 02/3\nb moving 02/3 4\nc still 08/5\n", () => true);
  const [a, b, c] = ["![x](/figures/a.svg)", "![x](/figures/b.png)", "![x](c.svg)"];
  const table = [
    [[a, "*of a*", b, "*of b*"], [a, "*of a*", "*of b*"]],
    [[a, b], [a]],
    [[a, "Text.", b], [a, "Text.", b]],
    [[c, b, a], [c, b, a]],
    [["```\n\n\n\n```", b], ["```\n\n\n\n```", b]],
  ];
  for (const [page, printed] of table) assert.equal(without_motion(page.join("\n\n"), scenes), printed.join("\n\n"));
}

// The figures that the site makes of a chapter: the names of their traces, once per rung.
function figures_of(page, scenes) {
  const text = readFileSync(join(root, "course/chapters", page), "utf8");
  return [...text.matchAll(/^!\[[^\]]*\]\(\.\.\/figures\/([^.)]+)\.\w+\)$/gm)].map(([, name]) => name).filter((name) => scenes.has(name));
}

// Every picture of the list is there and shown on a page, and every lab's chapters show two rungs or more.
function the_list_is_the_chapters() {
  const scenes = recorded_scenes(list, () => true);
  const files = new Set(readdirSync(join(root, "course/figures")));
  for (const [name] of scenes) assert.ok(files.has(`${name}.svg`) || files.has(`${name}.png`), `course/figures has no ${name}`);
  const chapters = readdirSync(join(root, "course/chapters"));
  const labs = readdirSync(join(root, "labs")).filter((name) => existsSync(join(root, "labs", name, "lab.toml")));
  assert.ok(labs.length >= 14, `${labs.length} labs`);
  const shown = new Set();
  for (const lab of labs) {
    const names = chapters.filter((page) => page.startsWith(lab.slice(0, 3))).flatMap((page) => figures_of(page, scenes));
    for (const name of names) shown.add(name);
    const traces = new Set(names.map((name) => scenes.get(name).trace));
    assert.ok(traces.size >= 2, `the chapter of lab ${lab} shows the moving figures "${[...traces]}": two rungs or more are wanted`);
  }
  assert.deepEqual([...scenes.keys()].filter((name) => !shown.has(name)), [], "on no page of course/chapters");
}

const run = (script, words, env) =>
  new Promise((done) => execFile("/bin/bash", [join(root, script), ...words], { env }, (error, out, said) => done([error?.code ?? 0, said])));

// A machine without emscripten, and a clone that was not built.
async function what_is_missing_is_said() {
  const work = mkdtempSync(join(tmpdir(), "ridge-figures-"));
  process.on("exit", () => rmSync(work, { recursive: true, force: true }));
  for (const program of ["dirname", "mkdir"]) symlinkSync(`/usr/bin/${program}`, join(work, program));
  const env = { PATH: work };
  const [status, said] = await run("visualizer/web/build.sh", [join(work, "out")], env);
  assert.equal(status, 75, said);
  assert.match(said, /^The figures .* without emscripten.*: sudo apt-get install emscripten\n$/);
  const [status_of_traces, said_of_traces] = await run("course/figures/make_traces.sh", [join(work, "traces"), join(work, "nowhere")], env);
  assert.equal(status_of_traces, 75, said_of_traces);
  assert.match(said_of_traces, /^The traces .*nowhere\/bin\/ridge: run \.\/ridge list first.*\n$/);
}

for (const test of [pictures_become_figures, paper_shows_a_rung_once, the_list_is_the_chapters, what_is_missing_is_said]) {
  await test();
  console.log(`${test.name}: ok`);
}
