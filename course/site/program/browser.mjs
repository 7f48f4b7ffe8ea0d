// Opens an address in the reader's browser, when there is a display.
import { spawn } from "node:child_process";

export function open_browser(address, environment = process.env) {
  if (!environment.DISPLAY && !environment.WAYLAND_DISPLAY) return false;
  const browser = spawn("xdg-open", [address], { stdio: "ignore", detached: true });
  browser.on("error", () => {}); // there is none: the address was printed
  browser.unref();
  return true;
}
