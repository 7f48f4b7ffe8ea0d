// Divides a page of the course into slides. What is said aloud (the page's text) goes into the notes.
const kMostPoints = 4;
const kMostRows = 10;
const kFewRows = 6; // a table with no more stays on the slide of what introduces it
const kShortSentence = 30; // characters: "No." alone says too little

// The first sentence of a paragraph in Markdown; a label such as **Measured.** is kept in front of it.
export function first_sentence(text) {
  const plain = text.replace(/\s+/g, " ").trim();
  const [, label = "", rest] = plain.match(/^(\*\*[^*]+[.:]\*\*\s+)?([\s\S]*)$/);
  // A full stop in code, in a number or in "e.g." ends nothing.
  const hidden = rest.replace(/`[^`]*`|\$[^$]*\$|\d\.\d|e\.g\.|\]\([^)]*\)/g, (part) => part.replace(/[.?!:]/g, "_"));
  const ends = [...hidden.matchAll(/[.?!](?=\s|$)/g)].map((match) => match.index + 1);
  const end = ends.find((one) => one >= kShortSentence) ?? ends.at(-1) ?? rest.length;
  return label + rest.slice(0, end);
}

const lines_of = (text, map) => text.split("\n").slice(map[0], map[1]).join("\n");

// The blocks of a page: { kind: "heading" | "picture" | "table" | "code" | "list" | "formula" | "text", source, level? }.
export function blocks_of(md, text) {
  const blocks = [];
  for (const token of md.parse(text, {})) {
    if (token.level !== 0 || !token.map || token.nesting < 0) continue;
    const source = lines_of(text, token.map);
    if (token.type === "heading_open") blocks.push({ kind: "heading", level: Number(token.tag[1]), source: source.replace(/^#+\s*/, "") });
    else if (token.type === "table_open") blocks.push({ kind: "table", source });
    else if (token.type === "fence") blocks.push({ kind: "code", source });
    else if (token.type === "math_block") blocks.push({ kind: "formula", source });
    else if (/_list_open$/.test(token.type)) blocks.push({ kind: "list", source });
    else if (token.type === "paragraph_open") blocks.push({ kind: source.startsWith("![") ? "picture" : "text", source });
  }
  return blocks;
}

const is_caption = (block, before) => block?.kind === "text" && before?.kind === "picture" && /^\*[^*][\s\S]*\*$/.test(block.source.trim());
const is_question = (block) => block.kind === "text" && block.source.startsWith("**Predict.**");

// A wide table is divided; its head is repeated.
function parts_of_table(source) {
  const [head, rule, ...rows] = source.trim().split("\n");
  const parts = [];
  for (let at = 0; at < rows.length; at += kMostRows) parts.push([head, rule, ...rows.slice(at, at + kMostRows)].join("\n"));
  return parts;
}

// [{ title, kind, body, notes }], body and notes in Markdown. The first is the title slide.
export function slides_of(md, text) {
  const blocks = blocks_of(md, text);
  const slides = [];
  let title = "", points = [], notes = [];
  const end_points = () => {
    if (points.length) slides.push({ title, kind: "points", body: points.join("\n\n"), notes: notes.join("\n\n") });
    points = [];
    notes = [];
  };
  const alone = (kind, body, said) => {
    end_points();
    slides.push({ title, kind, body, notes: said });
  };
  blocks.forEach((block, index) => {
    if (block.kind === "heading") {
      end_points();
      title = block.source;
      if (block.level === 1) slides.push({ title, kind: "title", body: "", notes: "" });
    } else if (block.kind === "picture") {
      const caption = is_caption(blocks[index + 1], block) ? blocks[index + 1].source : "";
      alone("picture", caption ? `${block.source}\n\n${caption}` : block.source, caption);
    } else if (is_caption(block, blocks[index - 1])) {
      return;
    } else if (is_question(block)) {
      alone("question", block.source, block.source);
    } else if (block.kind === "table" && block.source.trim().split("\n").length > kFewRows + 2) {
      for (const part of parts_of_table(block.source)) alone("table", part, "");
    } else if (block.kind === "table" || block.kind === "code" || block.kind === "list" || block.kind === "formula") {
      if (points.length > 2) end_points(); // what introduces it stays with it
      points.push(block.source);
      end_points();
    } else if (!/^(Next|Last):/.test(block.source)) {
      if (points.length >= kMostPoints) end_points();
      if (!/^\*\*[^*]+\*\*$/.test(block.source.trim())) points.push(`- ${first_sentence(block.source)}`); // not a label alone
      notes.push(block.source);
    }
  });
  end_points();
  return slides;
}
