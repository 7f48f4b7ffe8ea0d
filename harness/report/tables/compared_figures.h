// Compares the figures of two runs in a table.
#pragma once

#include <string>

#include "harness/report/store/store.h"
#include "harness/report/text/terminal.h"

namespace ridge::report {

// Verdict, device and resources, then measured and modelled figures, each with its change. Figures
// that neither run has are left out. `left` and `right` are the column titles.
std::string compared_figures(const StoredRun& before, const StoredRun& after, const std::string& left,
                             const std::string& right, const Style& style);

}  // namespace ridge::report
