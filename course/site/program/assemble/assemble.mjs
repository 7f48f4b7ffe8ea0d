// Writes the pages that VitePress builds: those of course/ with links mended and parts added, and those that follow
// from the tree (home, quizzes, source files, the lists of worklogs).
//   node assemble.mjs CLONE SITE_FOLDER     SITE_FOLDER/src and SITE_FOLDER/generated are written.
// RIDGE_SITE_SAMPLE, a regular expression, leaves out the pages whose path does not match: for tests.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";

import { read_contents, read_quizzes, title_of } from "./contents.mjs";
import { rewrite_links, source_page, source_path } from "./links.mjs";
import { slugify } from "./slug.mjs";
import { read_terms } from "./terms.mjs";

const front_matter = (fields) => `---\n${Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join("\n")}\n---\n\n`;
const lab_title = (lab) => `${String(lab.number).padStart(2, "0")} ${lab.title}`;
const link_to = (page) => (page ? { text: page.title, link: `/${page.path}` } : false);
const rung_title = (page) => `${page.short} ${page.title}`;

// The text of a page without its first heading.
const below_title = (text) => text.replace(/^# .+\n+/, "");

function quiz_part(name, depth, heading) {
  const up = "../".repeat(depth);
  return `${heading}<script setup>\nimport quiz from "${up}../generated/quizzes/${name}.json";\n</script>\n\n<QuizBlock :quiz="quiz" />\n`;
}

// The pages of course/, in reading order, with the page before and after each.
function course_pages(contents, quizzes) {
  return contents.pages.map((page, index) => {
    const fields = { title: page.title, kind: page.kind, prev: link_to(contents.pages[index - 1]), next: link_to(contents.pages[index + 1]) };
    if (page.kind === "sheet") fields.pageClass = page.path.replace(/^.*\/(\d+-)?/, ""); // print.css lays the cheat sheet out
    const quiz = page.kind === "chapter" && quizzes.find((one) => one.name === page.path.split("/")[1]);
    const text = quiz ? `${page.text.trimEnd()}\n\n${quiz_part(quiz.name, 1, "## Quiz\n\n")}` : page.text;
    return { path: page.path, fields, text };
  });
}

// A rung's page tells our solution: it stays closed until the reader asks for it.
function rung_pages(contents) {
  return contents.rung_pages.map((page, index) => {
    const neighbour = (step) => {
      const other = contents.rung_pages[index + step];
      return other?.lab_number === page.lab_number ? { text: rung_title(other), link: `/${other.path}` } : false;
    };
    const fields = { title: rung_title(page), kind: page.kind, rung: page.short, spoiler: true, prev: neighbour(-1), next: neighbour(1) };
    const text = `# ${rung_title(page)}\n\n<RungSpoiler rung="${page.short}">\n\n${below_title(page.text).trimEnd()}\n\n</RungSpoiler>\n`;
    return { path: page.path, fields, text };
  });
}

// A page that no list names, only links: what was measured.
function record_page(root, path) {
  const text = readFileSync(join(root, "course", path + ".md"), "utf8");
  return { path, fields: { title: title_of(text, path), kind: "record", prev: false, next: false }, text };
}

function worklog_lists(contents) {
  const lists = contents.labs.filter((lab) => lab.worklogs).map((lab) => {
    const rungs = contents.rung_pages.filter((page) => page.lab_number === lab.number);
    const rows = rungs.map((page) => `- [${rung_title(page)}](./${posix.basename(page.path)}.md)`).join("\n");
    return { path: `worklogs/${lab.worklogs}/index`, fields: { title: `After a pass: lab ${lab_title(lab)}`, kind: "list", prev: false, next: false },
      text: `# After a pass: lab ${lab_title(lab)}\n\nOne page per rung: what our solution does, what was measured, and what did not work. Each page stays closed\nuntil you ask for it.\n\n${rows}\n` };
  });
  return lists;
}

function quiz_pages(quizzes, labs) {
  const of_lab = (quiz) => labs.find((lab) => lab.name === quiz.name);
  const other = quizzes.filter((quiz) => !of_lab(quiz)).map((quiz) => (
    { path: `quizzes/${quiz.name}`, fields: { title: quiz.title, kind: "quiz", prev: false, next: false }, text: `# ${quiz.title}\n\n${quiz_part(quiz.name, 1, "")}` }));
  const row = (quiz) => {
    const count = quiz.questions.length + quiz.scenarios.length;
    const target = of_lab(quiz) ? `../chapters/${quiz.name}.md#quiz` : `./${quiz.name}.md`;
    return `| [${of_lab(quiz) ? lab_title(of_lab(quiz)) : quiz.title}](${target}) | ${count} | <QuizScore name="${quiz.name}" :of="${count}" /> |`;
  };
  const index = `# Quizzes\n\nThe same questions are asked by \`./ridge quiz\` in a terminal. An answer is shown after your first try.\n\n| quiz | questions | right at the first try |\n|---|---|---|\n${quizzes.map(row).join("\n")}\n`;
  return [...other, { path: "quizzes/index", fields: { title: "Quizzes", kind: "list", prev: false, next: false }, text: index }];
}

// Labs with their chapters, for the first page and the sidebar.
function summary_of(contents, quizzes) {
  const page = ({ path, kind, title, number }) => ({ path, kind, title, number });
  return {
    pages: contents.pages.map(page),
    concepts_before_labs: contents.concepts_before_labs,
    labs: contents.labs.map((lab) => ({ name: lab.name, number: lab.number, title: lab.title, summary: lab.summary, rungs: lab.rungs.length,
      chapter: contents.pages.find((one) => one.path === `chapters/${lab.name}`)?.path,
      worklogs: contents.rung_pages.filter((one) => one.lab_number === lab.number).map((one) => ({ path: one.path, title: rung_title(one) })) })),
    quizzes: quizzes.map((quiz) => ({ name: quiz.name, title: quiz.title, questions: quiz.questions.map((one) => one.id), scenarios: quiz.scenarios.map((one) => one.id) })),
  };
}

export function assemble(root, site) {
  const contents = read_contents(root);
  const quizzes = read_quizzes(root);
  const src = join(site, "src");
  for (const name of existsSync(src) ? readdirSync(src) : []) if (name !== "public") rmSync(join(src, name), { recursive: true });
  rmSync(join(site, "generated"), { recursive: true, force: true });
  const sample = new RegExp(process.env.RIDGE_SITE_SAMPLE ?? "");
  const write = (file, text) => {
    if (file.endsWith(".md") && !sample.test(relative(src, file))) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };

  const found = { pages: new Set(), sources: new Set() };
  const written = new Set();
  const write_page = ({ path, fields, text }) => {
    written.add(path);
    write(join(src, path + ".md"), front_matter(fields) + rewrite_links(root, path, text, found));
  };
  [...course_pages(contents, quizzes), ...rung_pages(contents)].forEach(write_page);
  for (const { path, fields, text } of [...worklog_lists(contents), ...quiz_pages(quizzes, contents.labs)])
    write(join(src, path + ".md"), front_matter(fields) + text);
  for (const path of found.pages) if (!written.has(path)) write_page(record_page(root, path)); // which may add others
  for (const source of found.sources) {
    const fields = { title: posix.basename(source), kind: "source", search: false, spoiler: source.startsWith("solutions/"), prev: false, next: false, outline: false };
    write(join(src, source_path(source)), front_matter(fields) + source_page(root, source));
  }
  // The site's own pages, which lie a folder deeper in the clone than here.
  for (const page of readdirSync(site).filter((name) => name.endsWith(".md"))) write(join(src, page), readFileSync(join(site, page), "utf8").replaceAll("](../", "]("));
  cpSync(join(root, "course/figures"), join(src, "public/figures"), { recursive: true, filter: (file) => !/\.(py|sh|txt)$|__pycache__/.test(file) });
  cpSync(join(site, "public"), join(src, "public"), { recursive: true });

  cpSync(join(root, "course/figures/scenes.txt"), join(site, "generated/scenes.txt"));
  write(join(site, "generated/contents.json"), JSON.stringify(summary_of(contents, quizzes), null, 1));
  write(join(site, "generated/terms.json"), JSON.stringify(read_terms(readFileSync(join(root, "course/glossary.md"), "utf8"), slugify)));
  for (const quiz of quizzes) write(join(site, `generated/quizzes/${quiz.name}.json`), JSON.stringify(quiz));
  return { contents, quizzes };
}

if (process.argv[1] === import.meta.filename) {
  const { contents } = assemble(process.argv[2], process.argv[3]);
  console.log(`${contents.pages.length} pages, ${contents.rung_pages.length} pages of rungs`);
}
