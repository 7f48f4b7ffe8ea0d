// Wide code and tables scroll sideways. A keyboard scrolls only what has the focus, so these can get it.
export function make_tables_reachable() {
  if (typeof window === "undefined") return;
  requestAnimationFrame(() => {
    for (const box of document.querySelectorAll<HTMLElement>(".vp-doc pre, .vp-doc table, .vp-doc .math-block")) {
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
