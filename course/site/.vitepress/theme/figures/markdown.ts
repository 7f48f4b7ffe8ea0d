// Turns the course's pictures of recorded kernels into figures that a reader plays.
//
// On a page such a picture is an ordinary image, alone in its paragraph, and its caption an italic paragraph behind it.
// It is one of course/figures/scenes.txt by its file's name. On the site it becomes <TraceFigure> with the image as the
// content, which stays where there is no script.
import { basename } from "node:path";

import type MarkdownIt from "markdown-it";

interface Scene {
  trace: string; // "02-3", as course/figures/make_traces.sh names its file
  is_moving: boolean;
}

// The scenes of a scenes.txt whose traces are there, by the picture's name.
export function recordedScenes(text: string, has_trace: (trace: string) => boolean): Map<string, Scene> {
  const scenes = text
    .split("\n")
    .filter((line) => line.trim() && !line.startsWith("#"))
    .map((line) => line.trim().split(/\s+/))
    .map(([name, form, rung]): [string, Scene] => [name, { trace: rung.replace("/", "-"), is_moving: form !== "still" }]);
  return new Map(scenes.filter(([, scene]) => has_trace(scene.trace)));
}

export function traceFigures(md: MarkdownIt, scenes: Map<string, Scene>) {
  md.core.ruler.push("trace_figures", (state) => {
    const { tokens } = state;
    // The name of the picture that is all of the paragraph at i.
    const pictureAt = (i: number) => {
      const inside = tokens[i + 1]?.children;
      if (tokens[i]?.type !== "paragraph_open" || inside?.length !== 1 || inside[0].type !== "image") return "";
      return basename(inside[0].attrGet("src") ?? "").replace(/\.\w+$/, "");
    };
    // A page that has a picture of a rung at rest and one in motion needs one figure: the moving one.
    const shown = tokens.map((_, i) => scenes.get(pictureAt(i)));
    const in_motion = new Set(shown.flatMap((scene) => (scene?.is_moving ? [scene.trace] : [])));
    const isCaption = (i: number) => {
      const inside = tokens[i + 1]?.children?.filter((one) => one.type !== "text" || one.content);
      return tokens[i]?.type === "paragraph_open" && inside?.[0]?.type === "em_open" && inside.at(-1)?.type === "em_close";
    };
    const html = (content: string) => {
      const token = new state.Token("html_block", "", 0);
      token.content = content;
      return token;
    };
    for (let i = 0; i < tokens.length; ++i) {
      const scene = scenes.get(pictureAt(i));
      if (!scene || (!scene.is_moving && in_motion.has(scene.trace))) continue;
      tokens[i] = html(`<TraceFigure trace="${scene.trace}">\n`);
      tokens[i + 2] = html("</TraceFigure>\n");
      if (!isCaption(i + 3)) continue;
      tokens[i + 2] = html("");
      tokens[i + 3] = html("<template #caption>");
      tokens[i + 5] = html("</template></TraceFigure>\n");
    }
  });
}
