// Reads a class's database from outside the server, by Python's sqlite3 (Node.js has none before version 22).
import { execFileSync } from "node:child_process";

const program = "import json, sqlite3, sys; print(json.dumps(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall()))";

export function rowsOf(file, sql) {
  return JSON.parse(execFileSync("python3", ["-c", program, file, sql], { encoding: "utf8", maxBuffer: 1 << 28 }));
}
