// The address after #: "#/board/demo/coalescing" is ["board", "demo", "coalescing"].
import { ref } from "vue";

function parts(): string[] {
  return location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
}

export const route = ref<string[]>(parts());

addEventListener("hashchange", () => {
  route.value = parts();
  window.scrollTo(0, 0);
});

export function go(...to: (string | number)[]) {
  location.hash = "#/" + to.map((part) => encodeURIComponent(String(part))).join("/");
}

export function link(...to: (string | number)[]): string {
  return "#/" + to.map((part) => encodeURIComponent(String(part))).join("/");
}
