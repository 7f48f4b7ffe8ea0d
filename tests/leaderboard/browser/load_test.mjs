// How fast the server answers with a term's history, and how soon the board moves. By default a short run with wide
// limits, since other tests run beside it. SCALE=class or SCALE=university with RESULT=FILE for the figures that are
// committed; STORE=postgresql runs it on PostgreSQL.
import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { cpus, loadavg, release, totalmem } from "node:os";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ClassServer, freePort, root, scratchFolder, signIn, sleep } from "./class_server.mjs";
import { ask, machineSeconds, mostMemoryMb, openStream, processesIn, processorSeconds } from "./http_load.mjs";

const scales = {
  short: { students: 200, history: 5000, per_minute: 120, streams: 50, readers: 20, pause_ms: 800, seconds: 8, limit_ms: 1000 },
  class: { students: 200, history: 5000, per_minute: 20, streams: 50, readers: 20, pause_ms: 800, seconds: 120, limit_ms: 100 },
  university: { students: 1000, history: 20_000, per_minute: 50, streams: 1000, readers: 200, pause_ms: 2000, seconds: 150, limit_ms: 150 },
};
const scale_name = process.env.SCALE ?? "short";
const { students: student_count, history, per_minute, streams, readers, pause_ms, limit_ms, ...scale } = scales[scale_name];
const seconds = Number(process.env.LOAD_SECONDS ?? scale.seconds);
const most_memory_mb = 500;
const workers = Number(process.env.WORKERS ?? 0); // real ones, which compile and grade on the same cores; 0: a stand-in
const database = process.env.RIDGE_TEST_DATABASE;
const server = new ClassServer(scratchFolder(), await freePort(), [
  ...["--workers", String(workers), "--students", String(student_count), "--submissions", String(history)],
  ...(database ? ["--database", database] : []),
]);
const started_ms = await server.start();
const boss = await signIn(server, server.secrets.classes[0].instructors[0].link);
const students = [];
for (let i = 0; i < 8; ++i) students.push(await server.join(`load ${i}`));
const bearer = (token) => ({ Authorization: `Bearer ${token}` });

const times = new Map();
let bytes = 0;
async function timed(name, work) {
  const begun = performance.now();
  const answer = await work();
  if (!times.has(name)) times.set(name, []);
  times.get(name).push(performance.now() - begun);
  bytes += answer?.bytes ?? 0;
  return answer;
}
const read = (name, token, path) => timed(name, () => ask(server.url, "GET", path, token ? bearer(token) : {}));

// Open streams: each hears of every change of the board.
let heard_at = [];
const closing = [];
for (let i = 0; i < streams; ++i) closing.push(await openStream(server.url, "/api/v1/classes/demo/events", bearer(students[i % 8].token), (at) => heard_at.push(at)));
await sleep(300);

