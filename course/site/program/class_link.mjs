// Sends answers to the class that this clone has joined (.ridge/class.json). The page asks this machine's server, which
// holds the token; the browser never does.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const kMostBodyBytes = 64 * 1024;
const kLimit_ms = 15_000;

function membership(root) {
  try {
    const { url, class: name, title, student, token } = JSON.parse(readFileSync(join(root, ".ridge/class.json"), "utf8"));
    return url && name && token ? { url, name, title, student, token } : undefined;
  } catch {
    return undefined; // the clone is in no class
  }
}

// Another site's page must not use a reader's membership: only pages of this server may ask, under its own address.
export function is_own_page(request) {
  const { host, origin } = request.headers;
  const own = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host ?? "");
  return own && (origin === undefined ? request.method === "GET" : origin === `http://${host}`);
}

function reply(response, status, body) {
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" }).end(JSON.stringify(body));
}

async function body_of(request) {
  let text = "";
  for await (const part of request.setEncoding("utf8")) {
    text += part;
    if (text.length > kMostBodyBytes) throw new Error("too long");
  }
  return JSON.parse(text);
}

async function send(own, { quiz, answers }) {
  const address = `${own.url}/api/v1/classes/${encodeURIComponent(own.name)}/quizzes`;
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${own.token}` };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify({ quiz, answers }), signal: AbortSignal.timeout(kLimit_ms) });
  const body = await answer.json().catch(() => ({}));
  return answer.ok ? { right: body.right, of: body.of } : { trouble: body.error?.what ?? `the class server answers ${answer.status}` };
}

// GET /-/class: whether there is a class; POST /-/quiz {quiz, answers}: sends them. False: the request is for a file.
export async function answer_for_class(root, request, response) {
  const path = request.url.split("?")[0];
  if (path !== "/-/class" && path !== "/-/quiz") return false;
  if (!is_own_page(request)) return reply(response, 403, { trouble: "only pages of this site may ask" }), true;
  const own = membership(root);
  if (path === "/-/class") return reply(response, 200, own ? { joined: true, title: own.title, student: own.student } : { joined: false }), true;
  if (request.method !== "POST" || !own) return reply(response, 400, { trouble: "this clone is in no class: ridge class join URL CODE" }), true;
  try {
    reply(response, 200, await send(own, await body_of(request)));
  } catch (error) {
    reply(response, 200, { trouble: error.name === "SyntaxError" ? "the answers were not understood" : `the class server at ${own.url} does not answer` });
  }
  return true;
}
