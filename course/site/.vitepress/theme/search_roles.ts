// VitePress's search box calls itself a button that holds a list of options with links inside, which screen readers
// cannot follow. It is a dialog with a field and a list of links, and is named so here.
const remove = (element: Element, ...names: string[]) => names.forEach((name) => element.removeAttribute(name));

function name_parts(box: HTMLElement) {
  box.setAttribute("role", "dialog");
  box.setAttribute("aria-modal", "true");
  box.setAttribute("aria-label", "Search");
  remove(box, "aria-labelledby", "aria-expanded", "aria-haspopup", "aria-owns");
  box.querySelectorAll("input[type=search], #localsearch-input").forEach((input) => remove(input, "aria-activedescendant", "aria-autocomplete", "aria-controls"));
  box.querySelectorAll("[role=listbox], [role=option]").forEach((part) => remove(part, "role", "aria-selected", "aria-labelledby"));
  box.querySelectorAll("a.result").forEach((link) => remove(link, "aria-label"));
  box.querySelectorAll("kbd[aria-label]").forEach((key) => key.setAttribute("role", "img"));
}

export function watch_search_box() {
  let inside: MutationObserver | undefined;
  new MutationObserver(() => {
    const box = document.querySelector<HTMLElement>(".VPLocalSearchBox");
    if (!box) {
      inside?.disconnect();
      inside = undefined;
    } else if (!inside) {
      name_parts(box);
      inside = new MutationObserver(() => name_parts(box));
      inside.observe(box, { childList: true, subtree: true });
    }
  }).observe(document.body, { childList: true });
}
