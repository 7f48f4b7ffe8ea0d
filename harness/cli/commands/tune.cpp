// `ridge tune`: measures the settings that the `tune:` comments of a file name.
#include <fmt/format.h>
#include <signal.h>

#include <sstream>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/commands/tune_work.h"
#include "harness/cli/device_option.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/interruption.h"
#include "harness/problems/problem.h"
#include "harness/report/text/tune_text.h"
#include "text/layout.h"
#include "text/whole_file.h"
#include "trace/device_choice.h"
#include "trace/environment.h"

namespace ridge::cli {

namespace {

namespace fs = std::filesystem;

struct TuneOptions {
  std::string name;
  std::vector<std::string> sets;
  int tries = tune::kMostTries;
  unsigned jobs = 0;
  bool solution = false, write = false, again = false, exhaustive = false, dry = false, json = false;
};

const course::Rung& rung_to_tune(const course::Course& course, const std::string& name) {
  const auto rungs = course::find(course, name);
  if (rungs.size() != 1)
    throw UsageError(
        fmt::format("{} is a lab of {} rungs, and one is tuned at a time; say which: ridge tune {}", name,
                    rungs.size(), rungs.front()->path()));
  return *rungs.front();
}

// Parses "kTileM=64,128".
void apply(tune::Space& space, const std::string& set) {
  const size_t equals = set.find('=');
  std::vector<int64_t> values;
  std::istringstream list(equals == std::string::npos ? "" : set.substr(equals + 1));
  for (std::string word; std::getline(list, word, ',');) {
    if (word == "true" || word == "false") {
      values.push_back(word == "true");
      continue;
    }
    if (word.empty() || word.size() > 18 || word.find_first_not_of("-0123456789") != std::string::npos ||
        word.find_last_of('-') + 1 > 1)
      throw UsageError(fmt::format("--set {}: \"{}\" is not a whole number, true or false", set, word));
    values.push_back(std::stoll(word));
  }
  if (values.empty())
    throw UsageError(fmt::format("--set {}: write --set NAME=VALUE or NAME=VALUE,VALUE", set));
  space.restrict_to(set.substr(0, equals), values);
}

tune::Space space_of(const fs::path& root, const fs::path& file, const TuneOptions& options) {
  const std::string shown = file.lexically_relative(root).string();
  try {
    tune::Space space(text::read_file(file));
    if (space.parameters().empty())
      throw UsageError(fmt::format(
          "{} declares nothing to tune; list the possible values of a constant after it: "
          "constexpr int kStages = 2;  // tune: 2, 3, 4",
          shown));
    for (const std::string& set : options.sets)
      apply(space, set);
    return space;
  } catch (const tune::DeclarationError& error) {
    throw UsageError(fmt::format("{}: {}", shown, error.what()));
  }
}

const warp_model::DeviceDescription* described(const grade::EngineChoice& choice) {
  if (choice.gpu) return warp_model::find_device(choice.gpu->name);
  const char* asked = std::getenv(trace::kDeviceVariable);
  std::string unknown;
  return trace::choose_device(asked ? asked : "", unknown);
}

// Explains why no candidate is left to measure.
int nothing_left(const tune::Tuning& tuning, const report::Style& style) {
  for (const tune::Candidate& candidate : tuning.candidates)
    if (candidate.pruned == tune::Pruned::not_compiled) {
      fmt::print("COMPILE ERROR: nvcc could not compile the file with any of its settings; one of them:\n{}",
                 text::indented(candidate.messages, 4));
      return kNotPassed;
    }
  fmt::print(
      "{}Nothing is left to measure: give the constants other values to try, or fix their "
      "constraints.\n",
      report::pruned_text(tuning, style));
  return kNotPassed;
}

class Tuner {
 public:
  explicit Tuner(const TuneOptions& options)
      : options_(options),
        root_(clone_root()),
        course_(course::load(root_)),
        rung_(rung_to_tune(course_, options.name)),
        file_(source_of(rung_, options.solution)),
        space_(space_of(root_, file_, options)),
        records_(root_) {}

  int run() {
    say_when_interrupted("nothing was remembered, and the file is as it was");
    work_.rung = &rung_;
    work_.solution = options_.solution;
    work_.jobs = options_.jobs;
    work_.choice = grade::choose_engine(options_.dry ? grade::Engine::automatic : grade::Engine::gpu,
                                        runner::find_installation());
    if (options_.dry) return dry();
    if (const auto status = from_memory()) return *status;
    if (!work_.choice.why_not.empty()) return no_gpu();
    return search();
  }

