// Loads the WebAssembly module of the figures, once for all figures of the site.
import { withBase } from "vitepress";

// What visualizer/web/module/module.cpp exports. Numbers that are handles or addresses are bytes in its memory.
export interface FiguresModule {
  HEAPU8: Uint8Array;
  UTF8ToString(address: number): string;
  _malloc(bytes: number): number;
  _free(address: number): void;
  _ridge_create(kind: number): number;
  _ridge_destroy(page: number): void;
  _ridge_open(page: number, bytes: number, size: number, name: number): number;
  _ridge_draw(page: number, width: number, height: number, dark: number, scale: number, seconds: number): number;
  _ridge_commands(page: number): number;
  _ridge_command_words(page: number): number;
  _ridge_key(page: number, code: number, character: number, shift: number): number;
  _ridge_pointer(page: number, kind: number, x: number, y: number, wheel: number, shift: number): void;
  _ridge_set(page: number, name: number, value: number): number;
  _ridge_state(page: number): number;
  _ridge_forget_letters(): void;
}

const sans = 'Inter, "DejaVu Sans", "Helvetica Neue", Arial, sans-serif';
const mono = 'ui-monospace, "JetBrains Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';

// By Face of visualizer/draw/canvas.h: text, bold, mono.
export function fontOf(face: number, size_px: number): string {
  return `${face === 1 ? "600 " : ""}${size_px}px ${face === 2 ? mono : sans}`;
}

// Without kerning and ligatures, so that widths of letters add up to the width of a text.
export function setTextMode(context: CanvasRenderingContext2D) {
  context.fontKerning = "none";
  if ("textRendering" in context) context.textRendering = "optimizeSpeed";
}

function letterRuler() {
  const context = document.createElement("canvas").getContext("2d")!;
  setTextMode(context);
  return (face: number, letter: number) => {
    context.font = fontOf(face, 100);
    return context.measureText(String.fromCodePoint(letter)).width / 100;
  };
}

declare const __HAS_FIGURES__: boolean; // .vitepress/config.ts: the module was compiled for this build of the site
let loading: Promise<FiguresModule> | undefined;

// Rejects where the site was built without the module, or the browser has no WebAssembly.
export function loadFigures(): Promise<FiguresModule> {
  loading ??= (async () => {
    if (!__HAS_FIGURES__) throw new Error("this site was built without emscripten");
    const folder = new URL(withBase("/wasm/"), location.href);
    const { default: create } = await import(/* @vite-ignore */ new URL("figures.mjs", folder).href);
    return create({ advance: letterRuler(), locateFile: (file: string) => new URL(file, folder).href });
  })();
  return loading;
}
