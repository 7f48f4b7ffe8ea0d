// Batch jobs that hang on a real cluster: one that never claims its attempt, and one that claims it and then says nothing.
// Both are cancelled when a lease has passed, their processes on the node end, and a further attempt is graded.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ClassServer, freePort, scratchFolder, sleep, writeClass } from "./class_server.mjs";

const lease_s = 60;
const margin_s = 20; // a round of the dispatcher, scancel, and Slurm's own end of a job
const rung = "02-coalescing/4-transpose-tiled";
const folder = scratchFolder();
chmodSync(folder, 0o755); // jobs are nobody's

// What a node has instead of ridge-class. The first attempt of each submission hangs as the file beside it says.
const programs = join(folder, "programs");
mkdirSync(join(programs, "bin"), { recursive: true });
mkdirSync(join(folder, "pids"));
chmodSync(join(folder, "pids"), 0o777);
cpSync(join(import.meta.dirname, "slurm_job.mjs"), join(programs, "job.mjs"));
writeFileSync(
  join(programs, "bin", "ridge-class"),
  `#!/bin/sh
for word; do case $word in slurm/*) name=$word ;; esac; done
rest=\${name#slurm/ridge-*-}
submission=\${rest%%-*}
rest=\${rest#*-}
attempt=\${rest%%-*}
[ "$attempt" = 1 ] && silent="--silent $(cat ${programs}/silent-$submission)"
echo $$ >${folder}/pids/$submission-$attempt
exec ${process.execPath} ${programs}/job.mjs "$@" $silent
`,
);
chmodSync(join(programs, "bin", "ridge-class"), 0o755);
writeFileSync(join(programs, "silent-1"), "unclaimed\n");
writeFileSync(join(programs, "silent-2"), "claimed\n");

const server = new ClassServer(folder, await freePort());
server.class_file = writeClass(join(folder, "class"), server.port, 'workers = "slurm"', `[slurm]\nfolder = "${programs}"\npoll_seconds = 1\n[[slurm.target]]\nengine = "virtual"\npartition = "plain"\ncpus = 1\n`);
await server.start();
const jobs = () => JSON.parse(execFileSync("squeue", ["--json"], { encoding: "utf8", maxBuffer: 1 << 26 })).jobs.filter(({ name }) => name.startsWith("ridge-"));
const state_of = (submission, attempt) => jobs().filter(({ name }) => name.includes(`-${submission}-${attempt}-`)).map(({ job_state }) => String(job_state));
const runs = (submission, attempt) => {
  try {
    process.kill(Number(readFileSync(join(folder, "pids", `${submission}-${attempt}`), "utf8")), 0);
    return true;
  } catch {
    return false;
  }
};

// One submission; returns what it took until its first job was cancelled, and until it was graded.
async function follow(name, expected, log_says) {
  const { token } = await server.join(name);
  const submitted = await server.submit(token, rung, `// ${name}\n`);
  assert.equal(submitted.status, 201, JSON.stringify(submitted));
  const id = submitted.body.submission;
  assert.equal(id, expected);
  const begun = performance.now();
  const passed_s = () => (performance.now() - begun) / 1000;
  const until = async (what, limit_s, check) => {
    while (!(await check())) {
      assert.ok(passed_s() < limit_s, `${what}: not after ${limit_s} s\n${server.printed}\n${JSON.stringify(jobs())}`);
      await sleep(200);
    }
    return passed_s();
  };
  const started = await until("the job starts", 30, () => existsSync(join(folder, "pids", `${id}-1`)));
  assert.ok(runs(id, 1), "the job's process is not there");
  const cancelled = await until("the silent job is cancelled", started + lease_s + margin_s, () => state_of(id, 1).every((state) => state === "CANCELLED"));
  assert.ok(cancelled > started + lease_s - 5, `it was cancelled ${cancelled - started} s after its start: a lease is ${lease_s} s`);
  await until("its process ends", cancelled + margin_s, () => !runs(id, 1));
  const shown = async () => (await server.ask("GET", `/submissions/${id}`, token)).body;
  const graded = await until("the next attempt is graded", cancelled + 2 * margin_s, async () => (await shown()).state === "graded");
  const { grade, events } = await shown();
  assert.equal(grade.attempt, 2);
  assert.match(JSON.stringify(events), log_says);
  return { started, cancelled, graded };
}

const unclaimed = follow("Ada", 1, /did not claim its attempt/);
await sleep(500);
const claimed = follow("Bob", 2, /did not answer for 60 s/);
const [one, two] = await Promise.all([unclaimed, claimed]);
await server.stop();
const told = ({ started, cancelled, graded }) => `cancelled ${(cancelled - started).toFixed(0)} s after its start, graded by the next job ${(graded - cancelled).toFixed(0)} s later`;
console.log(`slurm, silent jobs: never claimed: ${told(one)}; claimed and silent: ${told(two)}`);
process.exit(0);
