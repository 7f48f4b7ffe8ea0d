// An empty cell in the head of a table is no heading: a screen reader would announce one without a name.
export function empty_heads(md) {
  md.core.ruler.push("empty_heads", (state) => {
    state.tokens.forEach((token, index) => {
      if (token.type !== "th_open" || state.tokens[index + 1].content !== "") return;
      token.tag = "td";
      state.tokens[index + 2].tag = "td";
    });
  });
}
