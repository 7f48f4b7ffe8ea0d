// One build at a time in a work folder: a file that names the process which builds.
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const kLookAgain_ms = 200;

function is_alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

// True: this process has it now.
function take(file) {
  try {
    const handle = openSync(file, "wx");
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    let pid = 0;
    try {
      pid = Number(readFileSync(file, "utf8"));
    } catch {
      return false; // it was just given back
    }
    if (pid > 0 && !is_alive(pid)) rmSync(file, { force: true }); // a build that was killed
    return false;
  }
}

export async function with_lock(folder, say, work) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, ".lock");
  let has_said = false;
  while (!take(file)) {
    if (!has_said) say("another ridge course is building the site; waiting for it");
    has_said = true;
    await new Promise((done) => setTimeout(done, kLookAgain_ms));
  }
  const release = () => rmSync(file, { force: true });
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.removeListener("exit", release);
    release();
  }
}
