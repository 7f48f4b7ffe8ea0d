// Signing in through an OpenID provider: a provider of our own, which checks what it is asked, and one that lies.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

import { ClassServer, freePort, root, scratchFolder } from "./class_server.mjs";

const folder = scratchFolder();
const kit = join(folder, "kit");
execFileSync(join(process.env.RIDGE_BINARIES, "ridge-class"), ["kit", kit, "--no-slides"], { env: { ...process.env, RIDGE_ROOT: root } });
const [port, provider_port] = [await freePort(), await freePort()];
const issuer = `http://127.0.0.1:${provider_port}`;

// The provider: issues a code for an address, and an ID token for a code whose PKCE verifier fits.
const codes = new Map();
let claims_change = {};
const provider = createServer((request, answer) => {
  const json = (status, body) => {
    answer.writeHead(status, { "Content-Type": "application/json" });
    answer.end(JSON.stringify(body));
  };
  if (request.url === "/.well-known/openid-configuration") return json(200, { issuer, authorization_endpoint: issuer + "/authorize", token_endpoint: issuer + "/token" });
  let body = "";
  request.on("data", (data) => (body += data));
  request.on("end", () => {
    const form = new URLSearchParams(body);
    const issued = codes.get(form.get("code"));
    codes.delete(form.get("code"));
    const fits = issued && issued.challenge === createHash("sha256").update(form.get("code_verifier")).digest("base64url");
    if (request.url !== "/token" || !fits || form.get("client_secret") !== "s&cret" || form.get("redirect_uri") !== issued.redirect_uri) return json(400, { error: "invalid_grant" });
    const claims = { iss: issuer, aud: "ridge-class", sub: "1", nonce: issued.nonce, exp: Math.floor(Date.now() / 1000) + 300, email: issued.email, email_verified: true, ...claims_change };
    const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    json(200, { access_token: "a", token_type: "Bearer", id_token: `${part({ alg: "none" })}.${part(claims)}.` });
  });
});
await new Promise((done) => provider.listen(provider_port, "127.0.0.1", done));

const class_file = join(kit, "class.toml");
writeFileSync(class_file, readFileSync(class_file, "utf8").replaceAll("127.0.0.1:8180", `127.0.0.1:${port}`).replace("workers = 1 ", "workers = 0 "));
appendFileSync(class_file, `\n[openid]\nissuer = "${issuer}"\nclient_id = "ridge-class"\nclient_secret = "s&cret"\nname = "University login"\n`);
const server = new ClassServer(folder, port);
server.class_file = class_file;
await server.start();
assert.equal((await server.ask("GET", "/session")).body.openid, "University login");

// What a browser does up to the provider's page.
async function begin() {
  const sent = await fetch(server.url + "/api/v1/openid/start", { redirect: "manual" });
  assert.equal(sent.status, 302);
  assert.match(sent.headers.get("set-cookie"), /^ridge_openid=[\w-]{43}; Path=\/api\/v1\/openid; Max-Age=600; HttpOnly; SameSite=Lax$/);
  const asked = new URL(sent.headers.get("location"));
  assert.equal(asked.origin + asked.pathname, issuer + "/authorize");
  const query = Object.fromEntries(asked.searchParams);
  assert.equal(query.scope, "openid email");
  assert.equal(query.code_challenge_method, "S256");
  assert.equal(query.redirect_uri, `${server.url}/api/v1/openid/callback`);
  return { query, cookie: sent.headers.get("set-cookie").split(";")[0] };
}
// The provider's page signs `email` in; the browser comes back.
async function come_back({ query, cookie }, email, changes = {}) {
  const code = Math.random().toString(36).slice(2);
  codes.set(code, { email, nonce: query.nonce, challenge: query.code_challenge, redirect_uri: query.redirect_uri });
  const words = new URLSearchParams({ state: query.state, code, ...changes });
  return fetch(`${server.url}/api/v1/openid/callback?${words}`, { redirect: "manual", headers: cookie ? { Cookie: cookie } : {} });
}
const where = (answer) => answer.headers.get("location").replace(server.url, "");

// An instructor of class.toml signs in.
const answer = await come_back(await begin(), "You@Example.org");
assert.equal(where(answer), "/");
const cookies = answer.headers.getSetCookie();
const session = cookies.find((one) => one.startsWith("ridge_session=")).split(";")[0];
assert.match(cookies.join("\n"), /ridge_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict/);
const who = await (await fetch(server.url + "/api/v1/session", { headers: { Cookie: session } })).json();
assert.equal(who.role, "instructor");
assert.equal(who.person.name, "Your Name");

// Whoever is not on the roster does not; nor does another browser, an answer that comes twice, one without a code, ...
assert.equal(where(await come_back(await begin(), "stranger@example.com")), "/#/sign-in-failed/unknown");
const other = await begin();
assert.equal(where(await come_back({ ...other, cookie: (await begin()).cookie }, "you@example.org")), "/#/sign-in-failed/expired");
assert.equal(where(await come_back({ ...other, cookie: "" }, "you@example.org")), "/#/sign-in-failed/expired");
assert.equal(where(await come_back(other, "you@example.org")), "/");
assert.equal(where(await come_back(other, "you@example.org")), "/#/sign-in-failed/expired");
assert.equal(where(await come_back(await begin(), "you@example.org", { code: "" })), "/#/sign-in-failed/declined");
assert.equal(where(await come_back(await begin(), "you@example.org", { code: "forged" })), "/#/sign-in-failed/provider");
// ... nor a token that is not for this sign-in.
for (const change of [{ nonce: "x" }, { aud: "other" }, { iss: "http://127.0.0.1:1" }, { exp: 1 }, { email_verified: false }]) {
  claims_change = change;
  assert.equal(where(await come_back(await begin(), "you@example.org")), "/#/sign-in-failed/provider", JSON.stringify(change));
}
claims_change = {};

// A provider that is gone is told to the log, and the server goes on.
await new Promise((done) => {
  provider.close(done);
  provider.closeAllConnections();
});
const gone = await fetch(server.url + "/api/v1/openid/start", { redirect: "manual" });
assert.equal(where(gone), "/#/sign-in-failed/provider");
assert.match(readFileSync(join(kit, "class.log"), "utf8"), /"event":"trouble".*does not answer/);
// A flood of sign-ins stops here and does not reach the provider.
const flood = await Promise.all(Array.from({ length: 80 }, () => fetch(server.url + "/api/v1/openid/start", { redirect: "manual" })));
const allowed = flood.filter((one) => one.status === 302).length;
assert.ok(allowed > 20 && allowed < 60, `${allowed} of 80 sign-ins began`);
assert.ok(flood.every((one) => [302, 429].includes(one.status)));

assert.equal((await fetch(server.url + "/healthz")).status, 200);
await server.stop();
console.log("openid: signed in through the provider; all forged answers were refused");
process.exit(0);
