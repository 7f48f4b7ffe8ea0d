// `ridge replay`: grades a stored run again with the same inputs and compares the results.
#include "harness/report/store/replay.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/engine_option.h"
#include "harness/cli/runs/run_name.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/runs/stored_runs.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/interruption.h"
#include "harness/cli/terminal/progress_line.h"
#include "harness/grade/scratch_folder.h"
#include "harness/report/store/run_json.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/text.h"
#include "text/layout.h"
#include "text/whole_file.h"
#include "trace/environment.h"

namespace ridge::cli {
namespace {

namespace fs = std::filesystem;

struct ReplayOptions {
  std::string run, file;
  std::optional<grade::Engine> engine;
};

report::StoredRun run_to_replay(const fs::path& root, const course::Course& course,
                                const ReplayOptions& options) {
  if (options.file.empty()) {
    const std::vector<std::string> names = {options.run.empty() ? "last" : options.run};
    return find_runs(stored_runs(root).all, course, names).front();
  }
  const auto all = report::runs_from_json(text::read_file(options.file), options.file);
  if (all.empty()) throw UsageError(fmt::format("{} holds no runs", options.file));
  if (options.run.empty() && all.size() > 1) {
    throw UsageError(fmt::format("{} holds {} runs; say which: ridge replay {} --from {}", options.file,
                                 all.size(), all.back().number, options.file));
  }
  if (options.run.empty()) return all.front();
  return find_runs(all, course, std::vector<std::string>{options.run}).front();
}

grade::Result grade_again(const course::Rung& rung, const report::StoredRun& run, grade::Engine engine) {
  const grade::ScratchFolder scratch(cache_folder(rung));
  const fs::path source = scratch.path() / (rung.name + ".cu");
  std::ofstream file(source, std::ios::binary);
  file << run.source;
  file.close();
  if (!file) throw MachineError(fmt::format("cannot write {}: is the disk full?", source.string()));
  // Use the device of the recorded run, whatever RIDGE_DEVICE of this shell is.
  const std::string device = report::object_in(run.conditions).value("device_asked", "");
  if (device.empty())
    unsetenv(trace::kDeviceVariable);
  else
    setenv(trace::kDeviceVariable, device.c_str(), 1);
  ProgressLine line;
  say_when_interrupted("the run was not compared; nothing of a replay is kept");
  grade::Request request;
  request.even_untouched = true;  // it was graded at that time
  request.rung = &rung;
  request.source = source;
  request.engine = engine;
  request.seed = run.seed;
  request.cache = scratch.path() / "cache";  // use no earlier compilation
  request.progress = [&](std::string_view text) { line.show(fmt::format("run {}: {}", run.number, text)); };
  grade::Result result = grade::grade(request);
  line.clear();
  return result;
}

int replay(const ReplayOptions& options) {
  const fs::path root = clone_root();
  const course::Course course = course::load(root);
  const report::StoredRun run = run_to_replay(root, course, options);
  const course::Rung& rung = rung_of(course, run);
  const report::Style style = report::style_of(1);
  fmt::print("{}", report::fitted(report::replay_heading(run, style), style));
  std::fflush(stdout);
  const grade::Result now = grade_again(rung, run, options.engine.value_or(run.engine));
  if (now.verdict == grade::Verdict::skipped) {
    fmt::print("{}{}", text::wrapped(now.summary, size_t(style.width), 0),
               text::wrapped("It was graded on " + run.device +
                                 ". To replay its answers without its times: --on virtual",
                             size_t(style.width), 0));
    return kMachineLacks;
  }
  const report::Replay compared = report::compare_replay(run, now);
  fmt::print("{}", report::show_replay(run, now, compared, style));
  return compared.agrees() ? kPassed : kNotPassed;
}

}  // namespace

void add_replay(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command = program.add_subcommand(
      "replay", "grade a run again, with the same source, hidden sizes and inputs, and compare");
  command->add_option("RUN", options->run, "the run (default: last)");
  command->add_option("--from", options->file, "a file of `ridge history --json`, from any clone")
      ->option_text("FILE")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--on", options->engine,
                   "another engine than the run's: then only the answers are compared")
      ->transform(engine_name(false))
      ->option_text("gpu|virtual");
  command->footer(
      std::string(kRunNames) +
      "Nothing of a replay is kept. Exit status: 0 the run is confirmed, 1 it is not, 2 wrong usage, 3 the\n"
      "machine lacks something.\n"
      "Example:\n  ridge replay 12\n  ridge history 01/1 --run best --json > run.json   # the student\n"
      "  ridge replay --from run.json                          # the instructor");
  command->callback([options, &invocation] { invocation.exit_status = replay(*options); });
}

}  // namespace ridge::cli
