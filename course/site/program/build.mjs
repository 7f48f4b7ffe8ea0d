// Builds the site in a work folder: installs VitePress there, writes the pages, makes what the figures need.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { with_lock } from "./lock.mjs";
import { first_line, run_logged, wanted_program } from "./processes.mjs";
import { Trouble } from "./trouble.mjs";

export { Trouble };

// What the site is made of. labs/ is not in the list: a student edits there.
const kSources = ["course", "solutions", "labs/include", "visualizer", "warp_model", "trace"];

// The youngest time of change under a folder, in milliseconds.
export function newest_ms(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  return readdirSync(path)
    .filter((name) => name !== "__pycache__" && name !== "node_modules")
    .reduce((newest, name) => Math.max(newest, newest_ms(join(path, name))), found.mtimeMs);
}

function is_due({ root, work }) {
  const built = statSync(join(work, ".built"), { throwIfNoEntry: false });
  return !built || !existsSync(join(work, "dist/index.html")) || kSources.some((folder) => newest_ms(join(root, folder)) > built.mtimeMs);
}

// npm's packages in the work folder: fetched once, and again after a change of package-lock.json.
async function install(work, say) {
  const lock = readFileSync(join(work, "package-lock.json"), "utf8");
  const stamp = join(work, ".installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  await wanted_program("npm", "Node.js 18 or newer with npm is missing. Install it: sudo apt-get install nodejs npm");
  say("npm fetches what builds the site (once, about 100 MB on the disk)");
  const log = join(work, "npm.log");
  if ((await run_logged("npm", ["ci", "--no-progress"], { cwd: work, log })) !== 0) {
    const why = first_line(log, /(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ECONNRESET|CERT|E40\d|E50\d|EACCES|ENOSPC|EINTEGRITY).*/);
    throw new Trouble(`npm could not fetch the site's libraries${why ? `: ${why}` : ""}. The first build needs the network, later ones do not. The whole log is ${log}`);
  }
  writeFileSync(stamp, lock);
}

// What the moving figures need. Without it the site shows the same figures as still pictures.
async function make_figures({ root, work }, say) {
  if (process.env.RIDGE_SITE_SAMPLE) return; // tests of a few pages
  const programs = [
    ["visualizer/web/build.sh", [join(work, "src/public/wasm")], "the program of the moving figures"],
    ["course/figures/make_traces.sh", [join(work, "src/public/traces"), join(root, "build/release")], "the recordings of the moving figures"],
  ];
  for (const [script, words, what] of programs) {
    if (!existsSync(join(root, script))) continue;
    say(`making ${what}`);
    const log = join(work, `${script.split("/").at(-1)}.log`);
    if ((await run_logged(join(root, script), words, { cwd: root, log })) === 0) continue;
    say(`${what} could not be made, so figures are still pictures: ${readFileSync(log, "utf8").trim().split("\n").at(-1)}`);
    return;
  }
}

async function run_step(work, log, program, words, environment, what) {
  if ((await run_logged(program, words, { cwd: work, log, environment })) === 0) return;
  const why = first_line(log, /^.*(?:Error: |dead link|build error: .|^\[vitepress\] ).*$/m);
  throw new Trouble(`${what}${why ? `: ${why}` : ""}. The whole log is ${log}`);
}

function assemble_pages({ root, work }) {
  return run_step(work, join(work, "assemble.log"), process.execPath, [join(work, "program/assemble/assemble.mjs"), root, work], {}, "the pages could not be put together");
}

async function build_pages(places, base, output, say) {
  say("building the pages");
  const { work } = places;
  await assemble_pages(places);
  const vitepress = join(work, "node_modules/vitepress/bin/vitepress.js");
  await run_step(work, join(work, "build.log"), process.execPath, [vitepress, "build", work, "--outDir", output], { RIDGE_ROOT: places.root, RIDGE_SITE_BASE: base }, "the site could not be built");
}

// Copies course/site to the work folder, with its times; what was removed there goes here too.
function copy_site({ root, work }) {
  mkdirSync(work, { recursive: true });
  for (const name of [".vitepress", "program", "public"]) rmSync(join(work, name), { recursive: true, force: true });
  for (const name of readdirSync(work).filter((one) => one.endsWith(".md"))) rmSync(join(work, name));
  cpSync(join(root, "course/site"), work, { recursive: true, filter: (file) => !file.includes("node_modules") });
}

function check_node() {
  const [major] = process.versions.node.split(".");
  if (Number(major) < 18) throw new Trouble(`Node.js ${process.versions.node} is too old for the site: it needs 18 or newer. Install one: https://nodejs.org`);
}

async function build(places, say) {
  check_node();
  const started_ms = Date.now();
  const is_first = !existsSync(join(places.work, ".built"));
  say(is_first ? "first use: building the course's site" : "the course has changed: building its site again");
  copy_site(places);
  await install(places.work, say);
  await make_figures(places, say);
  const fresh = join(places.work, "dist.new");
  await build_pages(places, "/", fresh, say);
  rmSync(join(places.work, "dist"), { recursive: true, force: true });
  renameSync(fresh, join(places.work, "dist"));
  writeFileSync(join(places.work, ".built"), `${started_ms}\n`);
  say(`built in ${Math.round((Date.now() - started_ms) / 1000)} s; from now on it starts at once`);
}

// Writes the Markdown of the site's pages, for what is printed from them.
export async function written_pages(places, say) {
  await with_lock(places.work, say, async () => {
    check_node();
    copy_site(places);
    await install(places.work, say);
    await assemble_pages(places);
  });
}

// The folder of the built site, built anew when a source is newer. When that fails and there is an older one, says so
// and returns the older one.
export async function fresh_site(places, say) {
  if (is_due(places))
    await with_lock(places.work, say, async () => {
      if (!is_due(places)) return; // another ridge course has built it meanwhile
      try {
        await build(places, say);
      } catch (error) {
        if (!(error instanceof Trouble) || !existsSync(join(places.work, "dist/index.html"))) throw error;
        say(`${error.message}\nridge: showing the site as it was built before`);
      }
    });
  return join(places.work, "dist");
}

// `ridge course --build DIR`: replaces a folder only if it is empty or holds such a site.
export async function write_site(places, { build: folder, base }, say) {
  const target = resolve(folder);
  const there = existsSync(target) ? readdirSync(target) : [];
  if (there.length && !there.includes("hashmap.json")) throw new Trouble(`${folder} holds other files, which the site would replace. Name an empty or a new folder`);
  let site = await fresh_site(places, say);
  if (base !== "/") {
    site = join(places.work, "dist.base");
    await with_lock(places.work, say, () => build_pages(places, base, site, say));
  }
  try {
    rmSync(target, { recursive: true, force: true });
    cpSync(site, target, { recursive: true });
  } catch (error) {
    throw new Trouble(`${folder} could not be written: ${error.message}`);
  }
}
