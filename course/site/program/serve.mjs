// Serves a folder of static files on this machine only.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { pipeline } from "node:stream";
import { createGzip } from "node:zlib";

import { answer_for_class } from "./class_link.mjs";
import { Trouble } from "./trouble.mjs";

const kFirstPort = 8170;
const kPortsToTry = 30;
const kTypes = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".pdf": "application/pdf",
};

// The file that a request's path means: itself, a folder's index.html, or the page without its ending. undefined: none.
export async function file_of(folder, url) {
  let path;
  try {
    path = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname));
  } catch {
    return undefined;
  }
  if (path.includes("\0") || path.split("/").includes("..")) return undefined;
  for (const candidate of path.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`, `${path}/index.html`]) {
    const file = join(folder, candidate);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile()) return { file, bytes: found.size, path: candidate };
  }
  return undefined;
}

const kSmall_bytes = 1400; // one packet: not worth compressing
const is_text = (type) => /^(text|application\/(json|wasm)|image\/svg)/.test(type);

function send(response, status, found, request) {
  const type = kTypes[extname(found.file)] ?? "application/octet-stream";
  const is_packed = is_text(type) && found.bytes > kSmall_bytes && /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  response.writeHead(status, {
    "Content-Type": type,
    ...(is_packed ? { "Content-Encoding": "gzip", Vary: "Accept-Encoding" } : { "Content-Length": found.bytes }),
    "Cache-Control": found.path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    "X-Content-Type-Options": "nosniff",
  });
  if (request.method === "HEAD") return response.end();
  const parts = [createReadStream(found.file), ...(is_packed ? [createGzip({ level: 4 })] : []), response];
  pipeline(parts, (error) => error && response.destroy());
}

async function answer(folder, root, request, response) {
  if (root && (await answer_for_class(root, request, response))) return;
  if (request.method !== "GET" && request.method !== "HEAD") return response.writeHead(405, { "Content-Type": "text/plain" }).end("only GET is for pages\n");
  const found = await file_of(folder, request.url);
  if (found) return send(response, 200, found, request);
  const missing = await file_of(folder, "/404.html");
  if (missing) return send(response, 404, missing, request);
  response.writeHead(404, { "Content-Type": "text/plain" }).end("there is no such page\n");
}

function listen(server, port) {
  return new Promise((done, failed) => {
    server.once("error", failed);
    server.listen(port, "127.0.0.1", () => {
      server.removeListener("error", failed);
      done(server.address().port);
    });
  });
}

// Serves `folder` on `port`, or on the first free one from 8170 on; answers go to the class that the clone `root` has
// joined. Throws Trouble when no port can be had.
export async function serve(folder, port, root) {
  const server = createServer((request, response) => answer(folder, root, request, response).catch(() => response.destroy()));
  const ports = port === undefined ? Array.from({ length: kPortsToTry }, (_, index) => kFirstPort + index) : [port];
  for (const one of ports) {
    try {
      return { server, port: await listen(server, one) };
    } catch (error) {
      if (error.code === "EADDRINUSE") continue;
      throw new Trouble(`cannot listen on 127.0.0.1:${one}: ${error.code === "EACCES" ? "only root may; choose a port from 1024 on" : error.message}`);
    }
  }
  const which = port === undefined ? `ports ${ports[0]} to ${ports.at(-1)} are` : `port ${port} is`;
  throw new Trouble(`${which} in use by other programs. Choose a free one: ridge course --port 9000`);
}
