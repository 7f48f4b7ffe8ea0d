// The kit's nginx.conf in front of a class: TLS, the caller's address, cookies that are Secure, events without delay, and
// a student's `ridge` over HTTPS.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";

import { ClassServer, freePort, root, scratchFolder, sleep } from "./class_server.mjs";

process.env.PATH += ":/usr/sbin";
const folder = scratchFolder();
const kit = join(folder, "kit");
const ridge_class = join(process.env.RIDGE_BINARIES, "ridge-class");
execFileSync(ridge_class, ["kit", kit, "--no-slides"], { env: { ...process.env, RIDGE_ROOT: root } });
const [port, secure_port] = [await freePort(), await freePort()];
const url = `https://localhost:${secure_port}`;

// The files of the kit, with the changes that they ask for.
const changed = (name, changes) => {
  let text = readFileSync(join(kit, name), "utf8");
  for (const [from, to] of changes) {
    assert.ok(text.includes(from), `${name} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  writeFileSync(join(kit, name), text);
};
changed("class.toml", [
  ["127.0.0.1:8180", `127.0.0.1:${port}`],
  ["workers = 1 ", "workers = 0 "],
  ['# public_url = "https://class.example.org"', `public_url = "${url}"`],
  ["# behind_proxy", "behind_proxy"],
]);
execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", join(kit, "key.pem"), "-out", join(kit, "cert.pem")], { stdio: "ignore" });
changed("nginx.conf", [
  ["listen 443 ssl", `listen 127.0.0.1:${secure_port} ssl`],
  ["class.example.org;", "localhost;"],
  ["/etc/letsencrypt/live/class.example.org/fullchain.pem", join(kit, "cert.pem")],
  ["/etc/letsencrypt/live/class.example.org/privkey.pem", join(kit, "key.pem")],
  ["127.0.0.1:8180", `127.0.0.1:${port}`],
]);
for (const name of ["body", "proxy", "fastcgi", "uwsgi", "scgi"]) mkdirSync(join(kit, name));
writeFileSync(
  join(kit, "main.conf"),
  // The scratch folder is its owner's only, so nginx must stay this user.
  `${process.getuid() === 0 ? "user root; " : ""}daemon off; pid ${kit}/nginx.pid; error_log ${kit}/error.log; events {} http { access_log off;
   client_body_temp_path ${kit}/body; proxy_temp_path ${kit}/proxy; fastcgi_temp_path ${kit}/fastcgi;
   uwsgi_temp_path ${kit}/uwsgi; scgi_temp_path ${kit}/scgi; include ${kit}/nginx.conf; }`,
);

const server = new ClassServer(folder, port);
server.class_file = join(kit, "class.toml");
await server.start();
const nginx = spawn("nginx", ["-p", kit, "-e", join(kit, "error.log"), "-c", join(kit, "main.conf")], { stdio: "inherit" });
process.on("exit", () => nginx.kill("SIGTERM")); // a killed one leaves its worker behind

const ca = readFileSync(join(kit, "cert.pem"));
const ask = (method, path, { headers = {}, body } = {}) =>
  new Promise((done, failed) => {
    const asked = request(url + path, { method, ca, headers: { ...headers, ...(body ? { "Content-Type": "application/json" } : {}) } }, (answer) => {
      let text = "";
      answer.on("data", (data) => (text += data));
      answer.on("end", () => done({ status: answer.statusCode, headers: answer.headers, text }));
    });
    asked.on("error", failed);
    asked.end(body ? JSON.stringify(body) : undefined);
  });
async function until_healthy() {
  for (let i = 0; ; ++i) {
    try {
      if ((await ask("GET", "/healthz")).status === 200) return;
    } catch (error) {
      if (i > 100) throw error;
    }
    await sleep(50);
  }
}
await until_healthy();

// The instructor's link is an https address; the session's cookie is Secure.
const link = server.secrets.classes[0].instructors[0].link;
assert.ok(link.startsWith(url + "/#/sign-in/"), link);
const signed_in = await ask("POST", "/api/v1/session", { body: { code: link.split("/").pop() } });
assert.equal(signed_in.status, 200);
assert.match(signed_in.headers["set-cookie"][0], /HttpOnly; SameSite=Strict; Secure/);
const headers = { Cookie: signed_in.headers["set-cookie"][0].split(";")[0], "X-CSRF-Token": JSON.parse(signed_in.text).csrf };
const code = JSON.parse((await ask("POST", "/api/v1/classes/gpu-class/join-codes", { headers, body: { uses: 3, hours: 1 } })).text).code;

// Events pass at once.
let frozen = false;
async function event_delay_ms() {
  let heard_ms = 0;
  const stream = request(url + "/api/v1/classes/gpu-class/events", { ca, headers }, (answer) => {
    answer.on("data", (data) => {
      if (String(data).includes("event: board")) heard_ms = performance.now();
    });
  });
  stream.on("error", () => {});
  stream.end();
  await sleep(300);
  const begun = performance.now();
  frozen = !frozen;
  await ask("PUT", "/api/v1/classes/gpu-class/assignments/lab-01/freeze", { headers, body: { frozen } });
  while (!heard_ms && performance.now() - begun < 5000) await sleep(10);
  stream.destroy();
  return heard_ms ? heard_ms - begun : Infinity;
}
const nginx_ms = await event_delay_ms();
assert.ok(nginx_ms < 1000, `the event came after ${nginx_ms} ms`);

// A large upload is within nginx's limit, and `ridge` speaks HTTPS; the certificate is checked.
const clone = join(folder, "clone");
for (const name of ["labs", "solutions"]) execFileSync("cp", ["-r", "--parents", name, (mkdirSync(clone, { recursive: true }), clone)], { cwd: root });
execFileSync("cp", [join(root, "CMakeLists.txt"), clone]);
const student = (environment, ...words) => spawnSync(join(process.env.RIDGE_BINARIES, "ridge"), words, { env: { ...process.env, RIDGE_ROOT: clone, ...environment }, cwd: clone, encoding: "utf8" });
assert.equal(student({}, "class", "join", url, code).status, 3);
const joined = student({ CURL_CA_BUNDLE: join(kit, "cert.pem") }, "class", "join", url, code, "--name", "Eve");
assert.equal(joined.status, 0, joined.stderr);
writeFileSync(join(clone, "labs/01-kernel-basics/1-vector-add.cu"), "// " + "x".repeat(250_000) + "\n");
const submitted = student({ CURL_CA_BUNDLE: join(kit, "cert.pem") }, "submit", "01/1", "--no-wait");
assert.equal(submitted.status, 0, submitted.stderr);

// Tries to guess are counted per caller, not per proxy: the address is the one that nginx saw, whatever a caller claims.
const guess = (claimed) => ask("POST", "/api/v1/session", { headers: { "X-Forwarded-For": claimed }, body: { token: "x".repeat(43) } });
const statuses = [];
for (let i = 0; i < 12; ++i) statuses.push((await guess(`198.51.100.${i}`)).status);
assert.equal(statuses.filter((status) => status === 429).length, 2, String(statuses));
const peers = readFileSync(join(kit, "class.log"), "utf8").trim().split("\n").map((line) => JSON.parse(line).peer).filter(Boolean);
assert.ok(peers.every((peer) => peer === "127.0.0.1"), String(peers));

nginx.kill("SIGTERM");

// The same class behind the kit's Caddyfile, where Caddy is installed.
let by_caddy = "; Caddy is not installed (package caddy)";
if (spawnSync("caddy", ["version"]).status === 0) {
  changed("Caddyfile", [
    ["class.example.org {", `https://localhost:${secure_port} {\n  bind 127.0.0.1\n  tls ${kit}/cert.pem ${kit}/key.pem`],
    ["127.0.0.1:8180", `127.0.0.1:${port}`],
  ]);
  writeFileSync(join(kit, "Caddyfile"), `{\n  admin off\n  auto_https disable_redirects\n}\n${readFileSync(join(kit, "Caddyfile"), "utf8")}`);
  const caddy = spawn("caddy", ["run", "--adapter", "caddyfile", "--config", join(kit, "Caddyfile")], { stdio: "ignore", env: { ...process.env, HOME: kit, XDG_DATA_HOME: kit, XDG_CONFIG_HOME: kit } });
  process.on("exit", () => caddy.kill("SIGKILL"));
  await until_healthy();
  const caddy_ms = await event_delay_ms();
  assert.ok(caddy_ms < 1000, `behind Caddy the event came after ${caddy_ms} ms`);
  await ask("GET", "/api/v1/session", { headers: { "X-Forwarded-For": "198.51.100.99" } });
  assert.ok(!readFileSync(join(kit, "class.log"), "utf8").includes("198.51.100.99"), "Caddy passes on what a caller claims");
  by_caddy = `, by its Caddyfile after ${caddy_ms.toFixed(0)} ms`;
  caddy.kill("SIGTERM");
}
await server.stop();
console.log(`proxy: TLS by the kit's nginx.conf; an event passed after ${nginx_ms.toFixed(0)} ms${by_caddy}`);
process.exit(0);
