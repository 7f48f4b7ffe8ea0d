// Links the first use of each glossary term on a page to its entry.

// [{ forms: ["bank", "banks"], anchor: "bank-banks", first: "One of ..." }] of glossary.md.
export function read_terms(text, slugify) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((entry) => {
      const [heading, ...rest] = entry.split("\n");
      const [, name, others = ""] = heading.match(/^([^(]+?)\s*(?:\((.*)\))?$/) ?? [, heading];
      return { forms: [name, ...others.split(",")].map((form) => form.trim()).filter(Boolean), anchor: slugify(heading), first: rest.join(" ").trim() };
    });
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// A markdown-it plugin. `path_of_glossary(env)` is the link's target on this page; undefined: no links here.
export function term_links(md, { terms, path_of_glossary }) {
  const by_form = new Map(terms.flatMap((term) => term.forms.map((form) => [form.toLowerCase(), term])));
  const forms = [...by_form.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<![\\w-])(${forms.map(escaped).join("|")})s?(?![\\w-])`, "gi"); // or its plural

  md.core.ruler.push("terms", (state) => {
    const glossary = path_of_glossary(state.env);
    if (!glossary) return;
    const used = new Set();
    state.tokens.forEach((token, index) => {
      const before = state.tokens[index - 1]?.type;
      if (token.type !== "inline" || before === "heading_open" || before === "th_open") return;
      token.children = linked(state, token.children, pattern, by_form, glossary, used);
    });
  });
}

function linked(state, children, pattern, by_form, glossary, used) {
  const result = [];
  let depth = 0; // of links: a link holds no link
  for (const child of children) {
    if (child.type === "link_open") ++depth;
    if (child.type === "link_close") --depth;
    if (child.type !== "text" || depth) {
      result.push(child);
      continue;
    }
    let at = 0;
    for (const match of child.content.matchAll(pattern)) {
      const term = by_form.get(match[1].toLowerCase());
      if (used.has(term)) continue;
      used.add(term);
      const text = (content) => Object.assign(new state.Token("text", "", 0), { content });
      if (match.index > at) result.push(text(child.content.slice(at, match.index)));
      const open = new state.Token("link_open", "a", 1);
      open.attrs = [["href", `${glossary}#${term.anchor}`], ["class", "term"]];
      result.push(open, text(match[0]), new state.Token("link_close", "a", -1));
      at = match.index + match[0].length;
    }
    if (at < child.content.length) result.push(at ? Object.assign(new state.Token("text", "", 0), { content: child.content.slice(at) }) : child);
  }
  return result;
}
