// One canvas of the WebAssembly module: visualizer/web/surface.h from the page's side.
import type { FiguresModule } from "./module";
import { Painter } from "./painter";

export interface SurfaceState {
  description: string;
  settings: Record<string, number>;
  results?: { name: string; value: string }[];
  devices?: string[];
  // Of a trace:
  open?: boolean;
  message?: string;
  title?: string;
  size?: number;
  playing?: boolean;
  speeds?: number[];
  blocks?: string[];
  views?: { id: string; name: string }[];
}

export enum PointerKind {
  move,
  down,
  up,
  leave,
  wheel,
}

// By KeyboardEvent.key: KeyCode of visualizer/app/keys.h. Other keys of one letter are characters (0).
const key_codes: Record<string, number> = {
  ArrowLeft: 1,
  ArrowRight: 2,
  ArrowUp: 3,
  ArrowDown: 4,
  Home: 5,
  End: 6,
  Escape: 7,
  Enter: 9,
  Backspace: 10,
};

export class Surface {
  private readonly page: number;
  private readonly painter: Painter;

  constructor(
    private readonly module: FiguresModule,
    kind: string,
    context: CanvasRenderingContext2D,
  ) {
    this.page = this.withText(kind, (text) => module._ridge_create(text));
    if (!this.page) throw new Error(`there is no figure of the kind "${kind}"`);
    this.painter = new Painter(context);
  }

  destroy() {
    this.module._ridge_destroy(this.page);
  }

  open(bytes: Uint8Array, name: string): boolean {
    const address = this.module._malloc(bytes.length);
    if (!address && bytes.length) throw new Error(`there is no memory for the ${bytes.length} bytes of ${name}`);
    this.module.HEAPU8.set(bytes, address);
    const opened = this.withText(name, (text) => this.module._ridge_open(this.page, address, bytes.length, text));
    this.module._free(address);
    return opened !== 0;
  }

  // True: something moves, so another picture is due.
  draw(width: number, height: number, ratio: number, dark: boolean, seconds: number): boolean {
    const moving = this.module._ridge_draw(this.page, width, height, dark ? 1 : 0, 1, seconds);
    const words = this.module._ridge_command_words(this.page);
    this.painter.paint(this.module.HEAPU8.buffer as ArrayBuffer, this.module._ridge_commands(this.page), words, ratio);
    return moving !== 0;
  }

  // True: the key had a meaning. Those with Control, Alt or Meta and Tab are the browser's.
  key(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.altKey || event.metaKey) return false;
    const code = key_codes[event.key] ?? (event.key.length === 1 ? 0 : -1);
    if (code < 0) return false;
    const character = code === 0 ? event.key.toLowerCase().charCodeAt(0) : 0;
    if (character > 126) return false;
    return this.module._ridge_key(this.page, code, character, event.shiftKey ? 1 : 0) !== 0;
  }
  press(character: string) {
    this.module._ridge_key(this.page, 0, character.charCodeAt(0), 0);
  }

  pointer(kind: PointerKind, x: number, y: number, wheel = 0, shift = false) {
    this.module._ridge_pointer(this.page, kind, x, y, wheel, shift ? 1 : 0);
  }

  set(name: string, value: number): boolean {
    return this.withText(name, (text) => this.module._ridge_set(this.page, text, value)) !== 0;
  }

  stateText(): string {
    return this.module.UTF8ToString(this.module._ridge_state(this.page));
  }

  private withText<Result>(text: string, use: (address: number) => Result): Result {
    const bytes = new TextEncoder().encode(text + "\0");
    const address = this.module._malloc(bytes.length);
    this.module.HEAPU8.set(bytes, address);
    try {
      return use(address);
    } finally {
      this.module._free(address);
    }
  }
}
