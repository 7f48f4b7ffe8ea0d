#include <fmt/format.h>

#include <thread>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/program_start.h"

namespace ridge::cli {
namespace {

// The script ./ridge has built the tests by the time this runs.
int test(const std::vector<std::string>& extra) {
  const auto build = build_folder();
  if (!std::filesystem::exists(build / "CTestTestfile.cmake")) {
    throw MachineError(
        fmt::format("{} is no build folder (a copied program has no tests); run ./ridge test in the clone",
                    build.string()));
  }
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  // One more than there are cores: some tests wait for a terminal, or for a limit to pass.
  std::vector<std::string> arguments = {"--test-dir", build.string(), "--output-on-failure",
                                        fmt::format("-j{}", cores + 1)};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  become("ctest", arguments, "install it: apt-get install cmake");
}

}  // namespace

void add_test(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("test", "the project's own tests");
  command->footer("All arguments go to ctest.\nExample:\n  ridge test -R warp_model");
  command->callback([&invocation] { invocation.exit_status = test(invocation.rest); });
}

}  // namespace ridge::cli
