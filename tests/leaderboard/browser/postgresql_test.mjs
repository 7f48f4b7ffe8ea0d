// Two servers on one PostgreSQL database: a board that moves on one is told to the streams of the other. A class that
// moves there from SQLite while it is served and students hand in. And a backup meanwhile, restored into a new database.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ClassServer, freePort, root, scratchFolder, sleep, writeClass } from "./class_server.mjs";

const rung = "02-coalescing/4-transpose-tiled";
const database = process.env.RIDGE_TEST_DATABASE;

async function started(folder, settings) {
  const server = new ClassServer(folder, await freePort(), ["--log", join(folder, "class.log")]);
  server.class_file = writeClass(join(folder, "class"), server.port, `workers = 0\n${settings}`);
  await server.start();
  return server;
}
// Without waiting in this process, whose students go on.
async function ridgeClass(...words) {
  const running = spawn(join(process.env.RIDGE_BINARIES, "ridge-class"), words, { env: { ...process.env, RIDGE_ROOT: root } });
  let told = "";
  for (const stream of [running.stdout, running.stderr]) stream.on("data", (text) => (told += text));
  assert.equal(await new Promise((done) => running.on("exit", done)), 0, told);
}

// A class on SQLite, whose students go on while it moves.
const folder = scratchFolder();
const first = await started(folder, "");
const { token } = await first.join("Ada");
const acknowledged = new Set();
let over = false;
let refused = 0;
const students = [await first.join("Bob"), await first.join("Cem")].map(async (student) => {
  for (let i = 0; !over; ++i) {
    try {
      const answer = await first.submit(student.token, rung, `// ${i}\n`);
      if (answer.status === 201) acknowledged.add(answer.body.submission);
      if (answer.status === 503) ++refused;
    } catch {
      ++refused; // the server changes over
    }
    await sleep(120);
  }
});
await sleep(400);
await ridgeClass("migrate", first.class_file, database);
const before = acknowledged.size;
for (let i = 0; acknowledged.size <= before && i < 200; ++i) await sleep(50);

// What was acknowledged before the backup began is in it.
const in_backup = [...acknowledged];
const copy = join(folder, "backup.db");
await ridgeClass("backup", first.class_file, copy);
over = true;
await Promise.all(students);
assert.ok(acknowledged.size > before, `nothing was handed in after the move:\n${first.printed}`);
assert.match(readFileSync(first.class_file, "utf8"), /\ndatabase = "postgresql:/);
for (const id of acknowledged) assert.equal((await first.boss("GET", `/submissions/${id}`)).status, 200, `submission ${id} was acknowledged and is lost`);

// A second server on the same database; its stream hears what the first one takes.
const second = await started(join(folder, "two"), `database = "${database}"`);
first.secrets = JSON.parse(readFileSync(first.secrets_file, "utf8")); // of its second start
const closing = new AbortController();
const heard = new Promise((done) => {
  fetch(`${second.url}/api/v1/classes/demo/events`, { headers: { Authorization: `Bearer ${token}` }, signal: closing.signal })
    .then(async (answer) => {
      for await (const chunk of answer.body) if (Buffer.from(chunk).includes("event: board")) return done(performance.now());
    })
    .catch(() => {});
});
await sleep(200);
const submitted = await first.submit(token, rung, "// last\n");
assert.equal(submitted.status, 201);
while ((await first.gradeOne(() => "PASS")).submission !== submitted.body.submission);
const graded = performance.now();
const late_ms = Math.max(0, (await Promise.race([heard, sleep(5000).then(() => Infinity)])) - graded);
assert.ok(late_ms < 1000, `the other server's stream heard of the grade after ${late_ms} ms`);
const board = (await second.ask("GET", "/classes/demo/assignments/coalescing/board", token)).body;
const own = (await first.ask("GET", "/session", token)).body.person.board_key;
assert.ok(board.boards[0].rows.some((row) => row.key === own), "a row's key differs between the servers");
closing.abort();
await first.stop();
await second.stop();

execFileSync("psql", ["--quiet", "--dbname", database, "--command", "CREATE DATABASE restored"]);
const restored = new ClassServer(join(folder, "three"), await freePort(), ["--log", join(folder, "three.log")]);
restored.class_file = writeClass(join(folder, "three"), restored.port, `workers = 0\ndatabase = "${copy}"`);
await ridgeClass("migrate", restored.class_file, database.replace("/ridge?", "/restored?"));
await restored.start();
await restored.joinCode(); // signs the instructor in
assert.ok(in_backup.length >= before);
for (const id of in_backup) assert.equal((await restored.boss("GET", `/submissions/${id}`)).status, 200, `submission ${id} is not in the backup`);
assert.equal((await restored.ask("GET", "/session", token)).body.person.name, "Ada");
await restored.stop();
console.log(`postgresql: a class of ${before} submissions moved while it was served (${refused} refused meanwhile); two servers, the board moved on the other; a backup of ${in_backup.length} restored`);
process.exit(0);
