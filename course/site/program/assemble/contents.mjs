// What the course consists of and in which order it is read: pages, labs, rungs. Everything comes from the tree.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { parse } from "smol-toml";

// The pages that are read one after the other: the first concept pages, the labs, then what chapters refer to.
// "Start here" says the same to the reader.
const kConceptsBeforeLabs = 6;
const kSheets = ["concepts/15-cheat-sheet", "glossary"];

const number_of = (name) => Number(name.match(/^\d+/)?.[0] ?? NaN);
const by_number = (a, b) => number_of(a) - number_of(b);

function markdown_in(course, folder) {
  return readdirSync(join(course, folder))
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .map((name) => name.slice(0, -3))
    .sort(by_number);
}

// The first heading of a page. Throws when there is none: every page has a title.
export function title_of(text, path) {
  const title = text.match(/^# (.+)$/m)?.[1];
  if (!title) throw new Error(`course/${path}.md has no heading "# ..."`);
  return title.trim();
}

function read_page(course, path, kind, extra = {}) {
  const text = readFileSync(join(course, path + ".md"), "utf8");
  const title = title_of(text, path);
  return { path, kind, title, text, ...extra };
}

// "4 transpose through a tile" -> "Transpose through a tile"; "06/3 ldmatrix" -> "ldmatrix", as it is written.
function plain_title(title) {
  const words = title.replace(/^\d+(\/\d+)?[.:]?\s+/, "");
  return /^\d+\//.test(title) ? words : words[0].toUpperCase() + words.slice(1);
}

function read_lab(root, name) {
  const { lab, rung } = parse(readFileSync(join(root, "labs", name, "lab.toml"), "utf8"));
  return { name, number: lab.number, title: lab.title, summary: lab.summary, rungs: rung.map((one) => ({ name: one.name, title: one.title })) };
}

// { pages: [page...] in reading order, labs: [lab...], rung_pages: [page...] }. A page is
// { path: "chapters/02-coalescing", kind: "concept" | "chapter" | "project" | "sheet" | "rung", title, text, number? }.
export function read_contents(root) {
  const course = join(root, "course");
  const concepts = markdown_in(course, "concepts").map((name) => `concepts/${name}`);
  // A chapter without a lab introduces the lab of its number.
  const has_lab = (name) => Number(existsSync(join(root, "labs", name, "lab.toml")));
  const chapters = markdown_in(course, "chapters")
    .sort((a, b) => by_number(a, b) || has_lab(a) - has_lab(b))
    .map((name) => read_page(course, `chapters/${name}`, "chapter", { number: number_of(name) }));
  const concept_pages = concepts.filter((path) => !kSheets.includes(path)).map((path) => read_page(course, path, "concept", { number: number_of(path.split("/")[1]) }));
  const projects = existsSync(join(course, "projects")) ? ["README", ...markdown_in(course, "projects")].map((name) => read_page(course, `projects/${name}`, "project")) : [];
  const sheets = kSheets.map((path) => read_page(course, path, "sheet"));
  const labs = readdirSync(join(root, "labs"))
    .filter((name) => existsSync(join(root, "labs", name, "lab.toml")))
    .sort(by_number)
    .map((name) => read_lab(root, name));
  const rung_pages = [];
  for (const folder of readdirSync(join(course, "worklogs")).filter((name) => /^\d/.test(name)).sort(by_number)) {
    const lab = labs.find((one) => one.number === number_of(folder));
    for (const name of markdown_in(course, `worklogs/${folder}`)) {
      const page = read_page(course, `worklogs/${folder}/${name}`, "rung", { lab_number: number_of(folder), number: number_of(name) });
      page.short = `${String(page.lab_number).padStart(2, "0")}/${page.number}`;
      page.title = plain_title(page.title);
      rung_pages.push(page);
      if (lab) lab.worklogs = folder;
    }
  }
  const pages = [...concept_pages.slice(0, kConceptsBeforeLabs), ...chapters, ...concept_pages.slice(kConceptsBeforeLabs), ...projects, ...sheets];
  return { pages, labs, rung_pages, concepts_before_labs: kConceptsBeforeLabs };
}

// course/quizzes/*.toml as they are, without what only the tests use. The C++ reader checks their form.
export function read_quizzes(root) {
  const folder = join(root, "course/quizzes");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".toml"))
    .sort()
    .map((file) => {
      const { title, question = [], scenario = [] } = parse(readFileSync(join(folder, file), "utf8"));
      const questions = question.map(({ computed, ...rest }) => ({ ...rest, table: rest.table?.replace(/^\n/, "") }));
      return { name: file.slice(0, -5), title, questions, scenarios: scenario };
    });
}
