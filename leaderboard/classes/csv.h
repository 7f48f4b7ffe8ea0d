// Comma-separated values as RFC 4180 has them, read with the line of every record and written for
// spreadsheets.
#pragma once

#include <string>
#include <vector>

namespace ridge::leaderboard {

struct CsvRecord {
  int line = 0;  // where it begins, from 1
  std::vector<std::string> cells;
};

struct CsvError {
  int line = 0;
  std::string what;
};

// Empty lines are skipped; a byte order mark is too. A quote that is not closed is an error of its
// line.
struct Csv {
  std::vector<CsvRecord> records;
  std::vector<CsvError> errors;
};
Csv read_csv(const std::string& text);

// One record with its line end. A cell that a spreadsheet would take for a formula gets an
// apostrophe.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace ridge::leaderboard
