// kill -9 of the server, of its workers and of a worker elsewhere at random moments under load: no acknowledged
// submission is lost, every attempt has at most one grade, exactly one is in force, and none is stuck.
// KILLS=100 for the whole of it (RESULT=FILE keeps the figures); by default a short one.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostname } from "node:os";
import { createInterface } from "node:readline";

import { ClassServer, freePort, scratchFolder, sleep } from "./class_server.mjs";
import { rowsOf } from "./database.mjs";

const kills = Number(process.env.KILLS ?? 6);
const folder = scratchFolder();
const server = new ClassServer(folder, await freePort(), ["--workers", "0", "--students", "5", "--submissions", "20"]);
await server.start();

const students = [];
for (let i = 0; i < 8; ++i) students.push(await server.join(`s${i}`));
const acknowledged = new Map(); // submission -> the text that was handed in
const accepted = new Map(); // "submission attempt" -> verdict that the server took
let over = false, text = 0, refused_twice = 0, lost_answers = 0;

async function student({ token }) {
  while (!over) {
    const source = `// text ${++text}\n`;
    try {
      const answer = await server.submit(token, "02-coalescing/4-transpose-tiled", source);
      if (answer.status === 201) acknowledged.set(answer.body.submission, source);
    } catch {
      // the server was killed: not acknowledged
    }
    await sleep(200 + 400 * Math.random());
  }
}

// Workers are processes too. Those of the short run are taken for the server's own, whose jobs a server that starts
// takes back at once; those of the long run are elsewhere, and their jobs come back when the lease runs out.
const kind = kills > 20 ? "far" : `${hostname()}:${server.port}/local`;
const workers = new Map();
function startWorker(name) {
  const started = spawn(process.execPath, [join(import.meta.dirname, "faults_worker.mjs"), server.url, server.secrets_file, `${kind}-${name}`]);
  workers.set(name, started);
  createInterface({ input: started.stdout }).on("line", (line) => {
    const [word, submission, attempt, verdict] = line.split(" ");
    if (word === "refused") ++refused_twice;
    if (word === "unanswered") ++lost_answers;
    if (word !== "accepted") return;
    assert.ok(!accepted.has(`${submission} ${attempt}`), "an attempt was accepted twice");
    accepted.set(`${submission} ${attempt}`, verdict);
  });
}
process.on("exit", () => workers.forEach((one) => one.kill("SIGKILL")));

async function waiting() {
  try {
    const text = await (await fetch(server.url + "/metrics")).text();
    const of = (state) => Number(new RegExp(`submissions\\{state="${state}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
    return of("queued") + of("running");
  } catch {
    return 1;
  }
}

const begun = performance.now();
const working = students.map(student);
for (const name of "abc") startWorker(name);
let worker_kills = 0;
const restarts = [];
for (let i = 0; i < kills; ++i) {
  await sleep(150 + 400 * Math.random());
  if (i % 2 === 0 && i < kills - 1) {
    const name = "abc"[Math.floor(3 * Math.random())];
    workers.get(name).kill("SIGKILL");
    ++worker_kills;
    startWorker(name);
    continue;
  }
  await server.kill();
  restarts.push(await server.start());
}
over = true;
const drained = performance.now();
while ((await waiting()) > 0 && performance.now() - drained < 80_000) await sleep(50);
const drain_ms = performance.now() - drained;
await Promise.all(working);
await sleep(300);
workers.forEach((one) => one.kill("SIGKILL"));
await server.kill();

const rows = (sql) => rowsOf(join(folder, "class", "class.db"), sql);
const stored = new Map(rows("SELECT id, files, state FROM submissions").map(([id, files, state]) => [Number(id), { text: JSON.parse(files)[0].text, state }]));
for (const [id, source] of acknowledged) {
  assert.ok(stored.has(id), `submission ${id} was acknowledged and is lost`);
  assert.equal(stored.get(id).text, source);
  assert.equal(stored.get(id).state, "graded", `submission ${id} is stuck`);
}
assert.deepEqual(rows("SELECT submission_id, attempt FROM grades GROUP BY submission_id, attempt HAVING count(*) > 1"), []);
assert.deepEqual(rows("SELECT s.id FROM submissions s WHERE (SELECT count(*) FROM grades g WHERE g.submission_id = s.id AND g.in_force = 1) <> 1"), []);
const verdicts = new Map(rows("SELECT submission_id || ' ' || attempt, verdict FROM grades").map(([key, verdict]) => [key, verdict]));
for (const [key, verdict] of accepted) assert.equal(verdicts.get(key), verdict, `the accepted grade of ${key} is not the one stored`);
assert.equal(rows("PRAGMA integrity_check")[0][0], "ok");
restarts.sort((a, b) => a - b);
const told = {
  what: "kill -9 of the server and of worker processes at random moments under load; the workers stand in for grading",
  command: "KILLS=100 RESULT=leaderboard/measured/faults.json tests/leaderboard/run_node.sh faults_test.mjs",
  kills,
  of_workers: worker_kills,
  acknowledged: acknowledged.size,
  lost: 0,
  accepted_grades: accepted.size,
  results_refused_as_repeated_or_late: refused_twice,
  answers_lost_in_a_kill: lost_answers,
  seconds: Math.round((performance.now() - begun) / 1000),
  restart_ms: { median: Math.round(restarts[restarts.length >> 1]), most: Math.round(restarts[restarts.length - 1]) },
  last_grade_after_the_last_kill_ms: Math.round(drain_ms),
};
if (process.env.RESULT) writeFileSync(process.env.RESULT, JSON.stringify(told, null, 1) + "\n");
console.log(`faults: ${kills} kills, ${acknowledged.size} acknowledged submissions, none lost, ${accepted.size} grades accepted once each`);
process.exit(0);
