// The class's stream of events. The browser reconnects by itself; a server that starts again is asked anew.
import { onUnmounted } from "vue";

export interface Heard {
  board?: () => void;
  submission?: (id: number) => void;
}

export function listen(class_name: string, heard: Heard) {
  const stream = new EventSource(`/api/v1/classes/${encodeURIComponent(class_name)}/events`);
  let opened = false;
  stream.addEventListener("open", () => {
    if (opened) heard.board?.();
    opened = true;
  });
  stream.addEventListener("board", () => heard.board?.());
  stream.addEventListener("submission", (event) => heard.submission?.(JSON.parse((event as MessageEvent).data).submission));
  onUnmounted(() => stream.close());
}

// Several events at once ask once, and again if more came meanwhile.
export function gathered(load: () => Promise<void>): () => void {
  let running = false;
  let again = false;
  return async function run() {
    if (running) {
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      await load();
    } while (again);
    running = false;
  };
}
