// `ridge course`: builds the course as a site, with the programs of course/site, which need
// Node.js.
#include <fmt/format.h>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/program_start.h"
#include "harness/cli/terminal/exit_status.h"

namespace ridge::cli {
namespace {

// The script ./ridge has installed Node.js by the time this runs.
int show_course(const std::vector<std::string>& words) {
  const std::filesystem::path root = clone_root();
  const std::filesystem::path program = root / "course/site/program/course.mjs";
  if (!std::filesystem::exists(program))
    throw MachineError(
        fmt::format("{} is missing; run this in a clone of Ridgepoint", program.string()));
  setenv("RIDGE_ROOT", root.c_str(), 1);
  std::vector<std::string> arguments = {program.string()};
  arguments.insert(arguments.end(), words.begin(), words.end());
  become("node", arguments, "it shows the course; install it: sudo apt-get install nodejs npm");
}

}  // namespace

void add_course(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("course", "the course as a site: text, figures, quizzes, search");
  command->footer(
      "Builds the site on first use, serves it on this machine and opens the browser. Ctrl-C ends it.\n"
      "  --port N         serve on this port (default: 8170, or the next one that is free)\n"
      "  --no-browser     do not open the browser\n"
      "  --build DIR      write the site as static files for any web host, and end\n"
      "  --base /PATH/    with --build: the path under which the host serves it\n"
      "  --pdf FILE       write the whole course as a PDF, and end (needs Chromium)\n"
      "Example:\n  ridge course --build public --base /gpu-course/");
  command->callback([&invocation] { invocation.exit_status = show_course(invocation.rest); });
}

}  // namespace ridge::cli
