#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/program_start.h"

namespace ridge::cli {

void add_bench(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("bench", "how fast the virtual GPU itself is on this machine");
  command->footer("Example:\n  ridge bench virtual-gpu --json");
  command->callback([&invocation] {
    if (invocation.rest.empty() || invocation.rest.front() != "virtual-gpu") {
      throw UsageError("say what to measure; there is one choice: ridge bench virtual-gpu");
    }
    become(program_folder() / "ridge-bench-virtual-gpu", {invocation.rest.begin() + 1, invocation.rest.end()},
           "run ./ridge in the clone to build it");
  });
}

}  // namespace ridge::cli
