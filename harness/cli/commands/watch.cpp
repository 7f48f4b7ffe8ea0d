// `ridge watch`, and `ridge` without a command: watch mode, which needs a terminal.
#include <unistd.h>

#include <memory>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/watch/watch_loop.h"

namespace ridge::cli {

int watch(const std::string& name) {
  const auto root = clone_root();
  if (!isatty(STDIN_FILENO)) {
    throw UsageError(
        "watch mode reads keys from a terminal, and standard input is not a terminal. Run ./ridge in a terminal, or "
        "grade once: edit labs/01-kernel-basics/1-vector-add.cu, then ./ridge grade 01/1. ./ridge list shows the "
        "course.");
  }
  return WatchLoop(root).run(name);
}

void add_watch(CLI::App& program, Invocation& invocation) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand(
      "watch", "grade a rung at every save of its file, with keys for hints and more");
  command
      ->add_option(
          "RUNG", *name,
          "a rung (01/1, vector-add, or its file) or a lab; without one: the first unfinished rung")
      ->check(not_empty());
  command->footer("Example:\n  ridge watch 03              the first unfinished rung of lab 03");
  command->callback([name, &invocation] { invocation.exit_status = watch(*name); });
}

}  // namespace ridge::cli
