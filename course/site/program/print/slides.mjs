// Makes one deck per chapter and concept page, and the papers as HTML: node slides.mjs CLONE SITE_FOLDER KIT_FOLDER.
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { read_contents } from "../assemble/contents.mjs";
import { slides_of } from "./deck.mjs";
import { embedded, escaped, markdown_renderer, plain_page } from "./rendered.mjs";

const [root, site, kit] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const slides_folder = join(kit, "slides");
const md = await markdown_renderer(site);
const { pages } = read_contents(root);

function document_of(title, body, style, script = "") {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><link rel="stylesheet" href="${style}"></head>
<body>${body}${script ? `<script src="${script}"></script>` : ""}</body></html>
`;
}

function slide_part(page, slide, number, count) {
  const html = (text) => embedded(".", page.path, md.render(text, { path: join(site, "src", page.path + ".md"), relativePath: page.path + ".md" }), []);
  const title = slide.kind === "title" ? `<h1>${md.renderInline(slide.title)}</h1><p>Ridgepoint</p>` : `<h2>${md.renderInline(slide.title)}</h2>`;
  const notes = slide.notes ? `<aside>${html(slide.notes)}</aside>` : "";
  return `<section class="${slide.kind}"><div class="slide">${title}<div class="body">${html(slide.body)}</div><footer>${number} / ${count}</footer></div>${notes}</section>`;
}

function write_deck(page) {
  const slides = slides_of(md, plain_page(site, page.path));
  const name = `${page.path.replace("/", "-")}.html`;
  const parts = slides.map((slide, index) => slide_part(page, slide, index + 1, slides.length));
  writeFileSync(join(slides_folder, name), document_of(page.title, parts.join("\n"), "slides.css", "slides.js"));
  return `<li><a href="${name}">${escaped(page.title)}</a> (${slides.length} slides)</li>`;
}

mkdirSync(slides_folder, { recursive: true });
cpSync(join(site, "src/public/figures"), join(slides_folder, "figures"), { recursive: true });
for (const file of ["slides.css", "slides.js"]) cpSync(join(here, file), join(slides_folder, file));
const decks = pages.filter((page) => page.kind === "chapter" || page.kind === "concept").map(write_deck);
writeFileSync(join(slides_folder, "index.html"), document_of("Slides", `<main><h1>Slides</h1><p>Arrow keys move, N shows the notes. Print a deck from the browser: one slide per page, and the notes below it
when they are shown.</p><ol>${decks.join("")}</ol></main>`, "slides.css"));

const papers = join(kit, "papers");
cpSync(join(here, "book.css"), join(papers, "paper.css"));
for (const file of readdirSync(papers).filter((one) => one.endsWith(".md"))) {
  const text = readFileSync(join(papers, file), "utf8");
  const html = embedded(".", `papers/${file}`, md.render(text, { path: join(papers, file), relativePath: file }), []);
  writeFileSync(join(papers, file.replace(/md$/, "html")), document_of(text.match(/^# (.*)$/m)[1], `<main>${html}</main>`, "paper.css"));
}
console.log(`${decks.length} decks`);
