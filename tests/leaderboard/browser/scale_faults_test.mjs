// Two servers on one PostgreSQL database, batch jobs on a Slurm cluster and workers that pull, under load, while
// whatever there is is killed at random: servers, workers, connections of PostgreSQL and its processes, slurmctld, slurmd
// and jobs. No acknowledged submission is lost, every attempt has at most one grade, exactly one is in force, and nothing
// waits for longer than a lease once the killing is over. KILLS=200 RESULT=FILE for the whole of it.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { ClassServer, freePort, scratchFolder, sleep, writeClass } from "./class_server.mjs";

const kills = Number(process.env.KILLS ?? 12);
const lease_s = 60;
const database = process.env.RIDGE_TEST_DATABASE;
const cluster = process.env.RIDGE_TEST_SLURM;
const rungs = ["02-coalescing/4-transpose-tiled", "01-kernel-basics/1-vector-add"]; // for workers that pull, and for Slurm
const folder = scratchFolder();
chmodSync(folder, 0o755); // jobs are nobody's

// What a node has instead of ridge-class.
const programs = join(folder, "programs");
mkdirSync(join(programs, "bin"), { recursive: true });
cpSync(join(import.meta.dirname, "slurm_job.mjs"), join(programs, "job.mjs"));
writeFileSync(join(programs, "bin", "ridge-class"), `#!/bin/sh\nexec ${process.execPath} ${programs}/job.mjs "$@"\n`);
chmodSync(join(programs, "bin", "ridge-class"), 0o755);

const servers = [];
for (const name of ["one", "two"]) {
  const server = new ClassServer(join(folder, name), await freePort());
  mkdirSync(server.folder);
  const settings = `workers = "slurm"\ndatabase = "${database}"`;
  server.class_file = writeClass(join(server.folder, "class"), server.port, settings, `[slurm]\nfolder = "${programs}"\npoll_seconds = 1\n[[slurm.target]]\nengine = "gpu:H200"\npartition = "gpu,plain"\ncpus = 1\n[[assignment]]\nname = "gpu"\nrungs = ["01/1"]\nengine = "gpu:H200"\ndue = "2099-01-01 00:00"\n`);
  await server.start();
  servers.push(server);
}
const any = () => servers[Math.floor(servers.length * Math.random())];
const students = [];
for (let i = 0; i < 8; ++i) students.push(await servers[0].join(`s${i}`));

const acknowledged = new Map(); // submission -> the text that was handed in
let over = false, text = 0, unanswered = 0, refused = 0;
async function student({ token }) {
  while (!over) {
    const source = `// text ${++text}\n`;
    try {
      const answer = await any().submit(token, rungs[text % 2], source);
      if (answer.status === 201) acknowledged.set(answer.body.submission, source);
      else ++refused; // 503: the database's connection was killed; 429: enough are open
    } catch {
      ++unanswered; // the server was killed: not acknowledged
    }
    await sleep(3000 + 2000 * Math.random());
  }
}

const workers = new Map();
const accepted = new Map(); // "submission attempt" -> verdict, of the workers that pull
function startWorker(name) {
  const server = any();
  const started = spawn(process.execPath, [join(import.meta.dirname, "faults_worker.mjs"), server.url, server.secrets_file, `far-${name}`]);
  workers.set(name, started);
  createInterface({ input: started.stdout }).on("line", (line) => {
    const [word, submission, attempt, verdict] = line.split(" ");
    if (word !== "accepted") return;
    assert.ok(!accepted.has(`${submission} ${attempt}`), "an attempt was accepted twice");
    accepted.set(`${submission} ${attempt}`, verdict);
  });
}
process.on("exit", () => workers.forEach((one) => one.kill("SIGKILL")));

