// The steps of `ridge tune`: candidates, measuring them on this machine's GPU, and what is kept of it.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "harness/cli/runs/records.h"
#include "harness/cli/terminal/progress_line.h"
#include "harness/grade/bench.h"
#include "harness/tune/tuning.h"

namespace ridge::cli {

// Ctrl-C sets it while this lives; a second Ctrl-C ends the program.
class BreakWatch {
 public:
  BreakWatch();
  ~BreakWatch();
  static const std::atomic<bool>& broken();
};

struct TuneWork {
  const course::Rung* rung = nullptr;
  bool solution = false;
  grade::EngineChoice choice;
  const warp_model::DeviceDescription* device = nullptr;  // null: one we have no figures of
  unsigned jobs = 0;
};

// Compiles, prunes. Throws UsageError when the file declares more than can be compiled.
tune::Tuning make_tuning(const tune::Space& space, const TuneWork& work, ProgressLine& line);

// Measures by what `wish` says.
void measure_tuning(const tune::Space& space, tune::Tuning& tuning, const tune::TuningOptions& options,
                    const TuneWork& work, ProgressLine& line);

// The best that is right in a whole grading, and that grading; none: nothing is.
struct Winner {
  const tune::Tried* tried = nullptr;
  grade::Result result;
};
struct Verified {
  std::optional<Winner> winner;
  std::string refused;  // a line for each that was faster and did not pass, with its verdict
};
Verified verify(const tune::Space& space, const tune::Tuning& tuning, const TuneWork& work,
                ProgressLine& line);

// The remembered setting as values of the space; none where it names others.
std::optional<tune::Values> values_of(const tune::Space& space, const report::Tuned& tuned);
report::Tuned tuned_of(const tune::Space& space, const tune::Tuning& tuning, const Winner& winner,
                       const TuneWork& work);
// The same for all settings of one file.
std::string file_hash(const tune::Space& space);

// Puts the values into the learner's file as it is now, unless it has them. Returns what to tell.
std::string write_values(const std::filesystem::path& root, const std::filesystem::path& file,
                         const tune::Space& space, const tune::Values& values);

}  // namespace ridge::cli
