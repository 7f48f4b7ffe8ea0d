// Ties a surface to a canvas element: loading, size, theme, frames, keys and the pointer.
import { onBeforeUnmount, onMounted, ref, shallowRef, type Ref } from "vue";

import { loadFigures } from "./module";
import { PointerKind, Surface, type SurfaceState } from "./surface";

// What drawing cost: read by the test of the frame rate.
export interface FrameTiming {
  frames: number;
  milliseconds: number;
  begun_ms: number;
  seconds: number; // from the first frame to the last
}

const load_distance_px = 400; // a figure is loaded when it is so near the window

export function useSurface(canvas: Ref<HTMLCanvasElement | undefined>, kind: string, prepare: (surface: Surface) => Promise<void>) {
  const ready = ref(false); // a first picture is there
  const failure = ref("");
  const state = shallowRef<SurfaceState>();
  const isDark = () => document.documentElement.classList.contains("dark");
  let surface: Surface | undefined;
  let request = 0;
  let last_ms = 0;
  let state_text = "";
  let ended = false;
  const stops: (() => void)[] = [];
  const waiting: ((surface: Surface) => void)[] = [];

  function readState() {
    const text = surface!.stateText();
    if (text !== state_text) state.value = JSON.parse((state_text = text));
  }

  function frame(now_ms: number) {
    request = 0;
    const element = canvas.value;
    if (!surface || !element || ended) return;
    const { clientWidth: width, clientHeight: height } = element;
    if (width === 0 || height === 0) return; // the ResizeObserver asks again
    const ratio = window.devicePixelRatio || 1;
    const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (element.width !== columns) element.width = columns;
    if (element.height !== rows) element.height = rows;
    // Who asked for less motion sees each step at once.
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches && !state.value?.playing;
    const seconds = still ? 1 : last_ms ? Math.min(0.1, (now_ms - last_ms) / 1000) : 0;
    const begun = performance.now();
    const moving = surface.draw(width, height, ratio, isDark(), seconds);
    readState();
    const timing = ((element as { figureTiming?: FrameTiming }).figureTiming ??= { frames: 0, milliseconds: 0, begun_ms: begun, seconds: 0 });
    ++timing.frames;
    timing.seconds = (performance.now() - timing.begun_ms) / 1000;
    timing.milliseconds += performance.now() - begun;
    last_ms = moving ? now_ms : 0;
    ready.value = true;
    if (moving) draw();
  }
  function draw() {
    if (surface && !request) request = requestAnimationFrame(frame);
  }

  // Does something with the surface, then draws. What comes before the module is there waits for it.
  function act(what: (surface: Surface) => void) {
    if (!surface) return void waiting.push(what);
    what(surface);
    readState();
    draw();
  }

  async function start() {
    try {
      const module = await loadFigures();
      if (ended || !canvas.value) return;
      const context = canvas.value.getContext("2d", { alpha: false })!;
      const made = new Surface(module, kind, context);
      stops.push(() => made.destroy());
      await prepare(made);
      if (ended) return;
      surface = made;
      const fonts_changed = () => {
        module._ridge_forget_letters();
        draw();
      };
      document.fonts.addEventListener("loadingdone", fonts_changed);
      stops.push(() => document.fonts.removeEventListener("loadingdone", fonts_changed));
      for (const what of waiting.splice(0)) what(made);
      readState();
      ready.value = true;
      draw();
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
    }
  }

  function listen(element: HTMLCanvasElement) {
    const move = (what: (surface: Surface) => void) => {
      if (!surface) return;
      what(surface);
      draw();
    };
    const place = (event: PointerEvent | WheelEvent): [number, number] => {
      const box = element.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const pointer = (pointer_kind: PointerKind) => (event: PointerEvent) => {
      if (pointer_kind === PointerKind.down) {
        if (event.button !== 0) return;
        element.focus({ preventScroll: true });
        element.setPointerCapture(event.pointerId);
      }
      // A finger that goes up has not left: what it touched stays explained.
      if (pointer_kind === PointerKind.leave && event.type === "pointerleave" && event.pointerType !== "mouse") return;
      move((s) => {
        if (pointer_kind === PointerKind.down) s.pointer(PointerKind.move, ...place(event));
        s.pointer(pointer_kind, ...place(event), 0, event.shiftKey);
      });
    };
    element.addEventListener("pointermove", pointer(PointerKind.move));
    element.addEventListener("pointerdown", pointer(PointerKind.down));
    element.addEventListener("pointerup", pointer(PointerKind.up));
    element.addEventListener("pointerleave", pointer(PointerKind.leave));
    element.addEventListener("pointercancel", pointer(PointerKind.leave));
    element.addEventListener("blur", () => move((s) => s.pointer(PointerKind.leave, 0, 0)));
    // The wheel scrolls the page until the figure is chosen by a click or by Tab.
    element.addEventListener(
      "wheel",
      (event) => {
        if (document.activeElement !== element || event.ctrlKey) return;
        event.preventDefault();
        move((s) => s.pointer(PointerKind.wheel, ...place(event), event.deltaY < 0 ? 1 : -1, event.shiftKey));
      },
      { passive: false },
    );
    element.addEventListener("keydown", (event) => {
      if (surface?.key(event)) event.preventDefault();
      draw();
    });
  }

  onMounted(() => {
    const element = canvas.value!;
    listen(element);
    const size = new ResizeObserver(draw);
    size.observe(element);
    const near = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        near.disconnect();
        start();
      },
      { rootMargin: `${load_distance_px}px` },
    );
    near.observe(element.parentElement!); // the canvas itself is not shown yet
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ["class"] });
    stops.push(() => size.disconnect(), () => near.disconnect(), () => theme.disconnect());
  });
  onBeforeUnmount(() => {
    ended = true;
    cancelAnimationFrame(request);
    surface = undefined;
    for (const stop of stops) stop();
  });

  return { ready, failure, state, act };
}