 private:
  int no_gpu() const {
    fmt::print(
        stderr,
        "SKIPPED: A GPU is needed, and {}.\nTuning compares times, and the virtual GPU counts and does not "
        "time. `ridge tune {} --dry` shows here which settings are worth measuring, and in which order they "
        "would be; `ridge doctor` says what is missing.\n",
        work_.choice.why_not, rung_.path());
    return kMachineLacks;
  }

  int dry() {
    work_.device = described(work_.choice);
    const BreakWatch watch;
    const tune::Tuning tuning = make_tuning(space_, work_, line_);
    if (tuning.measurable.empty() && !BreakWatch::broken()) return nothing_left(tuning, style_);
    fmt::print("{} for {}: {}", style_.paint(report::Colour::bold, rung_.path()),
               work_.device ? work_.device->product_name : "a GPU that is not described here",
               report::pruned_text(tuning, style_));
    constexpr size_t kMostRows = 40;
    tune::TuningOptions tuning_options;
    tuning_options.most_tries = options_.tries;
    tuning_options.current = space_.current();
    fmt::print(
        "\n{}\nThey are measured in this order. Nothing was measured now.\n",
        report::dry_table(space_, tuning, tune::measuring_order(tuning, tuning_options), kMostRows, style_));
    if (BreakWatch::broken())
      fmt::print(
          "Interrupted: settings that were not compiled are not in it. Those that were stay compiled, and "
          "the "
          "same command goes on from there.\n");
    if (BreakWatch::broken()) end_as_interrupted();
    return kPassed;
  }

  // The remembered result for exactly this file, if it answers the request.
  std::optional<int> from_memory() {
    if (options_.again || options_.exhaustive || !options_.sets.empty() || options_.json) return std::nullopt;
    std::optional<report::Tuned> tuned;
    const std::string device = work_.choice.gpu ? work_.choice.gpu->name : "";
    records_.with(
        [&](report::Store& store) { tuned = store.best_tuning(rung_.path(), file_hash(space_), device); });
    if (!tuned) return std::nullopt;
    const auto values = values_of(space_, *tuned);
    if (!values) return std::nullopt;
    if (!work_.choice.gpu && !options_.write) return std::nullopt;
    fmt::print("Remembered for this file on {}: {}, {:.1f}% ({} of {} settings were measured).\n",
               tuned->device, style_.paint(report::Colour::green, space_.describe(*values)), tuned->percent,
               tuned->tries, tuned->candidates);
    if (options_.write)
      fmt::print("{}", write_values(root_, file_, space_, *values));
    else
      tell_what_next(*values, true);
    return kPassed;
  }

  void tell_what_next(const tune::Values& values, bool remembered) const {
    const bool there = values == space_.current();
    if (there)
      fmt::print("The file has these values.");
    else if (!options_.solution)
      fmt::print("Put them into the file: ridge tune {} --write", rung_.path());
    if (remembered)
      fmt::print("{}Measure again: ridge tune {}{} --again", there ? " " : "\n", rung_.path(),
                 options_.solution ? " --solution" : "");
    fmt::print("\n");
  }

  int search() {
    work_.device = described(work_.choice);
    const BreakWatch watch;
    tune::Tuning tuning = make_tuning(space_, work_, line_);
    if (tuning.measurable.empty() && !BreakWatch::broken()) return nothing_left(tuning, style_);
    tune::TuningOptions tuning_options;
    tuning_options.most_tries = options_.tries;
    tuning_options.exhaustive = options_.exhaustive;
    tuning_options.current = space_.current();
    tuning_options.stop = &BreakWatch::broken();
    if (!BreakWatch::broken()) measure_tuning(space_, tuning, tuning_options, work_, line_);
    tuning.interrupted |= BreakWatch::broken();
    show(tuning);
    if (tuning.interrupted) interrupted(tuning);
    return conclude(tuning);
  }

  void show(const tune::Tuning& tuning) const {
    if (options_.json) {
      const problems::Problem& problem = problems::find_problem(rung_.problem);
      fmt::print("{}", report::tuning_json(space_, tuning,
                                           {rung_.path(), work_.choice.gpu->name,
                                            problems::describe(problem, rung_.gpu_size), rung_.baseline}));
      return;
    }
    constexpr size_t kMostRows = 24;
    fmt::print("{} on {}: {}\n{}", style_.paint(report::Colour::bold, rung_.path()), work_.choice.gpu->name,
               report::pruned_text(tuning, style_), report::tried_table(space_, tuning, kMostRows, style_));
    fmt::print("{}", report::gap_text(space_, tuning, style_));
    std::fflush(stdout);
  }

