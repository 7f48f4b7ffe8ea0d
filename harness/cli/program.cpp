// Parses the command line, runs the command, and turns exceptions into messages and an exit status.
#include "harness/cli/program.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <string_view>
#include <system_error>

#include "harness/build/compiler.h"
#include "harness/cli/command.h"
#include "harness/cli/compiler_option.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/interruption.h"
#include "harness/course/lab.h"
#include "harness/report/store/database.h"
#include "harness/report/text/fold.h"
#include "text/command_line_error.h"

namespace ridge::cli {
namespace {

constexpr const char* kNoOutput =
    "the output could not be written; look at where it goes: is the disk full, or standard output closed?";

// This program handles `ridge class join`, `sign-in`, and `status` without a file; the class server
// handles the others.
bool is_for_students(const std::vector<std::string>& words) {
  return words.size() < 2 || words[1] == "join" || words[1] == "sign-in" ||
         (words[1] == "status" && words.size() == 2) || words[1].starts_with("-");
}

// Commands whose arguments belong to another program: CLI11 must not parse them.
bool hands_on(const std::vector<std::string>& words) {
  return words[0] == "nvcc" || words[0] == "test" || words[0] == "course" ||
         (words[0] == "class" && !is_for_students(words)) ||
         (words[0] == "bench" && words.size() > 1 && words[1] == "virtual-gpu");
}

bool asks_for_help(std::string_view argument) {
  return argument == "--help" || argument == "-h";
}

// Splits the arguments into those that CLI11 parses and those that are passed on.
std::vector<std::string> split(const std::vector<std::string>& all, Invocation& invocation) {
  if (!all.empty() && hands_on(all) && !(all.size() > 1 && asks_for_help(all[1]))) {
    invocation.rest.assign(all.begin() + 1, all.end());
    return {all[0]};
  }
  if (all.empty() || (all[0] != "exec" && all[0] != "view")) return all;
  const auto mark = std::find(all.begin(), all.end(), "--");
  if (mark != all.end()) invocation.rest.assign(mark + 1, all.end());
  return {all.begin(), mark};
}

void check_command_name(const CLI::App& program, const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with("-")) return;
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({}))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), words[0]) != names.end()) return;
  const std::string guess = text::suggestion(words[0], names);
  throw UsageError(fmt::format("there is no command \"{}\"{}{} `ridge --help` shows them all",
                               words[0], guess, guess.empty() ? ";" : ""));
}

// CLI11 expects the last argument first.
std::vector<std::string> reversed(std::vector<std::string> words) {
  return {words.rbegin(), words.rend()};
}

int parse_and_run(std::vector<std::string> all) {
  CLI::App program(
      "Ridgepoint: learn to write fast GPU kernels. Without a command: watch the first unfinished rung.",
      "ridge");
  program.set_version_flag("--version", "ridge " RIDGE_VERSION);
  program.require_subcommand(0, 1);
  program.footer(
      "Example:\n  ridge                        edit labs/01-kernel-basics/1-vector-add.cu and save\n"
      "  ridge watch 03               watch the first unfinished rung of lab 03\n"
      "  ridge grade 01/1             grade that rung once\n"
      "  ridge hint 01/1              when you are stuck\n"
      "  ridge list                   the course, and what is next\n"
      "Every command that compiles takes --with nvcc or --with clang; `ridge doctor` says which is used without it.");
  take_compiler_option(all);
  Invocation invocation;
  for (const auto add :
       {add_list,    add_grade,   add_hint,  add_read,   add_quiz,    add_course, add_reset,
        add_trace,   add_view,    add_exec,  add_nvcc,   add_doctor,  add_check,  add_test,
        add_bench,   add_history, add_diff,  add_replay, add_worklog, add_card,   add_build,
        add_profile, add_tune,    add_class, add_submit, add_watch}) {
    add(program, invocation);
  }
  check_command_name(program, all);
  try {
    program.parse(reversed(split(all, invocation)));
  } catch (const CLI::CallForHelp& help) {
    fmt::print("{}", program.help());
    return kPassed;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return kPassed;
  } catch (const CLI::ParseError& error) {
    throw UsageError(text::command_line_error(program, error));
  }
  return program.get_subcommands().empty() ? watch() : invocation.exit_status;
}

}  // namespace

int run_program(int argument_count, const char* const* arguments) {
  const auto say = [](const std::exception& error, int status) {
    std::fflush(stdout);
    fmt::print(stderr, "ridge: {}\n", report::printable(error.what()));
    return status;
  };
  const bool is_doctor =
      argument_count > 1 && std::string_view(arguments[1]) == "doctor";  // it says so itself
  end_well_when_interrupted();
  try {
    const int status = parse_and_run({arguments + 1, arguments + argument_count});
    // A full disk under `ridge grade --json > file` must not look like a pass.
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw MachineError(kNoOutput);
    if (const std::string note = build::nvcc_passed_over(); !note.empty() && !is_doctor)
      fmt::print(stderr, "ridge: {}\n", report::printable(note));
    return status;
  } catch (const UsageError& error) {
    return say(error, kUsage);
  } catch (const course::NotFound& error) {
    return say(error, kUsage);
  } catch (const std::system_error& error) {
    const bool of_fmt = std::string_view(error.what()).starts_with("cannot write to file");
    return say(of_fmt ? MachineError(kNoOutput) : static_cast<const std::exception&>(error),
               kMachineLacks);
  } catch (const std::exception& error) {
    // A damaged course, a missing compiler, a full disk: the user must repair something on this
    // machine.
    return say(error, kMachineLacks);
  }
}

}  // namespace ridge::cli
