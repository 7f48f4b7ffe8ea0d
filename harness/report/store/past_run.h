// The speed of a stored run, read from the figures in the store.
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
  // "memory", "compute", "overhead"; "" when no roof was known.
  std::string bound;
  double roof_percent = 0;                 // percent of that roof
  // The size of the modelled counts, when they accompany a measurement.
  std::string counted_size;
  std::vector<PastGate> gates;
  // Modelled, summed over all lines; 0 when nothing was counted.
  double load_sectors = 0, store_sectors = 0, shared_wavefronts = 0, requests = 0;
};

// Figures that cannot be read (of another version, or damaged) are left out.
PastRun past_run(const StoredRun& run);
PastRun past_run(const grade::Result& result);

// True when the answers were right, fast enough or not.
bool is_right(const PastRun& run);

// 1 at or within the limit, less beyond it: 0.1 at ten times the limit.
double nearness(const PastGate& gate);

}  // namespace ridge::report
