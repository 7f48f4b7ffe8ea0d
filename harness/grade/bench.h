// Measures one rung's file over a range of sizes, or baselines alone, for `ridge bench`. Nothing is
// graded.
#pragma once

#include "harness/grade/engine_choice.h"
#include "harness/grade/findings/outcome.h"
#include "harness/grade/grade.h"
#include "harness/grade/timed.h"
#include "trace/launch_report.h"

namespace ridge::grade {

struct BenchRequest {
  const course::Rung* rung = nullptr;
  std::filesystem::path source;
  Engine engine = Engine::automatic;
  std::vector<problems::Sizes> sizes;  // empty: the sizes of swept()
  std::filesystem::path cache;
  std::function<void(std::string_view)> progress;
};

struct BenchRow {
  std::string what;  // the size, or the baseline's name
  std::string size;  // "n = 1048576"
  double bytes = 0, operations = 0;
  // Wrong at this size, or the library is missing: no figures.
  std::optional<Outcome> outcome;
  std::optional<Measured> measured;           // GPU
  // Total over the launches; a name in harness/measure/counts.h.
  double count(std::string_view name) const;
  std::vector<trace::LaunchReport> launches;  // virtual GPU
};

struct Bench {
  Engine engine = Engine::virtual_gpu;
  std::string device;
  std::optional<Outcome> outcome;  // it did not compile, or there is no GPU: no rows
  std::vector<BenchRow> rows;
};

// The data that rows share: prepared once for many sizes, or many files of one rung.
struct BenchSetup {
  const course::Rung* rung = nullptr;
  EngineChoice choice;
  std::filesystem::path cache;
  Modules modules;  // GPU
  std::function<void(std::string_view)> progress;
};
BenchSetup make_bench_setup(const course::Rung& rung, const EngineChoice& choice,
                            const std::filesystem::path& cache);

enum class Answers {
  while_timed,  // at the timed size, as in a grade
  // Before timing, at the rung's small sizes: the reference of the timed size can take seconds.
  before
};
// Times one compiled file at one size, in its own child.
BenchRow time_row(const BenchSetup& setup, const std::filesystem::path& object, const problems::Sizes& sizes,
                  Answers answers);

// The reason why nothing can be timed here.
Outcome no_gpu(const std::string& why);

// The rung's gpu_size (or virtual_size) and smaller sizes of the same shape, each with about a
// quarter of the elements of the next, smallest first.
std::vector<problems::Sizes> swept(const course::Rung& rung, Engine engine);

Bench bench(const BenchRequest& request);

// Measures baselines on a GPU, each on one problem that it solves; empty names: all.
Bench bench_library(const std::vector<std::string>& names, const std::filesystem::path& cache,
                    const std::function<void(std::string_view)>& progress);

}  // namespace ridge::grade
