// `ridge class pack`: the folder runs a class and grades a submission where neither Node.js nor the clone is there.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ClassServer, freePort, root, scratchFolder, sleep } from "./class_server.mjs";

const folder = scratchFolder();
const packed = join(folder, "packed");
const made = spawnSync(join(process.env.RIDGE_BINARIES, "ridge-class"), ["pack", packed], { env: { ...process.env, RIDGE_ROOT: root }, encoding: "utf8" });
assert.equal(made.status, 0, made.stderr);
const again = spawnSync(join(process.env.RIDGE_BINARIES, "ridge-class"), ["pack", packed], { env: { ...process.env, RIDGE_ROOT: root }, encoding: "utf8" });
assert.equal(again.status, 3);
assert.match(again.stderr, /is there already/);

// RIDGE_ROOT is not set: the start script finds all in its own folder.
const server = new ClassServer(folder, await freePort(), ["--workers", "1", "--students", "2", "--submissions", "4"]);
server.program = join(packed, "ridge");
server.before = ["class"];
server.clone = "";
await server.start();
assert.match(await (await fetch(server.url + "/")).text(), /<div id="app">/);
const { token } = await server.join("Eve");
const submitted = await server.submit(token, "02-coalescing/1-unit-stride", readFileSync(join(root, "solutions/02-coalescing/1-unit-stride.cu"), "utf8"));
assert.equal(submitted.status, 201);
let shown;
const begun = performance.now();
do {
  await sleep(100);
  shown = (await server.ask("GET", `/submissions/${submitted.body.submission}`, token)).body;
} while (!["graded", "failed"].includes(shown.state) && performance.now() - begun < 100_000);
assert.equal(shown.grade?.verdict, "PASS", JSON.stringify(shown.events) + server.printed);
await server.stop();
console.log(`pack: a packed folder serves its pages and grades (${shown.grade.seconds.toFixed(1)} s)`);
process.exit(0);
