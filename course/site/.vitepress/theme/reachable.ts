// Wide code becomes a little smaller, and scrolls sideways where that is not enough, as tables and pictures do. A
// keyboard scrolls only what has the focus, so these can get it.
const kSmallest_px = 11;

function fit_code(code: HTMLElement) {
  const box = code.parentElement as HTMLElement;
  code.style.fontSize = "";
  const size = parseFloat(getComputedStyle(code).fontSize);
  const fitting = (size * box.clientWidth) / Math.max(box.scrollWidth, 1);
  if (fitting < size && fitting >= kSmallest_px) code.style.fontSize = `${Math.floor(fitting * 4) / 4}px`;
}

export function make_tables_reachable() {
  if (typeof window === "undefined") return;
  requestAnimationFrame(() => {
    document.querySelectorAll<HTMLElement>(".vp-doc pre > code").forEach(fit_code);
    const pictures = [...document.querySelectorAll<HTMLElement>(".vp-doc p > img:only-child, .question-picture > img")];
    const boxes = document.querySelectorAll<HTMLElement>(".vp-doc pre, .vp-doc table, .vp-doc .math-block");
    for (const box of [...boxes, ...pictures.map((picture) => picture.parentElement as HTMLElement)]) {
      if (box.scrollWidth <= box.clientWidth + 1) {
        if (box.dataset.reachable) box.removeAttribute("tabindex");
        continue;
      }
      box.tabIndex = 0;
      box.dataset.reachable = "yes";
    }
  });
}

if (typeof window !== "undefined") window.addEventListener("resize", make_tables_reachable);
