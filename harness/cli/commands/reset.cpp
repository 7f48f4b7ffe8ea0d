// `ridge reset`: restores a rung's skeleton and keeps the student's version under another name.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/skeleton.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/whole_file.h"
#include "text/whole_file.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

int reset(const std::string& name, bool yes) {
  const fs::path root = clone_root();
  const course::Course course = course::load(root);
  const auto rungs = course::find(course, name);
  if (rungs.size() != 1) {
    throw UsageError(fmt::format(
        "{} is a lab of {} rungs, and one is reset at a time; say which: ridge reset {}", name,
        rungs.size(), rungs.front()->path()));
  }
  const course::Rung& rung = *rungs.front();
  const std::string shown = rung.skeleton.lexically_relative(root).string();
  std::error_code error;
  if (!yes && fs::exists(rung.skeleton, error)) {
    if (!isatty(0)) {
      throw UsageError(
          "ridge reset asks before it replaces a file, and standard input is not a terminal; add --yes to put the "
          "skeleton back");
    }
    fmt::print("Put the skeleton of {} back? Your version is kept beside it. [y/n] ", shown);
    std::fflush(stdout);
    std::string answer;
    std::getline(std::cin, answer);
    if (answer != "y" && answer != "yes") {
      fmt::print("Nothing was changed.\n");
      return kPassed;
    }
  }
  Records records(root);
  const auto kept = reset_rung(root, rung, records);
  if (kept && kept->empty()) {
    fmt::print("{} has the skeleton again\n", shown);
  } else if (kept) {
    fmt::print("{} is the skeleton again; your version is {}\n", shown,
               kept->lexically_relative(root).string());
  } else {
    fmt::print("{} is the skeleton already; nothing was changed\n", shown);
  }
  return kPassed;
}

}  // namespace

std::optional<fs::path> reset_rung(const fs::path& root, const course::Rung& rung,
                                   Records& records) {
  const std::string skeleton = skeleton_of(root, rung, records);
  std::error_code error;
  if (!fs::exists(rung.skeleton, error)) {
    replace_file(rung.skeleton, skeleton);
    return fs::path();
  }
  if (text::read_file(rung.skeleton) == skeleton) return std::nullopt;
  const fs::path kept = keep_beside(rung.skeleton);
  replace_file(rung.skeleton, skeleton);
  return kept;
}

void add_reset(CLI::App& program, Invocation& invocation) {
  struct Options {
    std::string rung;
    bool yes = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      program.add_subcommand("reset", "put a rung's skeleton back, keeping your version beside it");
  command->add_option("RUNG", options->rung, "a rung: 01/1, vector-add, or its file")->required();
  command->add_flag("--yes,-y", options->yes, "do not ask");
  command->footer("Example:\n  ridge reset 01-kernel-basics/1-vector-add");
  command->callback(
      [options, &invocation] { invocation.exit_status = reset(options->rung, options->yes); });
}

}  // namespace ridge::cli
