// What the tests of the site share: the built site on a port of its own, and a page that notes every error.
import { strict as assert } from "node:assert";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";

export const site_folder = process.env.RIDGE_SITE;
const { serve } = await import(join(process.env.RIDGE_ROOT, "course/site/program/serve.mjs"));
export const clone = mkdtempSync(join(tmpdir(), "ridge-clone-")); // of the reader; it has joined no class yet
const { server, port } = await serve(site_folder, 0, clone);
export const address = `http://127.0.0.1:${port}/`;
export const errors = [];
const hosts = [address]; // that a page may ask
export const allow = (host) => hosts.push(host);

const axe_source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

export async function new_page(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && errors.push(`${page.url()}: ${message.text()}`));
  page.on("pageerror", (error) => errors.push(`${page.url()}: ${error}`));
  page.on("request", (request) => /^(data|blob):/.test(request.url()) || hosts.some((host) => request.url().startsWith(host)) || errors.push(`${page.url()} asks for ${request.url()}: a reader may have no network`));
  page.on("response", (response) => response.status() >= 400 && errors.push(`${response.url()}: status ${response.status()}`));
  return page;
}

// Opens a page of the site; its scripts have run.
export async function open(page, path) {
  await page.goto(address + path);
  await page.waitForFunction(() => document.querySelector("#app")?.__vue_app__ !== undefined);
  await page.waitForTimeout(50);
}

export async function set_theme(page, theme) {
  await page.evaluate((chosen) => {
    localStorage.setItem("vitepress-theme-appearance", chosen);
    document.documentElement.classList.toggle("dark", chosen === "dark");
  }, theme);
}

// "rule: what: elements" for each violation that axe-core finds.
export async function violations(page) {
  await page.evaluate(axe_source);
  return page.evaluate(async () => {
    const result = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return result.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html.slice(0, 200)).slice(0, 3).join(" | ")}`);
  });
}

// The pages of the built site, as paths.
export function all_pages(folder = "") {
  return readdirSync(join(site_folder, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(join(site_folder, path)).isDirectory()) return path === "assets" || path === "figures" ? [] : all_pages(path);
    return name.endsWith(".html") && name !== "404.html" ? [path] : [];
  });
}

export async function end() {
  assert.deepEqual(errors, [], "errors of scripts and requests");
  await browser.close();
  rmSync(clone, { recursive: true });
  server.close();
  server.closeAllConnections();
}
