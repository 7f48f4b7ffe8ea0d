// Every link, anchor, picture and script of the built site leads to something that is there.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

import { all_pages, browser, site_folder } from "./site_server.mjs";

await browser.close();
const unescaped = (text) => text.replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"');
const html_of = (page) => readFileSync(join(site_folder, page), "utf8");
const pages = all_pages();
const anchors = new Map(pages.map((page) => [page, new Set([...html_of(page).matchAll(/\sid="([^"]+)"/g)].map((match) => unescaped(match[1])))]));

// What a link on a page means, as a file of the site.
function target_of(page, link) {
  const path = posix.join("/", link.startsWith("/") ? "" : posix.dirname(page), link).slice(1);
  return path === "" || path.endsWith("/") ? `${path}index.html` : path;
}

const broken = [];
let checked = 0;
for (const page of pages)
  for (const [, , value] of html_of(page).matchAll(/\s(href|src)="([^"]*)"/g)) {
    const link = decodeURI(unescaped(value));
    if (/^(https?:|mailto:|data:)/.test(link)) continue;
    ++checked;
    const [path, anchor] = link.split("#");
    const target = path ? target_of(page, path) : page;
    if (!existsSync(join(site_folder, target))) broken.push(`${page}: ${link}`);
    else if (anchor && !anchors.get(target)?.has(anchor)) broken.push(`${page}: ${link}, which has no such anchor`);
  }
assert.deepEqual(broken, []);
assert.ok(pages.length > 90 && checked > 5000, `${pages.length} pages and ${checked} links are too few`);
console.log(`links: ${checked} links of ${pages.length} pages lead somewhere`);
process.exit(0);
