// Comma-separated values (RFC 4180), read with the line of every record and written for
// spreadsheets.
#pragma once

#include <string>
#include <vector>

namespace ridge::leaderboard {

struct CsvRecord {
  int line = 0;  // its first line, from 1
  std::vector<std::string> cells;
};

struct CsvError {
  int line = 0;
  std::string what;
};

// Empty lines and a byte order mark are skipped. An unclosed quote is an error of its line.
struct Csv {
  std::vector<CsvRecord> records;
  std::vector<CsvError> errors;
};
Csv read_csv(const std::string& text);

// One record with its line end. A cell that a spreadsheet would interpret as a formula gets an
// apostrophe.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace ridge::leaderboard