let over = false;
let submitted = 0;
let refused = 0;
const board_ms = [];
const heard_ms = [];
const solution = readFileSync(join(root, "solutions/02-coalescing/4-transpose-tiled.cu"), "utf8");
// Follows a submission as `ridge submit` does. When a real worker's grade was accepted, on this program's clock; 0: not yet
// when the test ended.
async function graded(token, number) {
  while (!over) {
    const { body } = await timed("submission", () => server.ask("GET", `/submissions/${number}`, token));
    if (body.state === "graded") {
      assert.match(body.grade.verdict, /^(PASS|GOLD)$/, body.grade.summary);
      return body.grade.accepted_ms - performance.timeOrigin;
    }
    await sleep(400);
  }
  return 0;
}
// The board as a browser gets it: the event to all streams, then the board anew.
async function board_after(begun, token) {
  const given_up = performance.now() + 5000;
  const heard = () => heard_at.filter((at) => at >= begun).length;
  while (heard() < streams && performance.now() < given_up) await sleep(2);
  assert.ok(heard() >= streams, `${heard()} of ${streams} streams heard of a grade`);
  heard_ms.push(performance.now() - begun);
  await read("board after a change", token, "/api/v1/classes/demo/assignments/coalescing/board");
  board_ms.push(performance.now() - begun);
  heard_at = heard_at.filter((at) => at >= begun);
}
async function one_submission(i) {
  const { token } = students[i % students.length];
  const text = workers > 0 ? `${solution}\n// ${i}\n` : `// ${i}\n`.repeat(400);
  const answer = await timed("submit", () => server.submit(token, "02-coalescing/4-transpose-tiled", text));
  if (answer.status !== 201) return void ++refused;
  ++submitted;
  const begun = performance.now();
  if (workers > 0) {
    const at = await graded(token, answer.body.submission);
    if (at) await board_after(at, token);
  } else if (await timed("worker: lease and result", () => server.gradeOne(() => "PASS"))) {
    await board_after(begun, token);
  }
}
// At a fixed rate, however long the grading takes.
async function submitting() {
  const open = [];
  const begun = performance.now();
  for (let i = 0; !over; ++i) {
    open.push(one_submission(i));
    await sleep(Math.max(0, begun + ((i + 1) * 60_000) / per_minute - performance.now()));
  }
  await Promise.all(open);
}

async function reading(n) {
  const { token, student } = students[n % students.length];
  const boss_read = (name, path) => timed(name, () => boss("GET", path));
  const instructor = readers <= 20 || n % 10 === 0; // of many readers most are students
  await sleep(pause_ms * Math.random());
  for (let i = 0; !over; ++i) {
    const pick = (i + n) % 7;
    if (pick === 0) await read("page", "", "/");
    if (pick === 1) await read("class", token, "/api/v1/classes/demo");
    if (pick === 2) await read("board", token, "/api/v1/classes/demo/assignments/basics/board");
    if (pick === 3) await read("history", token, `/api/v1/classes/demo/students/${student.id}/history`);
    if (pick === 4) await (instructor ? boss_read("roster", "/classes/demo/students") : read("board", token, "/api/v1/classes/demo/assignments/coalescing/board"));
    if (pick === 5) await (instructor ? boss_read("submissions", "/classes/demo/submissions") : read("history", token, `/api/v1/classes/demo/students/${student.id}/history`));
    if (pick === 6) await (instructor ? boss_read("stuck", "/classes/demo/stuck") : read("session", token, "/api/v1/session"));
    await sleep(pause_ms * (0.5 + Math.random()));
  }
}

const load_before = loadavg()[0];
const own_delay = monitorEventLoopDelay({ resolution: 5 });
own_delay.enable();
const used = () => ({ server: processorSeconds([server.process.pid]), database: database ? processorSeconds(processesIn(process.env.RIDGE_TEST_POSTGRESQL_DATA)) : 0, own: process.cpuUsage(), machine: machineSeconds() });
const before = used();
const begun = performance.now();
const work = [submitting(), ...Array.from({ length: readers }, (_, n) => reading(n))];
await sleep(seconds * 1000);
over = true;
await Promise.all(work);
const took_s = (performance.now() - begun) / 1000;
const after = used();
const per_second = (what) => (what(after) - what(before)) / took_s;
const cores = {
  server: per_second(({ server }) => server),
  database: per_second(({ database }) => database),
  load_generator: per_second(({ own }) => (own.user + own.system) / 1e6),
};
const other_work = Math.max(0, per_second(({ machine }) => machine.used) - cores.server - cores.database - cores.load_generator);
const memory_mb = mostMemoryMb(server.process.pid);
closing.forEach((close) => close());

