// Links of a page: those to other pages stay, those to files outside the course lead to a page that shows the file.
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, extname, join, posix } from "node:path";

const kLanguages = { ".cu": "cuda", ".cuh": "cuda", ".h": "cpp", ".cpp": "cpp", ".py": "python", ".toml": "toml", ".sh": "sh" };
const kMostSourceBytes = 300_000;

// A code span, or a link: [1] the mark of a picture, [2] its label, which may hold code, [3] where it leads.
const kCodeOrLink = /`[^`\n]+`|(!?)\[((?:`[^`\n]+`|[^\[\]`]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

// Replaces each link outside code by what change(all, image, label, target) returns.
export function replace_links(text, change) {
  return text
    .split(/(^```[\s\S]*?^```)/m)
    .map((part, index) => (index % 2 ? part : part.replace(kCodeOrLink, (all, image, label, target) => (target ? change(all, image, label, target) : all))))
    .join("");
}

// The place of the page that shows a file outside the course.
export const source_path = (place) => posix.join("source", place.endsWith(".md") ? place : `${place}.md`);

// The page that shows a file outside the course: Markdown as a page without its links, other files as code.
export function source_page(root, path) {
  const file = join(root, path);
  if (statSync(file).size > kMostSourceBytes) throw new Error(`${path} is linked from the course and is over ${kMostSourceBytes} bytes`);
  const text = readFileSync(file, "utf8").trimEnd();
  if (path.endsWith(".md")) return replace_links(text, (all, image, label, target) => (/^https?:/.test(target) ? all : label)) + "\n";
  return `# ${basename(path)}\n\nThe file \`${path}\` of the clone.\n\n\`\`\`${kLanguages[extname(path)] ?? "text"}\n${text}\n\`\`\`\n`;
}

// Rewrites the links of the page course/PATH.md, whose place in the site is `path`. `found.pages` collects the pages of
// the course that it links to, `found.sources` other files. Throws when a link leads nowhere.
export function rewrite_links(root, path, text, found) {
  const folder = posix.dirname(posix.join("course", path));
  const page_folder = posix.dirname(path);
  const relative = (target) => {
    const way = posix.relative(page_folder, target);
    return way.startsWith(".") ? way : `./${way}`;
  };
  return replace_links(text, (all, image, label, target) => {
    if (/^(https?:|mailto:|#)/.test(target)) return all;
    const [file, anchor] = target.split("#");
    const place = posix.normalize(posix.join(folder, file)).replace(/\/$/, "");
    if (!existsSync(join(root, place))) throw new Error(`course/${path}.md links to ${target}, which does not exist`);
    if (image) return `![${label}](/${posix.relative("course", place)})`;
    const in_course = place.startsWith("course/");
    if (statSync(join(root, place)).isDirectory()) {
      if (!in_course) throw new Error(`course/${path}.md links to the folder ${place}`);
      return `[${label}](${relative(posix.join(place.slice("course/".length), "index.md"))})`;
    }
    if (in_course && place.endsWith(".md")) {
      const page = place.slice("course/".length);
      found.pages.add(page.slice(0, -".md".length));
      return `[${label}](${relative(page)}${anchor ? "#" + anchor : ""})`;
    }
    found.sources.add(place);
    return `[${label}](${relative(source_path(place))}${anchor ? "#" + anchor : ""})`;
  });
}
