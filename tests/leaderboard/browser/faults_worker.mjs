// A worker of the faults test, a process of its own so that it can be killed: leases, waits, sends a result, and prints
// what the server took. Arguments: address, file of secrets, name.
import { readFileSync } from "node:fs";

const [, , url, secrets, name] = process.argv;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function ask(path, body) {
  const { worker_token } = JSON.parse(readFileSync(secrets, "utf8")); // a server that starts again has a new one
  const answer = await fetch(url + "/api/v1/worker/" + path, {
    method: "POST",
    headers: { Authorization: `Bearer ${worker_token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, body: text ? JSON.parse(text) : null };
}

async function send(body) {
  for (let tries = 0; tries < 100; ++tries) {
    try {
      const { status } = await ask("result", body);
      if (status === 200) console.log(`accepted ${body.submission} ${body.attempt} ${body.result.verdict}`);
      if (status === 409) console.log("refused");
      if (status === 200 || status === 409) return;
    } catch {
      console.log("unanswered"); // perhaps it was taken: it is sent again
    }
    await sleep(50);
  }
}

for (;;) {
  try {
    const leased = await ask("lease", { worker: name, engines: ["virtual"] });
    if (leased.status === 200) {
      const { submission, attempt, lease, seed } = leased.body;
      await sleep(150 * Math.random());
      const verdict = Math.random() < 0.5 ? "PASS" : "WRONG";
      await send({ submission, attempt, lease, result: { verdict, engine: "virtual", device: "H200 (virtual)", summary: "", next: "", seed, seconds: 0 } });
      continue;
    }
  } catch {
    // the server was killed
  }
  await sleep(40);
}
