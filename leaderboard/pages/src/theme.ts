// Dark or light: the system's choice until somebody chooses.
import { ref } from "vue";

export type Theme = "light" | "dark";

export const theme = ref<Theme>("light");

export function savedTheme(): Theme {
  const saved = localStorage.getItem("theme");
  if (saved === "light" || saved === "dark") return saved;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function applyTheme(chosen: Theme) {
  theme.value = chosen;
  document.documentElement.dataset.theme = chosen;
}

export function toggleTheme() {
  const chosen = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem("theme", chosen);
  applyTheme(chosen);
}
