// `ridge hint`: shows the next of a rung's three hints.
#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/rung_work.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/terminal.h"

namespace ridge::cli {
namespace {

int hint(const std::string& name) {
  const auto root = clone_root();
  const course::Course course = course::load(root);
  const auto rungs = course::find(course, name);
  if (rungs.size() != 1) {
    throw UsageError(fmt::format("{} is a lab of {} rungs, and hints belong to one; say which: ridge hint {}",
                                 name, rungs.size(), rungs.front()->path()));
  }
  Records records(root);
  const report::Style style = report::style_of(1);
  const size_t width = static_cast<size_t>(std::min(style.width, 90));
  fmt::print("{}", report::fitted(next_hint(*rungs.front(), records, width), style));
  return kPassed;
}

}  // namespace

void add_hint(CLI::App& program, Invocation& invocation) {
  auto rung = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("hint", "the next of a rung's three hints");
  command->add_option("RUNG", *rung, "a rung: 01/1, vector-add, or its file")->required();
  command->footer("Example:\n  ridge hint 01/1");
  command->callback([rung, &invocation] { invocation.exit_status = hint(*rung); });
}

}  // namespace ridge::cli
