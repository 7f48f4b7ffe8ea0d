// What a stored run says about speed: read back from the figures that the store keeps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/store/store.h"

namespace ridge::report {

struct PastGate {
  std::string count;
  std::optional<double> at_most, at_least;
  double value = 0;
};

struct PastRun {
  int64_t number = 0;
  grade::Verdict verdict = grade::Verdict::skipped;
  std::string device, size;
  std::optional<double> percent, time_ms;  // measured
  std::string bound;                       // "memory", "compute", "overhead"; "" where no roof was known
  double roof_percent = 0;                 // of that roof
  std::string counted_size;                // of what is modelled, where it stands beside what was measured
  std::vector<PastGate> gates;
  // Modelled, all lines together; 0 where nothing was counted.
  double load_sectors = 0, store_sectors = 0, shared_passes = 0, requests = 0;
};

// Figures that cannot be read (of another version, or damaged) are left out.
PastRun past_run(const StoredRun& run);
PastRun past_run(const grade::Result& result);

// Fast enough or not.
bool is_right(const PastRun& run);

// 1 at or within the limit, less the further beyond it: a tenth at ten times as much.
double nearness(const PastGate& gate);

}  // namespace ridge::report
