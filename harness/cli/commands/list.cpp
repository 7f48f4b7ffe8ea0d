// `ridge list`: shows the course map with verdicts and best percentages.
#include <fmt/format.h>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/rung_work.h"
#include "harness/report/tables/course_map.h"
#include "harness/report/text/terminal.h"

namespace ridge::cli {
namespace {

int list() {
  const auto root = clone_root();
  const course::Course course = course::load(root);
  std::map<std::string, report::RungRecord> progress;
  Records records(root);
  records.with([&](report::Store& store) { progress = store.records(); });
  fmt::print("{}", report::show_course(course, progress, report::style_of(1), untouched_rungs(course)));
  return 0;
}

}  // namespace

void add_list(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("list", "the course map: labs, rungs, verdicts, best percentage");
  command->footer("Example:\n  ridge list");
  command->callback([&invocation] { invocation.exit_status = list(); });
}

}  // namespace ridge::cli
