// The printed part of an instructor's kit: node kit.mjs FOLDER writes FOLDER/slides, and FOLDER/papers as HTML and,
// with Chromium, as PDF beside the course's own. `ridge class kit` starts it.
import { chmodSync, existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { Trouble, written_pages } from "./build.mjs";
import { find_browser, print_page, write_pdf } from "./print/pdf.mjs";
import { run_logged } from "./processes.mjs";

const root = process.env.RIDGE_ROOT ?? resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const places = { root, work: process.env.RIDGE_COURSE_BUILD ?? join(root, "build/course-site") };
const folder = resolve(process.argv[2] ?? ".");
const say = (text) => process.stderr.write(`ridge: ${text}\n`);

async function print_papers() {
  try {
    find_browser();
  } catch (error) {
    return say(`no PDF: ${error.message}`);
  }
  say("printing the papers and the course");
  const papers = join(folder, "papers");
  for (const name of readdirSync(papers).filter((one) => one.endsWith(".html"))) await print_page(join(papers, name), join(papers, name.replace(/html$/, "pdf")), join(places.work, "paper.log"));
  await write_pdf(places, join(folder, "course.pdf"), say);
}

try {
  if (!existsSync(join(folder, "papers"))) throw new Trouble(`${folder} holds no papers: make the kit by ridge class kit FOLDER`);
  chmodSync(join(folder, "papers"), 0o700); // the answers are for the owner alone
  await written_pages(places, say);
  say("making slides");
  const log = join(places.work, "slides.log");
  if ((await run_logged(process.execPath, [join(places.work, "program/print/slides.mjs"), root, places.work, folder], { cwd: places.work, log })) !== 0)
    throw new Trouble(`the slides could not be made; the whole log is ${log}`);
  await print_papers();
} catch (error) {
  if (!(error instanceof Trouble)) throw error;
  say(error.message);
  process.exitCode = 3;
}
