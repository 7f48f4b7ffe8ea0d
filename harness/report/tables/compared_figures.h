// The figures of two runs beside each other.
#pragma once

#include <string>

#include "harness/report/store/store.h"
#include "harness/report/text/terminal.h"

namespace ridge::report {

// Verdict, device and resources, then what was measured, then what was modelled, and how much it changed.
// Figures that both runs lack are left out. `left` and `right` head the columns.
std::string compared_figures(const StoredRun& before, const StoredRun& after, const std::string& left,
                             const std::string& right, const Style& style);

}  // namespace ridge::report
