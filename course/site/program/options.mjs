// The command line of `ridge course`.
export class UsageError extends Error {}

export const help = `The course as a site: builds it once, serves it on this machine and opens the browser.
Usage: ridge course [OPTIONS]

  --port N          serve on this port (default: 8170, or the next one that is free)
  --no-browser      do not open the browser
  --build DIR       write the site as static files for any web host, and end
  --base /PATH/     with --build: the path under which the host serves it (default: /)
  --pdf FILE        write the whole course as a PDF, and end (needs Chromium)

Example:
  ridge course --build public --base /gpu-course/
`;

function port_in(text) {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65535) throw new UsageError(`--port ${text}: a port is a number from 1 to 65535`);
  return port;
}

// "gpu" and "/gpu" mean /gpu/ too.
function base_in(text) {
  if (!/^[\w./~-]*$/.test(text) || text.includes("//") || text.includes("..")) throw new UsageError(`--base ${text}: a path such as /gpu-course/ was expected`);
  return `/${text.replace(/^\/|\/$/g, "")}/`.replace("//", "/");
}

export function read_options(words) {
  const options = { port: undefined, browser: true, build: "", base: "/", pdf: "", help: false };
  const readers = {
    "--port": (text) => (options.port = port_in(text)),
    "--build": (text) => (options.build = text),
    "--base": (text) => (options.base = base_in(text)),
    "--pdf": (text) => (options.pdf = text),
  };
  for (let at = 0; at < words.length; ++at) {
    const [name, joined] = words[at].split(/=(.*)/s);
    if (name === "--help" || name === "-h") options.help = true;
    else if (name === "--no-browser") options.browser = false;
    else if (readers[name]) {
      const value = joined ?? words[++at];
      if (!value) throw new UsageError(`${name} needs a value; see ridge course --help`);
      readers[name](value);
    } else throw new UsageError(`"${words[at]}" is not an option of ridge course; see ridge course --help`);
  }
  if (options.base !== "/" && !options.build) throw new UsageError("--base goes with --build: the site is served here under /");
  if (options.build && options.pdf) throw new UsageError("--build and --pdf are two commands: run one after the other");
  return options;
}
