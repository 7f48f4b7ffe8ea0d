// The kit's unit for systemd, as systemd-analyze checks it, and what it starts.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ClassServer, freePort, root, scratchFolder, writeClass } from "./class_server.mjs";

const folder = scratchFolder();
const kit = join(folder, "kit");
execFileSync(join(process.env.RIDGE_BINARIES, "ridge-class"), ["kit", kit, "--no-slides"], { env: { ...process.env, RIDGE_ROOT: root } });
const unit = join(folder, "ridge-class.service");
const as_written = readFileSync(join(kit, "ridge-class.service"), "utf8");
const text = as_written.replaceAll("/srv/ridgepoint", root).replaceAll("/srv/class", join(folder, "class"));
const verified = (changed) => {
  writeFileSync(unit, changed);
  const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", unit], { encoding: "utf8" });
  return { status, printed: stdout + stderr };
};
assert.deepEqual(verified(text), { status: 0, printed: "" });
assert.match(verified(text.replace("Restart=", "Restarts=")).printed, /Restarts/);
assert.notEqual(verified(text.replaceAll(`${root}/ridge`, `${root}/not-there`)).status, 0);

// The command of ExecStart, with a class of its own, ends as systemd ends it.
const [, command] = /^ExecStart=(.*)$/m.exec(text);
const [program, ...words] = command.split(" ");
const server = new ClassServer(folder, await freePort());
const class_file = writeClass(join(folder, "class"), server.port, "workers = 0");
assert.deepEqual([program, ...words], [join(root, "ridge"), "class", "serve", class_file]);
server.class_file = class_file;
server.program = join(process.env.RIDGE_BINARIES, "ridge"); // what the start script hands over to
server.before = ["class"];
await server.start();
assert.equal((await fetch(server.url + "/healthz")).status, 200);
server.process.kill("SIGTERM"); // systemd's KillSignal
assert.equal(await server.ended, 0, server.printed);
console.log("unit: the kit's ridge-class.service is without complaint by systemd-analyze, and its command serves and ends");
process.exit(0);
