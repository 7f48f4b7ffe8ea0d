// Turns the course's pictures of recorded kernels into figures that a reader plays.
//
// On a page such a picture is an ordinary image, alone in its paragraph, and its caption an italic paragraph behind it.
// It is one of course/figures/scenes.txt by its file's name. On the site it becomes <TraceFigure> with the image as the
// content, which stays where there is no script. A rung at rest and, right behind it, in motion are one figure.
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

// Nothing moves on paper: a picture of a rung in motion, right behind the one at rest, would show the same again.
export function without_motion(text, scenes) {
  const scene_of = (part) => scenes.get(part.match(/^!\[[^\]]*\]\((?:[^)]*\/)?([^/)]+)\.\w+\)\s*$/)?.[1]);
  let shown; // the trace of the picture before, if only its caption is between
  return text
    .split("\n\n")
    .filter((part) => {
      const scene = scene_of(part);
      if (scene?.is_moving && scene.trace === shown) return false;
      if (scene || !/^\*[^*]/.test(part)) shown = scene?.trace;
      return true;
    })
    .join("\n\n");
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
    const scene_at = (i) => scenes.get(picture_at(tokens, i));
    const end_of = (i) => (is_caption_at(tokens, i + 3) ? i + 6 : i + 3); // of a picture with its caption
    const goes_on = (i) => scene_at(end_of(i))?.is_moving && scene_at(end_of(i)).trace === scene_at(i).trace;
    const in_motion = new Set(tokens.flatMap((_, i) => (scene_at(i)?.is_moving ? [scene_at(i).trace] : [])));
    const html = (content) => Object.assign(new Token("html_block", "", 0), { content });
    const written = [];
    for (let i = 0; i < tokens.length; ) {
      const scene = scene_at(i);
      // A page needs a rung once in motion: a picture of it at rest elsewhere on the page is a picture.
      if (!scene || (!scene.is_moving && in_motion.has(scene.trace) && !goes_on(i))) {
        written.push(tokens[i++]);
        continue;
      }
      const pictures = scene.is_moving || !goes_on(i) ? [i] : [i, end_of(i)];
      const captions = pictures.filter((at) => end_of(at) === at + 6).map((at) => tokens[at + 4]);
      written.push(html(`<TraceFigure trace="${scene.trace}"${scene_at(pictures.at(-1)).is_window ? " window" : ""}>\n`));
      written.push(...pictures.map((at) => tokens[at + 1]));
      if (captions.length) written.push(html("<template #caption>"), ...captions.flatMap((caption, at) => (at ? [html(" "), caption] : [caption])), html("</template>"));
      written.push(html("</TraceFigure>\n"));
      i = end_of(pictures.at(-1));
    }
    tokens.splice(0, tokens.length, ...written);
  });
}
