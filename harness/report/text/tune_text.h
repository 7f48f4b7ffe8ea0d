// `ridge tune` in words, as a table, and as JSON.
#pragma once

#include <string>

#include "harness/report/text/terminal.h"
#include "harness/tune/tuning.h"

namespace ridge::report {

// How many settings there are, how many are left, and what took the others out; with each reason's count.
std::string pruned_text(const tune::Tuning& tuning, const Style& style);
// What was measured, best first, at most `most` rows; those that failed stand last with their reason.
std::string tried_table(const tune::Space& space, const tune::Tuning& tuning, size_t most,
                        const Style& style);
// Up to `most` settings with what is known before they are measured, in the order of measuring.
std::string dry_table(const tune::Space& space, const tune::Tuning& tuning, const std::vector<size_t>& order,
                      size_t most, const Style& style);
std::string gap_text(const tune::Space& space, const tune::Tuning& tuning, const Style& style);

struct TunedHere {
  std::string rung, device, size, baseline;
};
// {"schema": 1, "rung", "device", "size", "baseline", "parameters": ["kTileM", ...], "settings": N,
//  "pruned": {"registers spill": 12, ...}, "tried": [{"values": [...], "percent", "percent_low",
//  "percent_high", "time_ms", "registers", "threads", "shared_bytes", "warps_per_sm", "failure"}],
//  "gap_percent": null | how far the first tries' best is from the best of all}; "tried" is in the order of
// measuring.
std::string tuning_json(const tune::Space& space, const tune::Tuning& tuning, const TunedHere& here);

}  // namespace ridge::report
