// `ridge test`: builds the project's own tests and runs them with ctest.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <thread>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/program_start.h"
#include "harness/cli/terminal/exit_status.h"
#include "text/shell_word.h"

namespace ridge::cli {
namespace {

// The options of ctest that take the next word as their value (ctest --help). Others take none, or one
// behind "=".
// clang-format off
constexpr std::string_view kWithValue[] = {
    "-R", "--tests-regex", "-E", "--exclude-regex", "-L", "--label-regex", "-LE", "--label-exclude",
    "-FA", "--fixture-exclude-any", "-FS", "--fixture-exclude-setup", "-FC", "--fixture-exclude-cleanup",
    "-I", "--tests-information", "-j", "--parallel", "-O", "--output-log", "--output-junit",
    "-C", "--build-config", "--timeout", "--stop-time", "--repeat", "--repeat-until-fail",
    "--test-load", "--max-width", "--resource-spec-file", "--test-output-size-passed",
    "--test-output-size-failed", "--test-output-truncation", "--tests-from-file", "--exclude-from-file"};
// clang-format on

// ctest runs every test when a word belongs to no option: `ridge test warp_model` would take an hour.
void check_words(const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    const bool is_value = i > 0 && std::find(std::begin(kWithValue), std::end(kWithValue),
                                             words[i - 1]) != std::end(kWithValue);
    if (words[i].starts_with("-") || is_value) continue;
    throw UsageError(fmt::format(
        "ctest takes no name by itself; the tests whose names contain it: ridge test -R {}",
        text::shell_word(words[i])));
  }
}

// Runs the tests, which the script ./ridge has built before.
int test(const std::vector<std::string>& extra) {
  check_words(extra);
  const auto build = build_folder();
  if (!std::filesystem::exists(build / "CTestTestfile.cmake")) {
    throw MachineError(fmt::format(
        "{} is not a build folder (a copied program has no tests); run ./ridge test in the clone",
        build.string()));
  }
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  // One more than the number of cores: some tests wait for a terminal or a time limit.
  std::vector<std::string> arguments = {"--test-dir", build.string(), "--output-on-failure",
                                        fmt::format("-j{}", cores + 1)};
  const bool all = std::find(extra.begin(), extra.end(), "--all") != extra.end();
  std::copy_if(extra.begin(), extra.end(), std::back_inserter(arguments),
               [](const std::string& word) { return word != "--all"; });
  // Tests that use real clocks may fail under other load: run them alone, with three tries.
  const std::string script =
      all ? "ctest \"$@\" -LE realtime; rest=$?; ctest \"$@\" -j1 -L realtime --repeat until-pass:3 && exit $rest"
          : "exec ctest \"$@\" -LE 'realtime|exhaustive'";
  std::vector<std::string> words = {"-c", script, "ctest"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  become("sh", words, "install it: apt-get install cmake");
}

}  // namespace

void add_test(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("test", "the project's own tests");
  command->footer(
      "All other arguments go to ctest.\n"
      "--all also runs the tests that measure times on this machine (label realtime: one at a time, up to three\n"
      "tries) and the long versions of others (label exhaustive).\n"
      "Example:\n  ridge test -R warp_model");
  command->callback([&invocation] { invocation.exit_status = test(invocation.rest); });
}

}  // namespace ridge::cli
