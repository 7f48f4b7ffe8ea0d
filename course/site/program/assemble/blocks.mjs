// Two corrections of what Markdown becomes.

// A markdown-it plugin. An empty cell in the head of a table is no heading: a screen reader would announce one without a
// name. An indented block is code like one between ``` lines.
export function plain_blocks(md) {
  md.core.ruler.push("plain_blocks", (state) => {
    state.tokens.forEach((token, index) => {
      if (token.type === "th_open" && state.tokens[index + 1].content === "") {
        token.tag = "td";
        state.tokens[index + 2].tag = "td";
      }
      if (token.type === "code_block") Object.assign(token, { type: "fence", tag: "code", info: "text", markup: "```" });
    });
  });
}
