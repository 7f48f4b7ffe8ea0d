// `ridge course --pdf FILE`: headless Chromium prints the book.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { written_pages } from "../build.mjs";
import { run_logged } from "../processes.mjs";
import { Trouble } from "../trouble.mjs";

const kBrowsers = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

// The path of a browser that prints. Throws Trouble.
export function find_browser() {
  const folders = (process.env.PATH ?? "").split(":");
  const names = process.env.CHROMIUM ? [process.env.CHROMIUM] : kBrowsers;
  for (const name of names)
    for (const file of name.includes("/") ? [name] : folders.map((folder) => join(folder, name))) if (existsSync(file)) return file;
  throw new Trouble("a PDF is printed by Chromium, which is missing. Install it: sudo apt-get install chromium");
}

// Prints an HTML file. Throws Trouble.
export async function print_page(html, pdf, log) {
  const browser = find_browser();
  const profile = mkdtempSync(join(tmpdir(), "ridge-print-"));
  const fresh = join(profile, "out.pdf");
  const words = ["--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    `--user-data-dir=${profile}`, "--no-pdf-header-footer", "--generate-pdf-document-outline", "--allow-file-access-from-files", `--print-to-pdf=${fresh}`];
  if (process.getuid?.() === 0) words.push("--no-sandbox"); // as root Chromium has no sandbox
  try {
    await run_logged(browser, [...words, pathToFileURL(html).href], { cwd: profile, log });
    if (!statSync(fresh, { throwIfNoEntry: false })?.size) throw new Trouble(`Chromium did not print the page; what it said is in ${log}`);
    mkdirSync(dirname(resolve(pdf)), { recursive: true });
    try {
      renameSync(fresh, resolve(pdf));
    } catch {
      const { copyFileSync } = await import("node:fs"); // another file system
      copyFileSync(fresh, resolve(pdf));
    }
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

export async function write_pdf({ root, work }, pdf, say) {
  find_browser();
  await written_pages({ root, work }, say);
  say("laying out the book");
  const log = join(work, "book.log");
  if ((await run_logged(process.execPath, [join(work, "program/print/book.mjs"), root, work], { cwd: work, log })) !== 0) throw new Trouble(`the book could not be laid out; the whole log is ${log}`);
  say("printing it");
  try {
    await print_page(join(work, "book/book.html"), pdf, log);
  } catch (error) {
    if (error instanceof Trouble) throw error;
    throw new Trouble(`${pdf} could not be written: ${error.message}`);
  }
}