  [[noreturn]] static void end_as_interrupted() {
    std::fflush(nullptr);
    end_by(SIGINT);  // so that a shell loop around it ends too
  }

  [[noreturn]] static void interrupted(const tune::Tuning& tuning) {
    fmt::print(stderr,
               "Interrupted after {} measurements: nothing was remembered, and the file is as it was.\n",
               tuning.tried.size());
    end_as_interrupted();
  }

  int conclude(const tune::Tuning& tuning) {
    const Verified verified = verify(space_, tuning, work_, line_);
    fmt::print(stderr, "{}", verified.refused);
    if (BreakWatch::broken()) interrupted(tuning);
    if (!verified.winner) {
      fmt::print(stderr, "No setting is right: grade the file first, `ridge grade {}`.\n", rung_.path());
      return kNotPassed;
    }
    const report::Tuned tuned = tuned_of(space_, tuning, *verified.winner, work_);
    const tune::Values& values = tuning.candidates[verified.winner->tried->candidate].values;
    const bool kept = records_.with([&](report::Store& store) { store.record_tuning(tuned); });
    if (!options_.json)
      fmt::print(
          "\nThe best: {}: {:.1f}% in a full grading, {}. {}\n",
          style_.paint(report::Colour::green, space_.describe(values)), tuned.percent,
          grade::to_string(verified.winner->result.verdict),
          kept ? fmt::format("It is remembered for {}.", tuned.device) : "It could not be remembered.");
    if (options_.write)
      fmt::print("{}", write_values(root_, file_, space_, values));
    else if (!options_.json)
      tell_what_next(values, false);
    return kPassed;
  }

  const TuneOptions& options_;
  const fs::path root_;
  const course::Course course_;
  const course::Rung& rung_;
  const fs::path file_;
  const tune::Space space_;
  Records records_;
  TuneWork work_;
  ProgressLine line_;
  const report::Style style_ = report::style_of(1);
};

}  // namespace

void add_tune(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = program.add_subcommand(
      "tune", "try the values that a file's `tune:` comments name, and remember the best for this GPU");
  command->add_option("RUNG", options->name, "a rung: 05/9, autotuned, or its file")->required();
  command
      ->add_option(
          "--tries", options->tries,
          fmt::format("how many settings are measured at most (default {}), spread evenly", tune::kMostTries))
      ->check(CLI::Range(1, 10000))
      ->option_text("N");
  command
      ->add_option("--set", options->sets,
                   "hold a constant to one value, or some: kTileK=8 or kStages=2,3; repeatable")
      ->option_text("NAME=VALUES")
      ->take_all();
  auto* write =
      command->add_flag("--write", options->write,
                        "write the best values into your file and keep a copy of it beside it; measures only if they are not "
                               "remembered");
  command->add_flag("--solution", options->solution, "the reference instead of your file")->excludes(write);
  command->add_flag("--again", options->again, "measure although the best is remembered");
  command->add_flag("--exhaustive", options->exhaustive,
                    "measure all settings, and report how close the first tries came to the best");
  command
      ->add_flag("--dry", options->dry,
                 "measure nothing: which settings there are, which are left out and why, and the order of "
                 "measuring; needs no GPU")
      ->excludes(write);
  command->add_option("-j,--jobs", options->jobs, "how many nvcc run at a time (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  add_device_option(*command);
  command->add_flag("--json", options->json,
                    "print every measurement as JSON (fields: harness/report/text/tune_text.h)");
  command->footer(
      "A constant is tuned when a comment behind it names its values:\n"
      "  constexpr int kStages = 2;  // tune: 2, 3, 4    buffers\n"
      "static_asserts say which values go together. Constants named kThreads (threads per block) and\n"
      "kSharedBytes (dynamic shared memory) let it work out how many blocks fit on an SM.\n"
      "Ctrl-C shows what was measured until then and leaves the file as it was.\n"
      "Exit status: 0 found, 1 nothing compiles or is right, 3 there is no GPU.\n"
      "Example:\n  ridge tune 05/9\n  ridge tune 05/9 --write\n  ridge tune 05/9 --dry --as H100\n"
      "  ridge tune 05/9 --exhaustive --set kTileK=8 --set kCols=8");
  command->callback([options, &invocation] { invocation.exit_status = Tuner(*options).run(); });
}

}  // namespace ridge::cli
