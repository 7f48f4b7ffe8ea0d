// Starts a class server for a test, speaks its API, and takes the place of its workers.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const root = process.env.RIDGE_ROOT;
const program = join(process.env.RIDGE_BINARIES, "ridge-class");

// What a test has started ends with it, also when the test is ended.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => process.exit(1));

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

export function scratchFolder() {
  const folder = mkdtempSync(join(tmpdir(), "ridge-class-test-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// A class named demo in a folder: what is written under [server], and what follows.
export function writeClass(folder, port, server = "", more = "") {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "class.toml");
  writeFileSync(
    file,
    `[class]\nname = "demo"\n[server]\nlisten = "127.0.0.1:${port}"\n${server}\n[[instructor]]\nname = "I"\nemail = "i@example.org"\n` +
      `[[assignment]]\nname = "coalescing"\nrungs = ["02/1", "02/4"]\ndue = "2099-01-01 00:00"\n${more}\n`,
  );
  return file;
}

// `words`: of `ridge-class demo`, or of `ridge-class serve` where class_file is set; program and clone may be others than
// the build's, and may see the file of secrets elsewhere (secrets_there). What it prints is kept for a failure.
export class ClassServer {
  constructor(folder, port, words = []) {
    this.folder = folder;
    this.port = port;
    this.words = words;
    this.url = `http://127.0.0.1:${port}`;
    this.secrets_file = join(folder, "secrets.json");
    this.printed = "";
    process.on("exit", () => this.process?.kill("SIGKILL"));
  }

  async start() {
    rmSync(this.secrets_file, { force: true });
    const begun = performance.now();
    const command = this.class_file ? ["serve", this.class_file] : ["demo", "--folder", join(this.folder, "class"), "--port", String(this.port)];
    this.process = spawn(this.program ?? program, [...(this.before ?? []), ...command, "--secrets", this.secrets_there ?? this.secrets_file, ...this.words], {
      env: { ...process.env, RIDGE_ROOT: this.clone ?? root },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.process.stdout, this.process.stderr]) stream.on("data", (text) => (this.printed += text));
    this.ended = new Promise((done) => this.process.on("exit", done));
    for (;;) {
      if (this.process.exitCode !== null) throw new Error(`the server ended:\n${this.printed}`);
      try {
        if (existsSync(this.secrets_file) && (await fetch(this.url + "/healthz")).ok) break;
      } catch {
        // not yet
      }
      if (performance.now() - begun > 120_000) throw new Error(`the server does not answer:\n${this.printed}`);
      await sleep(20);
    }
    this.secrets = JSON.parse(readFileSync(this.secrets_file, "utf8"));
    return performance.now() - begun;
  }

  kill() {
    this.process.kill("SIGKILL");
    return this.ended;
  }

  stop() {
    this.process.kill("SIGTERM");
    return this.ended;
  }

  async ask(method, path, token, body) {
    const answer = await fetch(this.url + "/api/v1" + path, {
      method,
      headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : null };
  }

  // A code of a class that is no demonstration comes from its instructor.
  async joinCode() {
    if (this.secrets.classes[0].join_code) return this.secrets.classes[0].join_code;
    this.boss ??= await signIn(this, this.secrets.classes[0].instructors[0].link);
    const made = await this.boss("POST", "/classes/demo/join-codes", { uses: 5000, hours: 1 });
    return (this.secrets.classes[0].join_code = JSON.parse(made.text).code);
  }

  async join(name) {
    const joined = await this.ask("POST", "/join", null, { code: await this.joinCode(), name });
    if (joined.status !== 201) throw new Error(`cannot join: ${JSON.stringify(joined)}`);
    return joined.body;
  }

  submit(token, rung, text) {
    return this.ask("POST", "/classes/demo/submissions", token, { rung, files: [{ name: "kernel.cu", text }] });
  }

  // One job graded with the verdict that `verdict_of` gives; false when none waits.
  async gradeOne(verdict_of, worker = "test-0") {
    const token = this.secrets.worker_token;
    const leased = await this.ask("POST", "/worker/lease", token, { worker, engines: ["virtual"] });
    if (leased.status !== 200) return false;
    const { submission, attempt, lease, rung, seed } = leased.body;
    const verdict = verdict_of(leased.body);
    const result = {
      rung,
      verdict,
      engine: "virtual",
      device: "H200 (virtual)",
      summary: "The answers are right for 28 sizes, and its 2 counts are within their limits.",
      next: "Go on to the next rung.",
      detail: "",
      seed,
      seconds: 0.1,
      traffic: { useful_bytes: 90, l1_bytes: 100 },
      gates: [{ count: "load_sectors_per_request", at_most: 4.5, at_least: null, value: 4, passed: true, why: "A warp should read 32 neighbours." }],
    };
    const taken = await this.ask("POST", "/worker/result", token, { submission, attempt, lease, result });
    if (taken.status !== 200) throw new Error(`the result was refused: ${JSON.stringify(taken)}`);
    return leased.body;
  }
}

// Signs in as the demonstration's instructor; the token is a session's cookie and its CSRF token.
export async function signIn(server, link) {
  const answer = await fetch(server.url + "/api/v1/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code: link.split("/").pop() }),
  });
  const cookie = answer.headers.get("set-cookie").split(";")[0];
  const { csrf } = await answer.json();
  return async (method, path, body) => {
    const reply = await fetch(server.url + "/api/v1" + path, {
      method,
      headers: { Cookie: cookie, "X-CSRF-Token": csrf, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: reply.status, text: await reply.text() };
  };
}
