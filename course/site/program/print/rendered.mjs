// The course's pages as plain HTML, for paper and slides: the same Markdown as the site's, without its scripts.
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";

import { createMarkdownRenderer } from "vitepress";

import { formulas } from "../assemble/math.mjs";
import { slugify } from "../assemble/slug.mjs";
import { plain_blocks } from "../assemble/blocks.mjs";
import { recorded_scenes, without_motion } from "../../.vitepress/theme/figures/markdown.mjs";

export const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
export const code_marked = (text) => escaped(text).replace(/`([^`]*)`/g, "<code>$1</code>");

export async function markdown_renderer(site) {
  return createMarkdownRenderer(join(site, "src"), {
    theme: "github-light-high-contrast",
    languageAlias: { cuda: "cpp" },
    anchor: { slugify },
    config: (md) => md.use(formulas).use(plain_blocks),
  }, "/");
}

// The Markdown of a page of the site, without front matter and components.
export function plain_page(site, path) {
  const scenes = recorded_scenes(readFileSync(join(site, "generated/scenes.txt"), "utf8"), () => true);
  return without_motion(readFileSync(join(site, "src", path + ".md"), "utf8"), scenes)
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .replace(/<script setup>[\s\S]*?<\/script>\n/, "")
    .replace(/^<\/?RungSpoiler.*>$/gm, "")
    .replace(/^## Quiz\n/m, "")
    .replace(/^<QuizBlock.*>$/gm, "");
}

// Pictures are read from the disk.
export const picture_folder = (site) => pathToFileURL(join(site, "src/public")).href;

// HTML of a page as a part of a larger document: pictures are in the folder `pictures`, anchors get the page's name in front, links to pages that are in the
// document become anchors, those to other pages of the site become text.
export function embedded(pictures, path, html, paths) {
  const name = (page) => page.replaceAll("/", "-");
  const known = new Set(paths);
  return html
    .replace(/<button title="Copy Code"[^>]*><\/button>/g, "")
    .replace(/<a class="header-anchor"[\s\S]*?<\/a>/g, "")
    .replace(/ id="([^"]+)"/g, (_, id) => ` id="${name(path)}--${id}"`)
    .replace(/<img ([^>]*?)src="\//g, `<img $1src="${pictures}/`)
    .replace(/<a href="([^"]*)"([^>]*)>([\s\S]*?)<\/a>/g, (all, href, rest, text) => {
      if (/^(https?:|mailto:)/.test(href)) return all;
      const [file, anchor] = href.split("#");
      const target = file ? posix.join("/", file.startsWith("/") ? "" : posix.dirname(path), file).slice(1).replace(/\.(html|md)$/, "") : path;
      if (!known.has(target)) return text;
      return `<a href="#${name(target)}${anchor ? "--" + anchor : ""}">${text}</a>`;
    });
}
