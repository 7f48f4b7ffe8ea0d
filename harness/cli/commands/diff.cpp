// `ridge diff`: compares source and figures of two graded versions.
#include <fmt/format.h>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/runs/run_name.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/runs/stored_runs.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/report/tables/compared_figures.h"
#include "harness/report/tables/history_table.h"
#include "text/source_difference.h"
#include "text/whole_file.h"

namespace ridge::cli {
namespace {

std::string heading(const report::StoredRun& run) {
  return fmt::format("run {}  {}, {}", run.number, report::local_time(run.at_ms), run.rung);
}

void print_sources(const std::string& old_source, const std::string& new_source, const std::string& before,
                   const std::string& after, const report::Style& style) {
  const std::string lines = text::unified_diff(old_source, new_source, style.colour);
  if (lines.empty()) {
    fmt::print("The source is the same.\n");
    return;
  }
  fmt::print("{}\n{}\n{}", style.paint(report::Colour::bold, "--- " + before),
             style.paint(report::Colour::bold, "+++ " + after), lines);
}

int diff(std::vector<std::string> names) {
  if (names.size() > 2) throw UsageError(fmt::format("{} runs were named, and two can be compared; see ridge diff --help", names.size()));
  const auto root = clone_root();
  const course::Course course = course::load(root);
  const StoredRuns stored = stored_runs(root);
  const report::Style style = report::style_of(1);
  if (names.empty()) names = {"-1", "last"};
  const auto runs = find_runs(stored.all, course, names);
  if (runs.size() == 1) {
    const course::Rung& rung = rung_of(course, runs[0]);
    const std::string file = rung.skeleton.lexically_relative(root).string();
    print_sources(runs[0].source, text::read_file(source_of(rung, false)), heading(runs[0]),
                  file + " as it is now", style);
    return kPassed;
  }
  print_sources(runs[0].source, runs[1].source, heading(runs[0]), heading(runs[1]), style);
  fmt::print("\n{}", report::compared_figures(runs[0], runs[1], fmt::format("run {}", runs[0].number),
                                              fmt::format("run {}", runs[1].number), style));
  return kPassed;
}

}  // namespace

void add_diff(CLI::App& program, Invocation& invocation) {
  auto runs = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      program.add_subcommand("diff", "two graded versions: what changed in the source and in the figures");
  command->add_option("RUN", *runs, "two runs; one: that run and the file as it is now; none: -1 and last");
  command->footer(
      std::string(kRunNames) +
      "Figures under \"measured\" were timed on a GPU, those under \"modelled\" counted on the virtual GPU.\n"
      "Example:\n  ridge diff best last");
  command->callback([runs, &invocation] { invocation.exit_status = diff(*runs); });
}

}  // namespace ridge::cli
