// Starts other programs, with what they print in a log.
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";

import { Trouble } from "./trouble.mjs";

// The exit status; -1: it could not be started. Ctrl-C and the end of this process end it too.
export function run_logged(program, words, { cwd, log, environment = {} }) {
  return new Promise((done) => {
    const handle = openSync(log, "w");
    const child = spawn(program, words, { cwd, stdio: ["ignore", handle, handle], env: { ...process.env, ...environment } });
    const end = () => child.kill("SIGTERM");
    const interrupted = () => {
      end();
      process.stderr.write("\nridge: interrupted; the next ridge course begins this step again\n");
      process.exit(130);
    };
    process.once("SIGINT", interrupted);
    process.once("exit", end);
    const finish = (status) => {
      process.removeListener("SIGINT", interrupted);
      process.removeListener("exit", end);
      closeSync(handle);
      done(status);
    };
    child.once("error", () => finish(-1));
    child.once("close", (status) => finish(status ?? -1));
  });
}

export async function wanted_program(name, advice) {
  const found = await new Promise((done) => {
    const child = spawn(name, ["--version"], { stdio: "ignore" });
    child.once("error", () => done(false));
    child.once("close", (status) => done(status === 0));
  });
  if (!found) throw new Trouble(advice);
}

// What a pattern finds first in a log; "": nothing.
export function first_line(log, pattern) {
  return readFileSync(log, "utf8").match(pattern)?.[0].trim() ?? "";
}
