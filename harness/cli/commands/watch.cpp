// `ridge` without a command: watch mode, which needs a terminal.
#include <unistd.h>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/watch/watch_loop.h"

namespace ridge::cli {

int watch() {
  const auto root = clone_root();
  if (!isatty(STDIN_FILENO)) {
    throw UsageError(
        "watch mode reads keys from a terminal, and standard input is none. Run ./ridge in a terminal, or "
        "grade "
        "once: edit labs/01-kernel-basics/1-vector-add.cu, then ./ridge grade 01/1. ./ridge list shows the "
        "course.");
  }
  return WatchLoop(root).run();
}

}  // namespace ridge::cli
