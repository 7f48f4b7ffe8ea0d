// Attacks that need sockets: slow and oversized requests, damaged headers, too many connections of one kind, and
// what every answer's headers forbid a browser.
import assert from "node:assert/strict";
import { connect } from "node:net";

import { ClassServer, freePort, scratchFolder, sleep } from "./class_server.mjs";

const server = new ClassServer(scratchFolder(), await freePort(), ["--workers", "0", "--students", "2", "--submissions", "4"]);
await server.start();

// Sends the parts, a pause between them; what came back, and after how long the connection ended.
function raw(parts, pause_ms = 0, limit_ms = 15_000) {
  return new Promise((done) => {
    const begun = performance.now();
    let text = "";
    const socket = connect(server.port, "127.0.0.1", async () => {
      for (const part of parts) {
        if (socket.destroyed) break;
        socket.write(part);
        if (pause_ms) await sleep(pause_ms);
      }
    });
    const finish = () => done({ text, ms: performance.now() - begun });
    socket.on("data", (data) => (text += data));
    socket.on("close", finish);
    socket.on("error", () => {});
    setTimeout(() => socket.destroy(), limit_ms);
  });
}

const head = (path, more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`;

// A request that trickles in is cut off after ten seconds, and others are answered meanwhile.
const slow = raw(["GET / HTTP/1.1\r\n", ...Array.from({ length: 100 }, (_, i) => `X-${i}: y\r\n`)], 200);
const slow_body = raw(["POST /api/v1/join HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", ...Array(100).fill(" ")], 200);

assert.match((await raw([`POST /api/v1/join HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n`, "x".repeat(100_000)])).text, /^HTTP\/1\.1 413 /);
assert.match((await raw([head("/", `X: ${"y".repeat(40_000)}\r\n`)])).text, /^HTTP\/1\.1 (431|400) /);
assert.match((await raw(["\x16\x03\x01\x02 not HTTP at all\r\n\r\n"])).text, /^HTTP\/1\.1 400 /);
assert.match((await raw([head("/api/v1/classes/a%0d%0aSet-Cookie:%20x=y")])).text, /^HTTP\/1\.1 400 /);
for (const path of ["/../../etc/passwd", "/assets/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/assets/%2e%2e%2findex.html"]) {
  const { text } = await raw([head(path)]);
  assert.match(text, /^HTTP\/1\.1 40[04] /, path);
  assert.ok(!text.includes("root:"), path);
}

// A large source is refused by its size, not by the connection.
const { token } = await server.join("Eve");
const large = await server.submit(token, "02-coalescing/4-transpose-tiled", "x".repeat(256 * 1024 + 1));
assert.equal(large.status, 422);
assert.match(large.body.error.what, /262145 bytes and at most 262144/);

// Reflected script: an address never comes back as a page.
const reflected = await fetch(server.url + "/api/v1/%3Cscript%3Ealert(1)%3C/script%3E");
assert.equal(reflected.headers.get("content-type"), "application/json");
assert.ok(!(await reflected.text()).includes("<script>"));

for (const path of ["/", "/api/v1/session", "/nowhere"]) {
  const { headers } = await fetch(server.url + path);
  const policy = headers.get("content-security-policy");
  assert.match(policy, /default-src 'none'; script-src 'self';/, path);
  assert.ok(!policy.includes("unsafe"), path);
  assert.match(policy, /frame-ancestors 'none'/, path);
  assert.equal(headers.get("x-content-type-options"), "nosniff", path);
}

// An event stream needs the right to the class, too.
await server.ask("DELETE", "/nothing");
assert.equal((await fetch(server.url + "/api/v1/classes/elsewhere/events")).status, 401);

const ended = await slow;
assert.ok(ended.ms > 5_000 && ended.ms < 13_000, `the slow request was cut off after ${ended.ms} ms`);
const ended_body = await slow_body;
assert.ok(ended_body.ms > 5_000 && ended_body.ms < 13_000, `the slow body was cut off after ${ended_body.ms} ms`);
assert.equal((await fetch(server.url + "/healthz")).status, 200);
await server.stop();
console.log(`attacks: all refused; slow requests were cut off after ${(ended.ms / 1000).toFixed(1)} s`);
process.exit(0);
