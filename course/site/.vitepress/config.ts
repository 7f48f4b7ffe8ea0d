// The site's configuration. What it shows follows from generated/contents.json, which program/assemble writes.
import { existsSync, readFileSync } from "node:fs";

import { defineConfig } from "vitepress";

import { formulas } from "../program/assemble/math.mjs";
import { slugify } from "../program/assemble/slug.mjs";
import { plain_blocks } from "../program/assemble/blocks.mjs";
import { term_links } from "../program/assemble/terms.mjs";
import { sidebar_of } from "./sidebar";
import { recorded_scenes, trace_figures } from "./theme/figures/markdown.mjs";

const generated = (name: string) => JSON.parse(readFileSync(new URL(`../generated/${name}`, import.meta.url), "utf8"));
const contents = generated("contents.json");
const terms = generated("terms.json");
// Without the WebAssembly module the figures are still pictures.
const work = new URL("..", import.meta.url);
const has_figures = existsSync(new URL("src/public/wasm/figures.wasm", work));
const index_of_traces = new URL("src/public/traces/index.json", work);
const traces = has_figures && existsSync(index_of_traces) ? JSON.parse(readFileSync(index_of_traces, "utf8")) : [];
const scenes = recorded_scenes(readFileSync(new URL("generated/scenes.txt", work), "utf8"), (trace) =>
  traces.some((one: { trace: string }) => one.trace === trace),
);

// Pages with a link at the first use of a term. The glossary itself has its own.
function path_of_glossary(env: { relativePath?: string }) {
  const path = env.relativePath ?? "";
  if (!/^(chapters|concepts|projects|worklogs)\//.test(path)) return undefined;
  return "../".repeat(path.split("/").length - 1) + "glossary.md";
}

export default defineConfig({
  srcDir: "src",
  base: process.env.RIDGE_SITE_BASE ?? "/",
  lang: "en",
  title: "Ridgepoint",
  description: "A course with labs: how to write fast GPU kernels.",
  head: [["link", { rel: "icon", href: `${process.env.RIDGE_SITE_BASE ?? "/"}icon.svg` }]],
  lastUpdated: false,
  ignoreDeadLinks: true, // tests/course/site/links_test.mjs is strict; a reader is not to be left without a site
  metaChunk: true,
  vite: { define: { __HAS_FIGURES__: JSON.stringify(has_figures), __COURSE_TRACES__: JSON.stringify(traces) } },
  router: { prefetchLinks: false }, // the list of pages would fetch thirty pages
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    languageAlias: { cuda: "cpp" },
    anchor: { slugify },
    image: { lazyLoading: true },
    config(md) {
      md.use(formulas);
      md.use(plain_blocks);
      md.use(term_links, { terms, path_of_glossary });
      md.use(trace_figures, scenes);
    },
  },
  themeConfig: {
    siteTitle: "Ridgepoint",
    logo: { src: "/icon.svg", alt: "" },
    nav: [
      { text: "Concepts", link: "/concepts/00-start-here", activeMatch: "/concepts/" },
      { text: "Labs", link: contents.labs.find((lab: { chapter?: string }) => lab.chapter) ? "/chapters/00-how-a-gpu-waits" : "/", activeMatch: "/chapters/" },
      { text: "Quizzes", link: "/quizzes/", activeMatch: "/quizzes/" },
      { text: "Calculators", link: "/calculators" },
      { text: "Open a trace", link: "/trace" },
      { text: "Glossary", link: "/glossary" },
    ],
    sidebar: sidebar_of(contents),
    outline: { level: [2, 3], label: "On this page" },
    docFooter: { prev: "Previous", next: "Next" },
    search: {
      provider: "local",
      options: {
        // A search is not to tell what a closed page says: only its heading is found.
        _render(source, env, md) {
          const html = md.render(source, env);
          if (env.frontmatter?.search === false) return "";
          return env.frontmatter?.spoiler ? (html.match(/<h1[\s\S]*?<\/h1>/)?.[0] ?? "") : html;
        },
      },
    },
  },
});
