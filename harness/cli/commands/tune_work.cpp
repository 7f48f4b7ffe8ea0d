#include "harness/cli/commands/tune_work.h"

#include <fmt/format.h>
#include <signal.h>

#include "harness/build/sha256.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/whole_file.h"
#include "text/whole_file.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostCombinations = 20000;  // maximum number of combinations to examine
constexpr size_t kShownLetters = 300;

std::atomic<bool> pressed{false};
struct sigaction before_watch;

}  // namespace

BreakWatch::BreakWatch() {
  pressed = false;
  struct sigaction action {};
  action.sa_handler = [](int) { pressed = true; };
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigaction(SIGINT, &action, &before_watch);
}

BreakWatch::~BreakWatch() {
  sigaction(SIGINT, &before_watch, nullptr);
}

const std::atomic<bool>& BreakWatch::broken() {
  return pressed;
}

tune::Tuning make_tuning(const tune::Space& space, const TuneWork& work, ProgressLine& line) {
  if (space.size() > kMostCombinations)
    throw UsageError(fmt::format(
        "the file declares {} settings, more than the {} that are looked at; name fewer values on its "
        "`tune:` lines, or hold some with --set NAME=VALUE",
        space.size() == SIZE_MAX ? "countless" : std::to_string(space.size()), kMostCombinations));
  const course::Rung& rung = *work.rung;
  const fs::path folder = cache_folder(rung) / "tune";
  tune::CandidateOptions candidate_options;
  candidate_options.folder = folder / (rung.lab + "-" + rung.name + (work.solution ? "-solution" : ""));
  candidate_options.cache =
      folder;  // a separate cache: hundreds of settings must not evict the student's objects
  candidate_options.include_folders = rung.include_folders();
  candidate_options.file_name = rung.skeleton.filename().string();
  candidate_options.architecture = work.choice.architecture;
  candidate_options.device = work.device;
  candidate_options.jobs = work.jobs;
  candidate_options.stop = &BreakWatch::broken();
  candidate_options.progress = [&line](std::string_view text) { line.show(text); };
  tune::Tuning tuning;
  tuning.candidates = tune::make_candidates(space, candidate_options);
  for (size_t i = 0; i < tuning.candidates.size(); ++i)
    if (tuning.candidates[i].pruned == tune::Pruned::no) tuning.measurable.push_back(i);
  line.clear();
  return tuning;
}

void measure_tuning(const tune::Space& space, tune::Tuning& tuning, const tune::TuningOptions& options,
                    const TuneWork& work, ProgressLine& line) {
  const size_t most = options.exhaustive
                          ? tuning.measurable.size()
                          : std::min(tuning.measurable.size(), static_cast<size_t>(options.most_tries));
  grade::BenchSetup setup =
      grade::make_bench_setup(*work.rung, work.choice, cache_folder(*work.rung) / "tune");
  double best = 0;
  const tune::Measure measure = [&](const tune::Candidate& candidate) {
    const std::string where =
        fmt::format("[{}/{}]{} {}", tuning.tried.size() + 1, most,
                    best > 0 ? fmt::format(" best {:.1f}%,", best) : "", space.describe(candidate.values));
    line.show(where);
    setup.progress = [&](std::string_view text) {
      line.show(BreakWatch::broken() ? "stopping when this one is over (Ctrl-C again: at once)"
                                     : where + ": " + std::string(text));
    };
    const grade::BenchRow row =
        grade::time_row(setup, candidate.object, work.rung->gpu_size, grade::Answers::before);
    tune::Measurement measurement;
    measurement.broken_off = BreakWatch::broken();
    if (row.outcome) {
      // A missing library is missing for all candidates.
      if (row.outcome->verdict == grade::Verdict::skipped && !measurement.broken_off)
        throw MachineError(row.outcome->summary + " " + row.outcome->next);
      measurement.failure = fmt::format("{}: {}", grade::to_string(row.outcome->verdict), row.outcome->summary)
                                .substr(0, kShownLetters);
      return measurement;
    }
    if (!row.measured) {
      measurement.failure = "it gave no times";
      return measurement;
    }
    measurement.percent = row.measured->percent;
    measurement.percent_low = row.measured->percent_low;
    measurement.percent_high = row.measured->percent_high;
    measurement.time_ms = row.measured->time_ms;
    best = std::max(best, measurement.percent);
    return measurement;
  };
  tune::carry_out(tuning, options, measure);
  line.clear();
}

Verified verify(const tune::Space& space, const tune::Tuning& tuning, const TuneWork& work,
                ProgressLine& line) {
  Verified verified;
  for (const tune::Tried* tried : tuning.ranked()) {
    const tune::Candidate& candidate = tuning.candidates[tried->candidate];
    grade::Request request;
    request.even_untouched = true;
    request.rung = work.rung;
    request.source = candidate.source;
    request.engine = grade::Engine::gpu;
    request.cache = cache_folder(*work.rung) / "tune";
    request.progress = [&](std::string_view text) {
      line.show(fmt::format("a full grading of the best: {}", text));
    };
    grade::Result result = grade::grade(request);
    line.clear();
    // SLOW means correct but slower than the target. The best setting of a slow kernel is still
    // useful.
    const bool right =
        result.measured && (grade::passed(result.verdict) || result.verdict == grade::Verdict::slow);
    if (right) {
      verified.winner = {tried, std::move(result)};
      return verified;
    }
    if (BreakWatch::broken()) return verified;
    verified.refused += fmt::format("{}: {}: {}\n", space.describe(candidate.values),
                                    grade::to_string(result.verdict), result.summary);
  }
  return verified;
}

std::string file_hash(const tune::Space& space) {
  return build::sha256(space.text_without_values());
}

std::optional<tune::Values> values_of(const tune::Space& space, const report::Tuned& tuned) {
  tune::Values values;
  for (const tune::Parameter& parameter : space.parameters()) {
    const auto found = tuned.setting.find(parameter.name);
    if (found == tuned.setting.end()) return std::nullopt;
    values.push_back(found->second);
  }
  return values;
}

report::Tuned tuned_of(const tune::Space& space, const tune::Tuning& tuning, const Winner& winner,
                       const TuneWork& work) {
  report::Tuned tuned;
  tuned.rung = work.rung->path();
  tuned.device = winner.result.device;
  tuned.file_sha256 = file_hash(space);
  const tune::Candidate& candidate = tuning.candidates[winner.tried->candidate];
  for (size_t i = 0; i < candidate.values.size(); ++i)
    tuned.setting[space.parameters()[i].name] = candidate.values[i];
  tuned.percent = winner.result.measured->percent;
  tuned.tries = static_cast<int64_t>(tuning.tried.size());
  tuned.candidates = static_cast<int64_t>(tuning.measurable.size());
  return tuned;
}

std::string write_values(const fs::path& root, const fs::path& file, const tune::Space& space,
                         const tune::Values& values) {
  const std::string shown = file.lexically_relative(root).string();
  const std::string now = text::read_file(file);
  if (now == space.text_with(values)) return fmt::format("{} has these values already.\n", shown);
  if (now != space.text())
    throw UsageError(fmt::format(
        "{} was changed while it was tuned, so nothing was written; tune it as it is now, or write {} "
        "yourself",
        shown, space.describe(values)));
  const fs::path kept = keep_beside(file);
  replace_file(file, space.text_with(values));
  return fmt::format("{} now has these values; it was kept as {}.\n", shown,
                     kept.lexically_relative(root).string());
}

}  // namespace ridge::cli
