// A run and its replay compared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/store/store.h"
#include "harness/report/text/terminal.h"

namespace ridge::report {

struct Replay {
  bool same_engine = true;
  bool same_verdict = false;                 // with another engine: both right or both not
  std::optional<bool> same_hidden_sizes;     // none: the run did not store them
  // Gates on the virtual GPU, whose counts are deterministic.
  bool same_counts = true;
  // Now - then, in points; none unless both were measured.
  std::optional<double> percent_difference;
  std::vector<std::string> differences;      // other differences: toolkit, flags, headers, device
  bool agrees() const { return same_verdict && same_hidden_sizes.value_or(true) && same_counts; }
};

Replay compare_replay(const StoredRun& then, const grade::Result& now);

std::string replay_heading(const StoredRun& then, const Style& style);
std::string show_replay(const StoredRun& then, const grade::Result& now, const Replay& replay,
                        const Style& style);

}  // namespace ridge::report
