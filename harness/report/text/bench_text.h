// `ridge bench`: a table for a person, CSV and JSON for programs.
#pragma once

#include <string>

#include "harness/grade/bench.h"
#include "harness/report/text/terminal.h"

namespace ridge::report {

std::string bench_table(const grade::Bench& bench, const Style& style);
// A header line, then one line per row. Columns that do not apply are empty.
std::string bench_csv(const grade::Bench& bench);
std::string bench_json(const grade::Bench& bench);

}  // namespace ridge::report
