// The kit's Containerfile: an image is built from it, a class is served from a container of it, and its worker grades in
// the sandbox there. Where NVIDIA's image is not on this machine, a Debian made by debootstrap takes its place, which
// sees this machine's CUDA Toolkit; podman keeps it for the next run (podman image rm localhost/ridge-class-test-base).
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ClassServer, freePort, root, scratchFolder, sleep, writeClass } from "./class_server.mjs";

const ridge_class = (...words) => execFileSync(join(process.env.RIDGE_BINARIES, "ridge-class"), words, { env: { ...process.env, RIDGE_ROOT: root } });
const runtime = spawnSync("runc", ["--version"]).status === 0 ? ["--runtime", "runc"] : [];
const podman = (...words) => spawnSync("podman", [...runtime, ...words], { encoding: "utf8", maxBuffer: 1 << 26 });
const name = `ridge-class-test-${process.pid}`;
const folder = scratchFolder();
const kit = join(folder, "kit");
ridge_class("kit", kit, "--no-slides");
ridge_class("pack", join(kit, "packed"));

const file = join(kit, "Containerfile");
const text = readFileSync(file, "utf8");
const [, base] = /^FROM (\S+)$/m.exec(text);
const own_base = "localhost/ridge-class-test-base";
const has_base = podman("image", "exists", base).status === 0;
if (!has_base && podman("image", "exists", own_base).status !== 0) {
  const made = join(process.env.RIDGE_BUILD, "class-tests", "container-base");
  rmSync(made, { recursive: true, force: true });
  const debian = spawnSync("debootstrap", ["--variant=minbase", "--include=g++,ca-certificates", "bookworm", made], { encoding: "utf8" });
  const imported = debian.status === 0 && spawnSync("sh", ["-c", `tar -C '${made}' -c . | podman import - ${own_base}`], { encoding: "utf8" });
  rmSync(made, { recursive: true, force: true });
  if (!imported || imported.status !== 0) {
    console.log(`skipped: ${base} is not here, and debootstrap cannot fetch a Debian: ${(imported || debian).stderr.trim().split("\n").pop()}`);
    process.exit(0);
  }
}
if (!has_base) writeFileSync(file, text.replace(`FROM ${base}`, `FROM ${own_base}`));

// Without a daemon of cgroups: a build server or a virtual machine has none.
const built = podman("build", "--isolation=chroot", "--network=host", "-t", name, "-f", file, kit);
process.on("exit", () => podman("image", "rm", "--force", name));
assert.equal(built.status, 0, built.stdout + built.stderr);

// As the Containerfile's comment says, but for the network: this test's port is this machine's only.
const [, as_told] = /^# +podman run -p 8180:8180 (.*) ridge-class$/m.exec(text);
const data = join(kit, "data");
const port = await freePort();
writeClass(data, port, "workers = 1");
const server = new ClassServer(data, port);
const toolkit = realpathSync("/usr/local/cuda");
server.program = "podman";
server.before = [...runtime, "run", "--rm", "--name", name, "--network=host", "--ulimit=nofile=4000:4000", "--ulimit=nproc=4000:4000"];
server.before.push(...as_told.replace("./data", data).split(" "), ...(has_base ? [] : ["-v", `${toolkit}:/usr/local/cuda:ro`]));
server.before.push(name, "/opt/ridge/ridge", "class");
server.class_file = "/class/class.toml";
server.secrets_there = "/class/secrets.json";
server.words = ["--log", "-"];
process.on("exit", () => podman("rm", "--force", "--time", "0", name));
await server.start();
assert.match(await (await fetch(server.url + "/")).text(), /<div id="app">/);
const { token } = await server.join("Eve");
const submitted = await server.submit(token, "02-coalescing/1-unit-stride", readFileSync(join(root, "solutions/02-coalescing/1-unit-stride.cu"), "utf8"));
assert.equal(submitted.status, 201, JSON.stringify(submitted));
let shown;
const begun = performance.now();
do {
  await sleep(200);
  shown = (await server.ask("GET", `/submissions/${submitted.body.submission}`, token)).body;
} while (!["graded", "failed"].includes(shown.state) && performance.now() - begun < 150_000);
assert.equal(shown.grade?.verdict, "PASS", JSON.stringify(shown.events) + server.printed);
assert.doesNotMatch(server.printed, /without a sandbox/);
assert.equal(podman("exec", name, "id", "--user", "--name").stdout.trim(), "ridge");
assert.ok(existsSync(join(data, "class.db")), "the class is not in the volume");
podman("stop", name);
await server.ended;
assert.match(server.printed, /"event":"server.ended"/);
console.log(`container: the kit's Containerfile on ${has_base ? base : "a Debian by debootstrap"} serves a class and grades in the sandbox (${shown.grade.seconds.toFixed(1)} s)`);
process.exit(0);