const sql = (statement) =>
  execFileSync("psql", ["--no-align", "--tuples-only", "--quiet", "--dbname", database, "--command", statement], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
    .trim().split("\n").filter(Boolean).map((line) => line.split("|"));
const killed = (pid) => {
  try {
    process.kill(Number(pid), "SIGKILL");
    return true;
  } catch {
    return false;
  }
};
function daemon(name) {
  killed(readFileSync(join(cluster, `${name}.pid`), "utf8"));
  setTimeout(() => execFileSync(join(cluster, "start"), [name]), 300 + 1500 * Math.random());
  return true;
}
const job_processes = () => {
  try {
    return execFileSync("pgrep", ["-f", `${programs}/job.mjs`], { encoding: "utf8" }).trim().split("\n");
  } catch {
    return [];
  }
};
// For the report of a failure: nodes, jobs, and the last lines of the daemons' logs.
function state_of_the_cluster() {
  const say = (command) => spawnSync("sh", ["-c", command], { encoding: "utf8" }).stdout;
  return [say("sinfo --Node --long"), say("squeue --all"), say(`tail -n 12 ${cluster}/*.log ${cluster}/*.printed`)].join("\n");
}
// Each says whether there was something to kill.
const faults = {
  server: async () => {
    const server = any();
    await server.kill();
    await server.start();
    return true;
  },
  worker: async () => {
    const name = "abc"[Math.floor(3 * Math.random())];
    workers.get(name).kill("SIGKILL");
    startWorker(name);
    return true;
  },
  connection: async () => sql("SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity WHERE application_name = 'ridge-class' ORDER BY random() LIMIT 1) one").length > 0,
  postgresql_process: async () => {
    const found = sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'ridge-class' ORDER BY random() LIMIT 1");
    return found.length > 0 && killed(found[0][0]); // PostgreSQL then ends all connections and recovers
  },
  slurmctld: async () => daemon("slurmctld"),
  slurmd: async () => daemon(Math.random() < 0.5 ? "one" : "two"),
  job: async () => {
    const pids = job_processes();
    return pids.length > 0 && killed(pids[Math.floor(pids.length * Math.random())]);
  },
};

// A controller that is killed forgets its latest jobs and gives their numbers again. A node that still runs such a job
// is then drained ("Duplicate jobid") until an administrator resumes it, which this does.
let nodes_resumed = 0;
const administrator = setInterval(() => {
  execFile("sinfo", ["--noheader", "--Node", "--states=drain", "--format=%N"], (_, drained) => {
    for (const node of new Set((drained ?? "").split("\n").filter(Boolean)))
      execFile("scontrol", ["update", `NodeName=${node}`, "State=RESUME"], (error) => (nodes_resumed += error ? 0 : 1));
  });
}, 2000);

// A lease that nobody renews, and a batch job that nobody claims, may be kept for no longer than a lease and a margin,
// whatever else is killed: the servers, too, need time to start again.
const margin_ms = 30_000;
let longest_overrun_ms = 0;
function look_for_stuck_attempts() {
  const now_ms = Date.now();
  const since = `CASE state WHEN 'leased' THEN lease_until_ms ELSE placed_ms + ${lease_s * 1000} END`;
  for (const [submission, attempt, state, ended_ms] of sql(`SELECT submission_id, attempt, state, ${since} FROM jobs WHERE (state = 'leased' OR (state = 'waiting' AND placed <> '')) AND ${since} < ${now_ms}`)) {
    longest_overrun_ms = Math.max(longest_overrun_ms, now_ms - ended_ms);
    assert.ok(now_ms - ended_ms < margin_ms, `attempt ${attempt} of submission ${submission} is ${state} ${now_ms - ended_ms} ms after its lease has ended`);
  }
}

const begun = performance.now();
const working = students.map(student);
for (const name of "abc") startWorker(name);
const done = Object.fromEntries(Object.keys(faults).map((name) => [name, 0]));
const kinds = (process.env.KINDS ?? "server,worker,worker,connection,connection,postgresql_process,slurmctld,slurmd,job,job,job").split(",");
let order = [];
for (let count = 0; count < kills; ) {
  await sleep(150 + 500 * Math.random());
  if (order.length === 0) order = [...kinds].sort(() => Math.random() - 0.5);
  const kind = order.pop();
  try {
    look_for_stuck_attempts();
    if (!(await faults[kind]())) continue;
  } catch (error) {
    if (!/psql|recovery|server/.test(String(error))) throw error;
    continue; // PostgreSQL recovers just now
  }
  ++done[kind];
  ++count;
}
over = true;
await Promise.all(working);
await sleep(2500); // the daemons that were killed last are back
const drained = performance.now();
// A student's submissions are graded one after the other, so the queue may be long; but it must move: a lost attempt
// delays it by a lease, and no longer.
let fewest = Infinity, moved = performance.now(), longest_stall_ms = 0;
while (fewest > 0 && performance.now() - moved < (lease_s + 60) * 1000) {
  await sleep(100);
  let waiting;
  try {
    look_for_stuck_attempts();
    waiting = Number(sql("SELECT count(*) FROM submissions WHERE state IN ('queued', 'running')")[0][0]);
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    continue; // PostgreSQL recovers just now
  }
  if (waiting >= fewest) continue;
  if (fewest !== Infinity) longest_stall_ms = Math.max(longest_stall_ms, performance.now() - moved);
  fewest = waiting;
  moved = performance.now();
}
if (fewest > 0) console.log(state_of_the_cluster());
const drain_ms = performance.now() - drained;
clearInterval(administrator);
await sleep(300);
workers.forEach((one) => one.kill("SIGKILL"));

const stored = new Map(sql("SELECT id, replace(files::json->0->>'text', chr(10), ''), state FROM submissions").map(([id, source, state]) => [Number(id), { source, state }]));
for (const [id, source] of acknowledged) {
  assert.ok(stored.has(id), `submission ${id} was acknowledged and is lost`);
  assert.equal(stored.get(id).source, source.trim());
  assert.equal(stored.get(id).state, "graded", `submission ${id} is ${stored.get(id).state}: ${sql(`SELECT kind, detail FROM events WHERE submission_id = ${id} ORDER BY id`).join("; ")}`);
}
assert.deepEqual(sql("SELECT submission_id, attempt FROM grades GROUP BY submission_id, attempt HAVING count(*) > 1"), []);
assert.deepEqual(sql("SELECT s.id FROM submissions s WHERE (SELECT count(*) FROM grades g WHERE g.submission_id = s.id AND g.in_force = 1) <> 1"), []);
const verdicts = new Map(sql("SELECT submission_id || ' ' || attempt, verdict FROM grades"));
for (const [key, verdict] of accepted) assert.equal(verdicts.get(key), verdict, `the accepted grade of ${key} is not the one stored`);
assert.ok(longest_stall_ms < lease_s * 1000 + margin_ms, `no grade came for ${Math.round(longest_stall_ms / 1000)} s after the last kill`);
const [[by_slurm]] = sql("SELECT count(*) FROM jobs WHERE state = 'done' AND worker LIKE 'slurm/%'");
const [[lost_attempts]] = sql("SELECT count(*) FROM jobs WHERE state = 'lost'");
const told = {
  what: "kill -9 of servers, workers, connections and processes of PostgreSQL, slurmctld, slurmd and jobs at random moments under load; two servers on one PostgreSQL database; jobs and workers stand in for grading",
  command: "KILLS=200 RESULT=leaderboard/measured/scale_faults.json tests/leaderboard/run_node.sh scale_faults_test.mjs",
  kills: done,
  acknowledged: acknowledged.size,
  lost: 0,
  graded_by_slurm_jobs: Number(by_slurm),
  graded_by_workers_that_pull: accepted.size,
  attempts_lost: Number(lost_attempts),
  nodes_drained_by_slurm_and_resumed: nodes_resumed,
  submissions_refused: refused,
  submissions_unanswered: unanswered,
  seconds: Math.round((performance.now() - begun) / 1000),
  last_grade_after_the_last_kill_ms: Math.round(drain_ms),
  longest_time_that_an_attempt_outlived_its_lease_ms: longest_overrun_ms,
  longest_time_without_a_grade_after_it_ms: Math.round(longest_stall_ms),
};
if (process.env.RESULT) writeFileSync(process.env.RESULT, JSON.stringify(told, null, 1) + "\n");
console.log(`scale faults: ${kills} kills, ${acknowledged.size} acknowledged submissions, none lost; ${by_slurm} graded by Slurm jobs, ${accepted.size} by workers that pull`);
for (const server of servers) await server.kill();
process.exit(0);
