// The output of `ridge tune`: text, table and JSON.
#pragma once

#include <string>

#include "harness/report/text/terminal.h"
#include "harness/tune/tuning.h"

namespace ridge::report {

// The number of settings, of those left, and of those removed for each reason.
std::string pruned_text(const tune::Tuning& tuning, const Style& style);
// The measured settings, best first, at most `most` rows; failed ones last with their reason.
std::string tried_table(const tune::Space& space, const tune::Tuning& tuning, size_t most,
                        const Style& style);
// At most `most` settings with what is known before measuring, in the order of measuring.
std::string dry_table(const tune::Space& space, const tune::Tuning& tuning, const std::vector<size_t>& order,
                      size_t most, const Style& style);
std::string gap_text(const tune::Space& space, const tune::Tuning& tuning, const Style& style);

struct TunedHere {
  std::string rung, device, size, baseline;
};
// {"schema": 1, "rung", "device", "size", "baseline", "parameters": ["kTileM", ...],
//  "settings": N, "pruned": {"registers spill": 12, ...},
//  "tried": [{"values": [...], "percent", "percent_low", "percent_high", "time_ms", "registers",
//             "threads", "shared_bytes", "warps_per_sm", "failure"}],
//  "gap_percent": null | distance of the first tries' best from the best of all}
// "tried" is in the order of measuring.
std::string tuning_json(const tune::Space& space, const tune::Tuning& tuning, const TunedHere& here);

}  // namespace ridge::report
