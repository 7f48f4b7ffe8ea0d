// Draws a list of commands of visualizer/web/command_canvas.h, which describes its format, onto an HTML canvas.
import { fontOf, setTextMode } from "./module";

enum Command {
  segments = 1,
  polyline,
  curve,
  polygon,
  box,
  frame,
  disc,
  ring,
  text,
  picture,
  image,
  clip,
  unclip,
}
const kept_pictures = 6; // CommandCanvas::kPictures
const aligns: CanvasTextAlign[] = ["left", "center", "right"];

export class Painter {
  private readonly pictures = new Map<number, HTMLCanvasElement>(); // the oldest first
  private readonly colors = new Map<number, string>();
  private readonly decoder = new TextDecoder();

  constructor(private readonly context: CanvasRenderingContext2D) {}

  // `words` commands from byte `begin` of `memory` on. `ratio`: pixels of the screen per CSS pixel.
  paint(memory: ArrayBuffer, begin: number, words: number, ratio: number) {
    const numbers = new Uint32Array(memory, begin, words);
    const floats = new Float32Array(memory, begin, words);
    const bytes = new Uint8Array(memory, begin, words * 4);
    const { context } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    setTextMode(context);
    context.lineJoin = "round";
    context.imageSmoothingEnabled = false;
    let at = 0;
    const f = () => floats[at++];
    const u = () => numbers[at++];
    const path = (count: number) => {
      context.beginPath();
      context.moveTo(f(), f());
      for (let i = 1; i < count; ++i) context.lineTo(f(), f());
    };
    const stroke = () => {
      context.strokeStyle = this.color(u());
      context.lineWidth = f();
    };
    const fill = () => (context.fillStyle = this.color(u()));

    while (at < words) {
      switch (u() as Command) {
        case Command.segments: {
          stroke();
          context.beginPath();
          for (let left = u(); left > 0; --left) {
            context.moveTo(f(), f());
            context.lineTo(f(), f());
          }
          context.stroke();
          break;
        }
        case Command.polyline:
          stroke();
          path(u());
          context.stroke();
          break;
        case Command.curve:
          stroke();
          context.beginPath();
          context.moveTo(f(), f());
          context.bezierCurveTo(f(), f(), f(), f(), f(), f());
          context.stroke();
          break;
        case Command.polygon:
          fill();
          path(u());
          context.fill();
          break;
        case Command.box: {
          fill();
          this.rectangle(f(), f(), f(), f(), f());
          context.fill();
          break;
        }
        case Command.frame:
          stroke();
          this.rectangle(f(), f(), f(), f(), f());
          context.stroke();
          break;
        case Command.disc:
          fill();
          context.beginPath();
          context.arc(f(), f(), f(), 0, 2 * Math.PI);
          context.fill();
          break;
        case Command.ring:
          stroke();
          context.beginPath();
          context.arc(f(), f(), f(), 0, 2 * Math.PI);
          context.stroke();
          break;
        case Command.text: {
          fill();
          const face = u();
          context.textAlign = aligns[u()];
          const size = f();
          const font = fontOf(face, size);
          context.font = font;
          const x = f();
          const y = f() + size * 0.35; // from the middle of the line to its base
          const length = u();
          context.fillText(this.decoder.decode(bytes.subarray(at * 4, at * 4 + length)), x, y);
          at += (length + 3) >> 2;
          break;
        }
        case Command.picture: {
          const key = u();
          const width = u();
          const height = u();
          const pixels = new Uint8ClampedArray(bytes.slice(at * 4, (at + width * height) * 4).buffer);
          at += width * height;
          this.keep(key, new ImageData(pixels, width, height));
          break;
        }
        case Command.image: {
          const picture = this.pictures.get(u());
          const [x, y, width, height] = [f(), f(), f(), f()];
          if (picture) context.drawImage(picture, x, y, width, height);
          break;
        }
        case Command.clip:
          context.save();
          context.beginPath();
          context.rect(f(), f(), f(), f());
          context.clip();
          break;
        case Command.unclip:
          context.restore();
          break;
        default:
          throw new Error(`word ${at - 1} of the figure's commands is no command`);
      }
    }
  }

  private rectangle(x: number, y: number, width: number, height: number, rounding: number) {
    const { context } = this;
    context.beginPath();
    if (rounding > 0) context.roundRect(x, y, width, height, Math.min(rounding, width / 2, height / 2));
    else context.rect(x, y, width, height);
  }

  private color(word: number): string {
    let color = this.colors.get(word);
    if (color === undefined) {
      if (this.colors.size > 4096) this.colors.clear(); // heat colours of many traces
      color = `rgba(${word & 255},${(word >> 8) & 255},${(word >> 16) & 255},${(word >>> 24) / 255})`;
      this.colors.set(word, color);
    }
    return color;
  }

  private keep(key: number, pixels: ImageData) {
    const canvas = document.createElement("canvas");
    canvas.width = pixels.width;
    canvas.height = pixels.height;
    canvas.getContext("2d")!.putImageData(pixels, 0, 0);
    this.pictures.set(key, canvas);
    if (this.pictures.size > kept_pictures) this.pictures.delete(this.pictures.keys().next().value!);
  }
}
