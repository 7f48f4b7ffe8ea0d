// The load test's own client: many connections in one process, which cost it little, and what a process has used.
import { Agent, request } from "node:http";
import { readFileSync, readlinkSync, readdirSync } from "node:fs";

const agent = new Agent({ keepAlive: true, maxSockets: 1200 });

// The answer's status and size; its body only where `keep` is set.
export function ask(url, method, path, headers = {}, body, keep = false) {
  return new Promise((done, failed) => {
    const sent = request(url + path, { agent, method, headers: { ...headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) } }, (answer) => {
      const parts = [];
      let bytes = 0;
      answer.on("data", (part) => {
        bytes += part.length;
        if (keep) parts.push(part);
      });
      answer.on("end", () => done({ status: answer.statusCode, bytes, headers: answer.headers, text: keep ? Buffer.concat(parts).toString() : "" }));
      answer.on("error", failed);
    });
    sent.on("error", failed);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

// A stream of events: `heard` is called with the time of each change of the board.
export function openStream(url, path, headers, heard) {
  return new Promise((done, failed) => {
    const sent = request(url + path, { headers, agent: false }, (answer) => {
      answer.on("data", (part) => {
        if (part.includes("event: board")) heard(performance.now());
      });
      done(() => sent.destroy());
    });
    sent.on("error", failed);
    sent.end();
  });
}

const ticks_per_second = 100; // USER_HZ of Linux

// Seconds of processor time that processes have used; those of PostgreSQL are found by their folder.
export function processorSeconds(pids) {
  let seconds = 0;
  for (const pid of pids) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop().split(" ");
      seconds += (Number(fields[11]) + Number(fields[12])) / ticks_per_second;
    } catch {
      // it has ended
    }
  }
  return seconds;
}

export function processesIn(folder) {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

// Seconds of processor time of the whole machine: in use, and taken by other machines on the same host.
export function machineSeconds() {
  const [user, nice, system, , , irq, softirq, steal] = readFileSync("/proc/stat", "utf8").split("\n")[0].split(/ +/).slice(1).map(Number);
  return { used: (user + nice + system + irq + softirq) / ticks_per_second, stolen: steal / ticks_per_second };
}

export function mostMemoryMb(pid) {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}
