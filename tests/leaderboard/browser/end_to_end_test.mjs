// From joining to the verdict, with the real `ridge` and a real worker in its sandbox on the virtual GPU: a file that
// passes, and one whose host code tries to reach the server.
import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { getPriority } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { rowsOf } from "./database.mjs";
import { ClassServer, freePort, root, scratchFolder, sleep } from "./class_server.mjs";

const run = promisify(execFile);
const folder = scratchFolder();
const server = new ClassServer(folder, await freePort(), ["--workers", "1", "--students", "3", "--submissions", "9"]);
await server.start();

// A second clone, as far as a student's `ridge` needs it.
const clone = join(folder, "clone");
mkdirSync(clone);
for (const name of ["labs", "solutions", "CMakeLists.txt"]) cpSync(join(root, name), join(clone, name), { recursive: true });
symlinkSync(join(root, "course"), join(clone, "course"));
const ridge = async (...words) => {
  try {
    const { stdout, stderr } = await run(join(process.env.RIDGE_BINARIES, "ridge"), words, { env: { ...process.env, RIDGE_ROOT: clone }, cwd: clone });
    return { status: 0, text: stdout + stderr };
  } catch (error) {
    return { status: error.code, text: error.stdout + error.stderr };
  }
};

assert.equal((await ridge("submit", "02/1")).status, 2);
const joined = await ridge("class", "join", server.url, server.secrets.classes[0].join_code, "--name", "Eve");
assert.equal(joined.status, 0, joined.text);
cpSync(join(root, "solutions/02-coalescing/1-unit-stride.cu"), join(clone, "labs/02-coalescing/1-unit-stride.cu"));
assert.equal((await ridge("hint", "02/1")).status, 0);
const passed = await ridge("submit", "02/1");
assert.equal(passed.status, 0, passed.text + server.printed);
assert.match(passed.text, /PASS {2}02-coalescing\/1-unit-stride/);
assert.match(passed.text, /graded by the class server on H200 \(virtual\)/);
assert.match((await ridge("class", "status")).text, /02-coalescing\/1-unit-stride +PASS/);

assert.deepEqual(rowsOf(join(folder, "class/class.db"), "SELECT rung, shown FROM hints WHERE rung LIKE '02-coalescing/1%' ORDER BY person_id DESC LIMIT 1"), [["02-coalescing/1-unit-stride", 1]]);

// The trace comes after the grade, for the student only, and `ridge` can read it.
const own = JSON.parse(readFileSync(join(clone, ".ridge/class.json"), "utf8")).token;
const first_number = Number(/submission (\d+)/.exec(passed.text)[1]);
let trace;
for (let i = 0; i < 150 && !trace?.ok; ++i) {
  await sleep(200);
  trace = await fetch(`${server.url}/api/v1/submissions/${first_number}/trace`, { headers: { Authorization: `Bearer ${own}` } });
}
assert.equal(trace.status, 200, server.printed);
const trace_file = join(folder, "submission.rtrace");
writeFileSync(trace_file, Buffer.from(await trace.arrayBuffer()));
const printed = await ridge("trace", "--print", trace_file);
assert.equal(printed.status, 0, printed.text);
assert.match(printed.text, /block/);

// `u` in watch mode hands in what the file holds, and shows the server's verdict.
cpSync(join(root, "solutions/01-kernel-basics/1-vector-add.cu"), join(clone, "labs/01-kernel-basics/1-vector-add.cu"));
const watching = spawn("script", ["-qfec", `stty cols 110 rows 45; exec '${join(process.env.RIDGE_BINARIES, "ridge")}' watch 01/1`, "/dev/null"], {
  env: { ...process.env, RIDGE_ROOT: clone, TERM: "xterm" },
  cwd: clone,
  stdio: ["pipe", "pipe", "ignore"],
});
let screen = "";
watching.stdout.on("data", (text) => (screen += text));
const sees = async (pattern) => {
  const begun = performance.now();
  while (!pattern.test(screen)) {
    if (performance.now() - begun > 90_000) throw new Error(`watch mode does not show ${pattern}:\n${screen.slice(-3000)}\n${server.printed}`);
    await sleep(50);
  }
};
await sees(/submit/);
watching.stdin.write("u");
await sees(/Handed in as submission \d+ for basics, late: it counts 70%/);
await sees(/graded by the class server on H200 \(virtual\)/);
watching.stdin.write("q");
await new Promise((done) => watching.on("exit", done));
assert.match((await ridge("class", "status")).text, /01-kernel-basics\/1-vector-add +PASS/);

