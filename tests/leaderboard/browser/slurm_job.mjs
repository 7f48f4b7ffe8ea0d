// Stands in for `ridge-class worker` in a batch job of a test: claims its attempt, works for a moment, sends a grade.
// Arguments as those of the program; the token comes on standard input. `--silent unclaimed` hangs before the claim,
// `--silent claimed` after it.
import { createInterface } from "node:readline";

const words = process.argv.slice(2);
const option = (name) => words[words.indexOf(name) + 1];
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const [token] = await new Promise((done) => createInterface({ input: process.stdin }).once("line", (line) => done([line])));

async function post(path, body) {
  for (let tries = 0; tries < 200; ++tries) {
    try {
      const answer = await fetch(`${option("--server")}/api/v1/worker/${path}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      if (answer.status < 500) return { status: answer.status, body: text ? JSON.parse(text) : null };
    } catch {
      // the server was killed
    }
    await sleep(100);
  }
  return { status: 0 };
}

const silent = words.includes("--silent") ? option("--silent") : "";
const forever = () => new Promise(() => setInterval(() => {}, 1000));
if (silent === "unclaimed") await forever();
const leased = await post("lease", { worker: option("--name"), engines: ["virtual", "gpu"], device: "NVIDIA H200", device_id: option("--name") });
if (silent === "claimed") await forever();
if (leased.status === 200) {
  const { submission, attempt, lease, seed } = leased.body;
  await sleep(100 + 400 * Math.random());
  const verdict = Math.random() < 0.5 ? "PASS" : "WRONG";
  await post("result", { submission, attempt, lease, result: { verdict, engine: "gpu", device: "NVIDIA H200", summary: "", next: "", seed, seconds: 0 } });
}
process.exit(0);
