// `ridge history`: lists every graded version of a rung and what changed.
#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/runs/run_name.h"
#include "harness/cli/runs/stored_runs.h"
#include "harness/report/tables/history_table.h"
#include "harness/report/store/run_json.h"

namespace ridge::cli {
namespace {

constexpr size_t kShownRuns = 20;

struct HistoryOptions {
  std::string name;
  std::vector<std::string> runs;
  size_t newest = 0;
  bool all = false, solutions = false, json = false;
};

std::vector<report::StoredRun> chosen(const std::vector<report::StoredRun>& all, const course::Course& course,
                                      const HistoryOptions& options) {
  if (!options.runs.empty()) return find_runs(all, course, options.runs);
  std::vector<std::string> paths;
  if (!options.name.empty()) {
    for (const course::Rung* rung : course::find(course, options.name))
      paths.push_back(rung->path());
  }
  std::vector<report::StoredRun> runs;
  for (const report::StoredRun& run : all) {
    const bool named = paths.empty() || std::find(paths.begin(), paths.end(), run.rung) != paths.end();
    if (named && (options.solutions || run.origin == report::Origin::student)) runs.push_back(run);
  }
  return runs;
}

// Why there is nothing to show, and what to do.
std::string nothing(const HistoryOptions& options, const StoredRuns& stored) {
  const auto students = [](const report::StoredRun& run) { return run.origin == report::Origin::student; };
  const std::string of = options.name.empty() ? "" : " of " + options.name;
  if (!stored.all.empty() && !options.solutions &&
      std::none_of(stored.all.begin(), stored.all.end(), students)) {
    return "Only solutions have been graded in this clone; --solutions shows them.\n";
  }
  return fmt::format("No version{} has been graded yet; begin with: ridge grade {}\n", of,
                     options.name.empty() ? "01/1" : options.name);
}

int history(const HistoryOptions& options) {
  const auto root = clone_root();
  const course::Course course = course::load(root);
  StoredRuns stored = stored_runs(root);
  std::vector<report::StoredRun> runs = chosen(stored.all, course, options);
  const size_t there = runs.size();
  const size_t most = options.newest > 0 ? options.newest : options.all || options.json ? there : kShownRuns;
  if (there > most && options.runs.empty())
    runs.erase(runs.begin(), runs.end() - static_cast<ptrdiff_t>(most));
  report::Store* store = stored.store ? &*stored.store : nullptr;
  const auto changes = report::changes_of(runs, stored.all, store);
  if (options.json) {
    fmt::print("{}", report::runs_json(runs, changes));
    return kPassed;
  }
  if (runs.empty()) {
    fmt::print("{}", nothing(options, stored));
    return kPassed;
  }
  const report::Style style = report::style_of(1);
  const auto differs = [&](auto member) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const auto& run) { return run.*member != runs.front().*member; });
  };
  const bool one_rung = !differs(&report::StoredRun::rung);
  if (one_rung) fmt::print("{}\n", style.paint(report::Colour::bold, runs.front().rung));
  fmt::print("{}", report::history_table(runs, changes, {!one_rung, options.solutions}, style));
  if (there > runs.size()) {
    fmt::print(
        "{}", style.paint(report::Colour::dim, fmt::format("the newest {} of {} runs; --all shows the rest\n",
                                                           runs.size(), there)));
  }
  return kPassed;
}

}  // namespace

void add_history(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<HistoryOptions>();
  CLI::App* command =
      program.add_subcommand("history", "every graded version: verdict, result, what changed");
  command->add_option("LAB[/RUNG]", options->name, "a lab or rung; none: all")->check(not_empty());
  command->add_option("--run", options->runs, "only this run; may be given several times")
      ->option_text("RUN");
  command->add_option("-n", options->newest, "the newest N (default 20; with --json all)")
      ->option_text("N")
      ->check(CLI::Range(1, 1000000));
  command->add_flag("--all", options->all, "all of them");
  command->add_flag("--solutions", options->solutions, "the gradings of reference solutions too");
  command->add_flag("--json", options->json,
                    "everything that is kept, sources too, as JSON (fields: harness/report/store/run_json.h)");
  command->footer(
      std::string(kRunNames) +
      "lines: added and removed since the rung's previous run; the first run is compared\n"
      "with the skeleton.\n"
      "Example:\n  ridge history 01/1\n  ridge history --run best --json > run.json");
  command->callback([options, &invocation] { invocation.exit_status = history(*options); });
}

}  // namespace ridge::cli
