// Lays out the whole course as one HTML document: node book.mjs CLONE SITE_FOLDER writes SITE_FOLDER/book/book.html.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { read_contents, read_quizzes } from "../assemble/contents.mjs";
import { code_marked, embedded, escaped, markdown_renderer, picture_folder, plain_page } from "./rendered.mjs";
import { right_answer } from "./quiz_answers.mjs";

const [root, site] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const name = (path) => path.replaceAll("/", "-");

const { pages, labs, rung_pages } = read_contents(root);
const quizzes = read_quizzes(root);
const paths = [...pages, ...rung_pages].map((page) => page.path);
const md = await markdown_renderer(site);

async function page_part(page) {
  const html = md.render(plain_page(site, page.path), { path: join(site, "src", page.path + ".md"), relativePath: page.path + ".md" });
  return `<article id="${name(page.path)}" class="${page.kind}">${embedded(picture_folder(site), page.path, html, paths)}</article>`;
}

function question_part(question) {
  const table = question.table ? `<pre>${escaped(question.table)}</pre>` : "";
  const choices = question.choices ? `<ol type="a">${question.choices.map((choice) => `<li>${code_marked(choice)}</li>`).join("")}</ol>` : "";
  const picture = question.picture ? `<img src="${picture_folder(site)}/${question.picture.replace(/^course\//, "")}" alt="">` : "";
  return `<li><p>${code_marked(question.text)}</p>${table}${picture}${choices}</li>`;
}
const answer_part = (question) => `<li><strong>${escaped(right_answer(question))}.</strong> ${code_marked(question.why)}</li>`;
const title_of_quiz = (quiz) => labs.find((lab) => lab.name === quiz.name)?.title ?? quiz.title;
const asked = quizzes.filter((quiz) => quiz.questions.length);

const questions = `<article id="questions"><h1>Questions</h1>
${asked.map((quiz) => `<h2 id="questions-${quiz.name}">${escaped(title_of_quiz(quiz))}</h2><ol>${quiz.questions.map(question_part).join("")}</ol>`).join("\n")}</article>`;
const answers = `<article id="answers"><h1>Answers</h1>
${asked.map((quiz) => `<h2>${escaped(title_of_quiz(quiz))}</h2><ol>${quiz.questions.map(answer_part).join("")}</ol>`).join("\n")}</article>`;

const parts = [];
for (const page of pages) parts.push(await page_part(page));
const worklogs = [];
for (const page of rung_pages) worklogs.push(await page_part(page));

const entry = (page, text = page.title) => `<li><a href="#${name(page.path)}">${escaped(text)}</a></li>`;
const table_of_contents = `<nav><h2>Contents</h2><ol>${pages.map((page) => entry(page)).join("")}
<li><a href="#questions">Questions</a></li><li><a href="#answers">Answers</a></li>
<li><a href="#appendix">Appendix: after a pass (our solutions)</a></li></ol></nav>`;

mkdirSync(join(site, "book"), { recursive: true });
cpSync(join(here, "book.css"), join(site, "book/book.css"));
writeFileSync(join(site, "book/book.html"), `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Ridgepoint: write fast GPU kernels</title><link rel="stylesheet" href="book.css"></head><body>
<header><h1>Ridgepoint</h1><p>Write fast GPU kernels: a course with labs</p></header>
${table_of_contents}
${parts.join("\n")}
${questions}
${answers}
<article id="appendix"><h1>Appendix: after a pass</h1><p>One page per rung: what our solution does, what was measured, and what did not work. Read a page after your pass.</p>
<ol>${rung_pages.map((page) => entry(page, `${page.short} ${page.title}`)).join("")}</ol></article>
${worklogs.join("\n")}
</body></html>
`);
console.log(`${pages.length} pages, ${rung_pages.length} pages of rungs, ${readFileSync(join(site, "book/book.html")).length} bytes`);
