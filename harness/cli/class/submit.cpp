// `ridge submit`: hands in a rung and waits for its verdict.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/cli/class/submission.h"
#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/runs/records.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/interruption.h"
#include "harness/cli/terminal/progress_line.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/text.h"
#include "text/whole_file.h"

namespace ridge::cli {
namespace {

namespace fs = std::filesystem;

struct SubmitOptions {
  std::string name, file, assignment;
  bool no_wait = false;
};

int submit(const SubmitOptions& options) {
  const fs::path root = clone_root();
  const leaderboard::Membership own = own_membership();
  const course::Course course = course::load(root);
  const auto rungs = course::find(course, options.name);
  if (rungs.size() != 1)
    throw UsageError(
        fmt::format("{} names {} rungs; hand in one, such as 02/4", options.name, rungs.size()));
  const course::Rung& rung = *rungs.front();
  const fs::path source = options.file.empty() ? source_of(rung, false) : fs::path(options.file);
  Submission submission{&rung, text::read_file(source), options.assignment};
  Records records(root);  // if the store cannot be opened, the submission continues
  records.with(
      [&](report::Store& store) { submission.hints_shown = store.hints_used(rung.path()); });
  const HandedIn received = hand_in(own, submission);
  fmt::print("{}\n", received.sentence());
  std::fflush(stdout);
  if (options.no_wait) return kPassed;
  say_when_interrupted(
      fmt::format("submission {} is with the server and will be graded", received.number));
  nlohmann::json done;
  {
    ProgressLine line;
    done = follow(own, received.number, [&](std::string_view words) {
      line.show(fmt::format("{}: {}", rung.path(), words));
    });
  }
  const report::Style style = report::style_of(1);
  fmt::print("{}", report::fitted(verdict_text(done, received, rung, style), style));
  return has_passed(done) ? kPassed : kNotPassed;
}

}  // namespace

void add_submit(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<SubmitOptions>();
  CLI::App* command =
      program.add_subcommand("submit", "hand in a rung to your class and follow its verdict");
  command->add_option("LAB/RUNG", options->name, "such as 02/4")->required();
  command->add_option("--file", options->file, "hand in this file instead of the clone's")
      ->check(CLI::ExistingFile);
  command->add_option("--assignment", options->assignment,
                      "where several assignments have the rung");
  command->add_flag("--no-wait", options->no_wait, "do not wait for the verdict");
  command->footer(
      "Exit status: 0 passed, 1 not passed, 2 wrong usage, 3 the class could not be reached or refuses.\n"
      "Example:\n  ridge class join http://127.0.0.1:8180 CODE      # once\n  ridge submit 02/4");
  command->callback([options, &invocation] { invocation.exit_status = submit(*options); });
}

}  // namespace ridge::cli
