// The steps of `ridge tune`: creates candidates, measures them on this machine's GPU, and stores
// the result.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "harness/cli/runs/records.h"
#include "harness/cli/terminal/progress_line.h"
#include "harness/grade/bench.h"
#include "harness/tune/tuning.h"

namespace ridge::cli {

// Ctrl-C sets it during its lifetime; a second Ctrl-C ends the program.
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
  const warp_model::DeviceDescription* device = nullptr;  // null: a device without figures
  unsigned jobs = 0;
};

// Compiles and prunes. Throws UsageError when the file declares more combinations than can be
// compiled.
tune::Tuning make_tuning(const tune::Space& space, const TuneWork& work, ProgressLine& line);

// Measures as `options` say.
void measure_tuning(const tune::Space& space, tune::Tuning& tuning, const tune::TuningOptions& options,
                    const TuneWork& work, ProgressLine& line);

// The best setting that is correct in a full grading, and that grading; empty when there is none.
struct Winner {
  const tune::Tried* tried = nullptr;
  grade::Result result;
};
struct Verified {
  std::optional<Winner> winner;
  std::string refused;  // one line with the verdict for each faster setting that did not pass
};
Verified verify(const tune::Space& space, const tune::Tuning& tuning, const TuneWork& work,
                ProgressLine& line);

// The remembered setting as values of the space; no value when it names other parameters.
std::optional<tune::Values> values_of(const tune::Space& space, const report::Tuned& tuned);
report::Tuned tuned_of(const tune::Space& space, const tune::Tuning& tuning, const Winner& winner,
                       const TuneWork& work);
// Equal for all settings of one file.
std::string file_hash(const tune::Space& space);

// Writes the values into the student's current file unless it has them already. Returns the
// message.
std::string write_values(const std::filesystem::path& root, const std::filesystem::path& file,
                         const tune::Space& space, const tune::Values& values);

}  // namespace ridge::cli
