// Three corrections of what Markdown becomes.

// A markdown-it plugin. An empty cell in the head of a table is no heading: a screen reader would announce one without a
// name. An indented block is code like one between ``` lines. Short code in a table, such as the name of a rung, keeps to
// one line.
const kShort = 24;
export function plain_blocks(md) {
  md.core.ruler.push("plain_blocks", (state) => {
    state.tokens.forEach((token, index) => {
      if (token.type === "th_open" && state.tokens[index + 1].content === "") {
        token.tag = "td";
        state.tokens[index + 2].tag = "td";
      }
      if (token.type === "inline" && /^t[hd]_open$/.test(state.tokens[index - 1]?.type))
        for (const part of token.children) if (part.type === "code_inline" && part.content.length <= kShort) part.attrJoin("class", "short");
      if (token.type === "code_block") Object.assign(token, { type: "fence", tag: "code", info: "text", markup: "```" });
    });
  });
}
