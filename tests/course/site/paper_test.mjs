// The course on paper: the PDF of the whole, a page printed by the reader, the cheat sheet on one page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as site from "./site_server.mjs";

const pages_in = (pdf) => Number(Math.max(...[...pdf.toString("latin1").matchAll(/\/Type\s*\/Pages[\s\S]{0,200}?\/Count (\d+)/g)].map((match) => Number(match[1]))));
const folder = mkdtempSync(join(tmpdir(), "ridge-paper-"));

const page = await site.new_page();
await site.open(page, "concepts/15-cheat-sheet.html");
assert.equal(pages_in(await page.pdf({ format: "A4" })), 1, "pages of the cheat sheet");
await site.open(page, "chapters/02-coalescing.html");
await page.emulateMedia({ media: "print" });
for (const hidden of [".VPSidebar", ".VPNav", ".VPDocFooter", ".read-mark", ".question-buttons"]) assert.equal(await page.locator(hidden).first().isVisible(), false, hidden);
assert.equal(await page.locator(".vp-doc h2").first().isVisible(), true);

const file = join(folder, "course.pdf");
execFileSync(process.execPath, [join(process.env.RIDGE_ROOT, "course/site/program/course.mjs"), "--pdf", file], { stdio: "inherit" });
const pdf = readFileSync(file);
assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
assert.ok(pages_in(pdf) > 100, `${pages_in(pdf)} pages`);
console.log(`paper: ${pages_in(pdf)} pages, ${pdf.length} bytes`);
rmSync(folder, { recursive: true });
await site.end();
process.exit(0);