const at = (list, share) => list[Math.min(list.length - 1, Math.floor(share * list.length))];
const summary = {};
const all = [];
for (const [name, list] of [...times].sort()) {
  list.sort((a, b) => a - b);
  all.push(...list);
  summary[name] = { requests: list.length, median_ms: +at(list, 0.5).toFixed(1), p99_ms: +at(list, 0.99).toFixed(1), most_ms: +list[list.length - 1].toFixed(1) };
}
all.sort((a, b) => a - b);
board_ms.sort((a, b) => a - b);
heard_ms.sort((a, b) => a - b);
const SCHED_RR = 2;
const realtime = Number(readFileSync("/proc/self/stat", "utf8").split(") ").pop().split(" ")[38]) === SCHED_RR;
const settings = [scale_name === "short" ? "" : `SCALE=${scale_name}`, process.env.LOAD_SECONDS ? `LOAD_SECONDS=${seconds}` : "", database ? "STORE=postgresql FSYNC=on" : "", workers > 0 ? `WORKERS=${workers}` : ""].filter(Boolean);
const told = {
  what: `${student_count} students, ${history} submissions in the history, ${per_minute} submissions per minute, ${streams} open event streams, ${readers} readers with ${pause_ms / 1000} s between two requests; ${workers > 0 ? `${workers} local worker${workers > 1 ? "s" : ""} compiling and grading every submission on the same cores` : "grades by a stand-in"}`,
  store: database ? "PostgreSQL 15" : "SQLite",
  command: `${settings.join(" ")} RESULT=${process.env.RESULT ?? "FILE"} ${realtime ? "chrt -r 1 " : ""}tests/leaderboard/run_node.sh load_test.mjs`.trim(),
  machine: `${cpus().length} cores (${cpus()[0].model.trim()}), ${(totalmem() / 2 ** 30).toFixed(0)} GB, Linux ${release()}; the load generator and the database run on the same cores`,
  ...(realtime ? { scheduling: "chrt: all processes of this test go before the other work of the machine, which is in cores_used" } : {}),
  load_average: { before: load_before.toFixed(1), after: loadavg()[0].toFixed(1) },
  seconds: +took_s.toFixed(0),
  start_with_history_ms: Math.round(started_ms),
  submissions: submitted,
  refused,
  requests: all.length,
  mb_per_second: +(bytes / 1e6 / took_s).toFixed(1),
  median_ms: +at(all, 0.5).toFixed(1),
  p99_ms: +at(all, 0.99).toFixed(1),
  board_update_ms: { what: "from sending the grade until all streams heard of it, and until the board was fetched anew", heard_median: Math.round(at(heard_ms, 0.5)), heard_most: Math.round(heard_ms[heard_ms.length - 1]), median: Math.round(at(board_ms, 0.5)), most: Math.round(board_ms[board_ms.length - 1]) },
  server_memory_mb: Math.round(memory_mb),
  cores_used: {
    what: "processor seconds per second; other_work: other processes of this machine; stolen: other machines on its host",
    server: +cores.server.toFixed(3),
    database: +cores.database.toFixed(3),
    load_generator: +cores.load_generator.toFixed(3),
    other_work: +other_work.toFixed(3),
    stolen: +per_second(({ machine }) => machine.stolen).toFixed(3),
  },
  load_generator_late_ms: { p99: Math.round(own_delay.percentile(99) / 1e6), most: Math.round(own_delay.max / 1e6) },
  by_request: summary,
};
if (process.env.VERBOSE) console.log(told);
if (process.env.RESULT) writeFileSync(process.env.RESULT, JSON.stringify(told, null, 1) + "\n");
console.log(`load: ${all.length} requests, median ${told.median_ms} ms, p99 ${told.p99_ms} ms; board update at most ${told.board_update_ms.most} ms; ${told.server_memory_mb} MB`);
assert.ok(submitted > 0 && board_ms.length > 0);
const limits = process.env.RESULT ? [limit_ms, 1000] : [2000, 5000];
assert.ok(told.p99_ms < limits[0], `p99 is ${told.p99_ms} ms`);
assert.ok(told.board_update_ms.most < limits[1], `a board update took ${told.board_update_ms.most} ms`);
assert.ok(memory_mb < most_memory_mb, `the server took ${memory_mb} MB`);
await server.stop();
process.exit(0);