// kill -9 of the real worker in the middle of a grading: the server starts another, and the next attempt is graded.
const handed_in = await ridge("submit", "02/1", "--no-wait");
const number = Number(/submission (\d+)/.exec(handed_in.text)[1]);
const { token } = JSON.parse(readFileSync(join(clone, ".ridge/class.json"), "utf8"));
const look = async () => (await server.ask("GET", `/submissions/${number}`, token)).body;
while ((await look()).state === "queued") await sleep(5);
const processes = spawnSync("ps", ["-eo", "pid,args"], { encoding: "utf8" }).stdout.split("\n");
const worker = processes.find((line) => line.includes("ridge-class worker") && line.includes(server.url));
process.kill(Number(worker.trim().split(/\s+/)[0]), "SIGKILL");
const killed_at = performance.now();
let after;
do {
  await sleep(100);
  after = await look();
} while (after.state !== "graded" && performance.now() - killed_at < 60_000);
assert.equal(after.grade?.attempt, 2, JSON.stringify(after.events));
assert.equal(after.grade.verdict, "PASS");

// A listener in the place of the server: nothing may arrive.
let reached = 0;
const listener = createServer((socket) => {
  ++reached;
  socket.destroy();
});
await new Promise((done) => listener.listen(0, "127.0.0.1", done));
const source = readFileSync(join(root, "solutions/02-coalescing/1-unit-stride.cu"), "utf8");
const probe = `#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>
static void reach() {
  for (int port : {${listener.address().port}, ${server.port}}) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s >= 0 && connect(s, (sockaddr*)&to, sizeof to) == 0) write(s, "GET / HTTP/1.0\\r\\n\\r\\n", 18);
  }
}
static int reached = (reach(), 0);
`;
writeFileSync(join(clone, "labs/02-coalescing/1-unit-stride.cu"), probe + source);
const tried = await ridge("submit", "02/1");
assert.equal(reached, 0, "a student's file reached the network from the sandbox");
assert.match(tried.text, /(PASS|SUSPECT|LAUNCH ERROR|COMPILE ERROR) {2}02/, tried.text);
listener.close();

// The worker never had root, and the result says in what sandbox the code ran.
const workers = spawnSync("ps", ["-eo", "user:20,args"], { encoding: "utf8" }).stdout.split("\n").filter((line) => line.includes("ridge-class worker") && line.includes(server.url));
assert.equal(workers.length, 1);
assert.ok(!workers[0].startsWith("root"), workers[0]);
const nice = spawnSync("ps", ["-eo", "ni,args"], { encoding: "utf8" }).stdout.split("\n").find((line) => line.includes("ridge-class worker") && line.includes(server.url));
const priority = Math.min(getPriority() + 10, 19); // 10 steps behind the server, which has this test's
assert.ok(Number(nice.trim().split(/\s+/)[0]) >= priority, `the worker competes with the server: ${nice}`);

// A backup while the server runs, put in the place of the database: the grades are there, and tokens still work.
const class_file = join(folder, "class/class.toml");
const copy = join(folder, "backup.db");
const backed_up = spawnSync(join(process.env.RIDGE_BINARIES, "ridge-class"), ["backup", class_file, copy], { env: { ...process.env, RIDGE_ROOT: root }, encoding: "utf8" });
assert.equal(backed_up.status, 0, backed_up.stderr);
await server.stop();


// The log: one JSON object per line, from start to end, without source code.
const log = readFileSync(join(folder, "class/class.log"), "utf8");
const events = log.trim().split("\n").map((line) => JSON.parse(line).event);
for (const event of ["server.started", "student.joined", "submission.received", "attempt.leased", "grade.accepted", "worker.ended", "attempt.lost", "request"])
  assert.ok(events.includes(event), `the log has no ${event}`);
assert.equal(events.at(-1), "server.ended");
assert.ok(!log.includes("__global__") && !log.includes("sockaddr"));

for (const name of ["class.db", "class.db-wal", "class.db-shm"]) rmSync(join(folder, "class", name), { force: true });
cpSync(copy, join(folder, "class/class.db"));
server.words = ["--workers", "0"];
await server.start();
assert.equal((await server.ask("GET", `/submissions/${first_number}`, own)).body.grade.verdict, "PASS");
await server.stop();

// Where there is no bubblewrap a worker refuses to start, and says what to do.
const refused = spawnSync("bwrap", ["--dev-bind", "/", "/", "--ro-bind", "/dev/null", "/usr/bin/bwrap", join(process.env.RIDGE_BINARIES, "ridge-class"), "worker", "--server", server.url, "--name", "w", "--clone", root, "--scratch", join(folder, "w")], {
  input: "token\n",
  encoding: "utf8",
  timeout: 30_000,
});
assert.equal(refused.status, 3, refused.stderr);
assert.match(refused.stderr, /refuses to start without a sandbox.*\n.*--unsafe/s);

// --unsafe is told to every page.
const unsafe = new ClassServer(scratchFolder(), await freePort(), ["--workers", "0", "--students", "2", "--submissions", "4", "--unsafe"]);
await unsafe.start();
assert.match((await unsafe.ask("GET", "/session")).body.unsafe, /without a sandbox/);
await unsafe.stop();
console.log(`end to end: ${passed.text.split("\n").find((line) => line.includes("graded by"))?.trim()}`);
process.exit(0);
