// `ridge course`: builds the course's site when a source is newer, and serves it on this machine, or writes it as
// static files or as a PDF. Uses nothing but Node.js; npm's packages are used by the programs that it starts.
import { fileURLToPath } from "node:url";
import { dirname, join, resolve } from "node:path";

import { UsageError, help, read_options } from "./options.mjs";
import { Trouble, fresh_site, write_site } from "./build.mjs";
import { open_browser } from "./browser.mjs";
import { write_pdf } from "./print/pdf.mjs";
import { serve } from "./serve.mjs";

const root = process.env.RIDGE_ROOT ?? resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const places = { root, work: process.env.RIDGE_COURSE_BUILD ?? join(root, "build/course-site") };
const say = (text) => process.stderr.write(`ridge: ${text}\n`);

async function run(words) {
  const options = read_options(words);
  if (options.help) return process.stdout.write(help);
  if (options.build) {
    await write_site(places, options, say);
    return process.stdout.write(`The site is in ${options.build}: any web host can serve it${options.base === "/" ? "" : ` under ${options.base}`}.\n`);
  }
  if (options.pdf) {
    await write_pdf(places, options.pdf, say);
    return process.stdout.write(`The course is in ${options.pdf}.\n`);
  }
  const site = await fresh_site(places, say);
  const { server, port } = await serve(site, options.port, root);
  const address = `http://127.0.0.1:${port}/`;
  process.stdout.write(`The course is at ${address}   (Ctrl-C ends)\n`);
  if (options.browser) open_browser(address);
  await new Promise((done) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, done);
  });
  server.close();
  server.closeAllConnections();
  process.stdout.write("\n");
}

try {
  await run(process.argv.slice(2));
  process.exitCode = 0;
} catch (error) {
  if (!(error instanceof UsageError) && !(error instanceof Trouble)) throw error;
  say(error.message);
  process.exitCode = error instanceof UsageError ? 2 : 3;
}
