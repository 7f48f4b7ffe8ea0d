// Tables of stored runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/store/store.h"
#include "harness/report/text/terminal.h"
#include "text/source_difference.h"

namespace ridge::report {

// For each run, the lines that changed since the preceding run of the same rung and origin among
// `all`; the first is compared with the rung's skeleton if the store has it. `shown` is a subset of
// `all`.
std::vector<std::optional<text::LineChange>> changes_of(std::span<const StoredRun> shown,
                                                        std::span<const StoredRun> all, Store* store);

// "+6 -1"; "=" for no change, "?" without an earlier version.
std::string change_words(const std::optional<text::LineChange>& change);

struct HistoryColumns {
  bool rung = false, origin = false;
};
// Columns: run, when, [rung, file,] verdict, percent or gates, device, what changed.
std::string history_table(std::span<const StoredRun> runs,
                          std::span<const std::optional<text::LineChange>> changes,
                          const HistoryColumns& columns, const Style& style);

std::string local_time(int64_t at_ms);  // "2026-11-21 10:05"
// "97.3%" measured; "3/3 counts" or "sectors_per_request 32" modelled; empty when the grading ended
// earlier.
std::string outcome_of(const StoredRun& run);

}  // namespace ridge::report
