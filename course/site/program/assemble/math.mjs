// Formulas between $ and $, and between $$ lines, as MathML: rendered when the site is built, no fonts or scripts.
import katex from "katex";

export function formula(text, is_display) {
  return katex.renderToString(text, { output: "mathml", displayMode: is_display, throwOnError: true, strict: "error" });
}

const is_space = (letter) => letter === undefined || /\s/.test(letter);

// $x$: no blank inside the dollars, and no digit after them, so that "5 $ and 6 $" stays text.
function inline_rule(state, silent) {
  const { src, pos } = state;
  if (src[pos] !== "$" || src[pos + 1] === "$" || is_space(src[pos + 1])) return false;
  let end = pos + 1;
  while ((end = src.indexOf("$", end)) !== -1 && src[end - 1] === "\\") ++end;
  if (end === -1 || end >= state.posMax || is_space(src[end - 1]) || /\d/.test(src[end + 1] ?? "")) return false;
  if (!silent) state.push("math_inline", "math", 0).content = src.slice(pos + 1, end);
  state.pos = end + 1;
  return true;
}

function block_rule(state, first, last, silent) {
  const line = (number) => state.src.slice(state.bMarks[number] + state.tShift[number], state.eMarks[number]);
  if (!line(first).startsWith("$$")) return false;
  let text = line(first).slice(2);
  let next = first;
  while (!text.trimEnd().endsWith("$$")) {
    if (++next >= last) return false;
    text += "\n" + line(next);
  }
  if (silent) return true;
  const token = state.push("math_block", "math", 0);
  token.block = true;
  token.content = text.trimEnd().slice(0, -2).trim();
  token.map = [first, next + 1];
  state.line = next + 1;
  return true;
}

// A markdown-it plugin. v-pre: Vue is not to read braces in a formula.
export function formulas(md) {
  md.inline.ruler.after("escape", "math_inline", inline_rule);
  md.block.ruler.before("fence", "math_block", block_rule, { alt: ["paragraph", "blockquote", "list"] });
  md.renderer.rules.math_inline = (tokens, index) => `<span class="math" v-pre>${formula(tokens[index].content, false)}</span>`;
  md.renderer.rules.math_block = (tokens, index) => `<p class="math-block" v-pre>${formula(tokens[index].content, true)}</p>\n`;
}
