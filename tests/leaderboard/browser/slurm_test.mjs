// A class on Slurm: a submission becomes a batch job on a node, which fetches its programs, grades in the sandbox as
// nobody and returns its result; a GPU is asked for by gres; a job that nobody needs is cancelled.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ClassServer, freePort, root, scratchFolder, sleep, writeClass } from "./class_server.mjs";

const folder = scratchFolder();
const server = new ClassServer(folder, await freePort());
server.class_file = writeClass(
  join(folder, "class"),
  server.port,
  'workers = "slurm"',
  `[[assignment]]\nname = "gpu"\nrungs = ["01/1"]\nengine = "gpu:h200"\ndue = "2099-01-01 00:00"
[slurm]\npoll_seconds = 1\noutput = "/tmp/ridge-slurm-test-${server.port}.txt"
[[slurm.target]]\nengine = "virtual"\npartition = "plain"
[[slurm.target]]\nengine = "gpu:h200"\npartition = "gpu"\ngres = "gpu:h200:1"\n`,
);
await server.start();
const { token } = await server.join("Ada");
const jobs = () => JSON.parse(execFileSync("squeue", ["--json"], { encoding: "utf8", maxBuffer: 1 << 26 })).jobs.filter(({ name }) => name.startsWith("ridge-"));
const shown = async (id) => (await server.ask("GET", `/submissions/${id}`, token)).body;
async function until(what, limit_s, check) {
  const begun = performance.now();
  while (!(await check())) {
    if (performance.now() - begun > limit_s * 1000) assert.fail(`${what}: not after ${limit_s} s\n${server.printed}\n${JSON.stringify(jobs())}`);
    await sleep(100);
  }
  return (performance.now() - begun) / 1000;
}

// Graded on a node.
const solution = readFileSync(join(root, "solutions/02-coalescing/1-unit-stride.cu"), "utf8");
const submitted = await server.submit(token, "02-coalescing/1-unit-stride", solution);
assert.equal(submitted.status, 201);
const took = await until("the grade", 200, async () => ["graded", "failed"].includes((await shown(submitted.body.submission)).state));
const graded = await shown(submitted.body.submission);
assert.equal(graded.grade?.verdict, "PASS", JSON.stringify(graded.events) + server.printed);
assert.ok(graded.events.some(({ kind }) => kind === "attempt.leased"));
const job = jobs()[0];
assert.equal(job.partition, "plain");
assert.equal(job.requeue, false);
assert.equal(job.user_name ?? "nobody", "nobody");
assert.match(job.name, new RegExp(`-${submitted.body.submission}-1-`));

// A GPU by gres: there is none behind the device file, so the job cannot claim the attempt, and says so by ending.
const on_gpu = await server.submit(token, "01-kernel-basics/1-vector-add", "// x\n");
assert.equal(on_gpu.status, 201, JSON.stringify(on_gpu));
await until("a job with a GPU", 60, () => jobs().some((one) => one.name.includes(`-${on_gpu.body.submission}-`) && /gpu/.test(JSON.stringify([one.tres_req_str, one.tres_per_node, one.gres_detail]))));

// A student who is deleted: the jobs in Slurm are cancelled.
execFileSync("scontrol", ["update", "PartitionName=plain", "State=DOWN"]);
const other = await server.join("Bob");
const waiting = await server.submit(other.token, "02-coalescing/1-unit-stride", solution);
const of_other = () => jobs().filter(({ name }) => name.includes(`-${waiting.body.submission}-`));
await until("a job that waits", 60, () => of_other().some(({ job_state }) => String(job_state) === "PENDING"));
await server.joinCode();
assert.equal((await server.boss("DELETE", `/classes/demo/students/${other.student.id}`, {})).status, 200);
await until("the job is cancelled", 60, () => of_other().every(({ job_state }) => String(job_state) === "CANCELLED"));
await server.stop();
console.log(`slurm: graded by a batch job in the sandbox (${graded.grade.seconds.toFixed(1)} s of ${took.toFixed(1)} s), a GPU by gres, and a job cancelled`);
process.exit(0);
