// Turns the course's pictures of recorded kernels into figures that a reader plays.
//
// On a page such a picture is an ordinary image, alone in its paragraph, and its caption an italic paragraph behind it.
// It is one of course/figures/scenes.txt by its file's name. On the site it becomes <TraceFigure> with the image as the
// content, which stays where there is no script.
import { basename } from "node:path";

// The scenes of a scenes.txt whose traces are there: a Map from the picture's name to { trace, is_moving,
// is_window }. A trace is "02-3", as course/figures/make_traces.sh names its file.
export function recorded_scenes(text, has_trace) {
  const scenes = text
    .split("\n")
    .filter((line) => line.trim() && !line.startsWith("#"))
    .map((line) => line.trim().split(/\s+/))
    .map(([name, form, rung]) => [name, { trace: rung.replace("/", "-"), is_moving: form !== "still", is_window: form === "window" }]);
  return new Map(scenes.filter(([, scene]) => has_trace(scene.trace)));
}

// The name of the picture that is all of the paragraph at i; "" for any other token.
function picture_at(tokens, i) {
  const inside = tokens[i + 1]?.children;
  if (tokens[i]?.type !== "paragraph_open" || inside?.length !== 1 || inside[0].type !== "image") return "";
  return basename(inside[0].attrGet("src") ?? "").replace(/\.\w+$/, "");
}

function is_caption_at(tokens, i) {
  const inside = tokens[i + 1]?.children?.filter((one) => one.type !== "text" || one.content);
  return tokens[i]?.type === "paragraph_open" && inside?.[0]?.type === "em_open" && inside.at(-1)?.type === "em_close";
}

// A plugin of markdown-it.
export function trace_figures(md, scenes) {
  md.core.ruler.push("trace_figures", ({ tokens, Token }) => {
    // A page that has a picture of a rung at rest and one in motion needs one figure: the moving one.
    const shown = tokens.map((_, i) => scenes.get(picture_at(tokens, i)));
    const in_motion = new Set(shown.flatMap((scene) => (scene?.is_moving ? [scene.trace] : [])));
    const html = (content) => Object.assign(new Token("html_block", "", 0), { content });
    shown.forEach((scene, i) => {
      if (!scene || (!scene.is_moving && in_motion.has(scene.trace))) return;
      tokens[i] = html(`<TraceFigure trace="${scene.trace}"${scene.is_window ? " window" : ""}>\n`);
      tokens[i + 2] = html("</TraceFigure>\n");
      if (!is_caption_at(tokens, i + 3)) return;
      tokens[i + 2] = html("");
      tokens[i + 3] = html("<template #caption>");
      tokens[i + 5] = html("</template></TraceFigure>\n");
    });
  });
}
