// The server's log: one JSON object per line, in a file of limited size.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>

namespace ridge::leaderboard {

class LogFile {
 public:
  // "-": standard error. Throws std::runtime_error when the file cannot be written.
  explicit LogFile(std::filesystem::path file, uintmax_t most_bytes = uintmax_t{16} << 20);
  // `line` has "at_ms", which is written as "time", and "event". A full file is renamed to FILE.1;
  // a line that cannot be written is dropped.
  void write(const nlohmann::json& line);

 private:
  void open();
  std::filesystem::path file_;
  uintmax_t most_bytes_, bytes_ = 0;
  std::ofstream stream_;
};

}  // namespace ridge::leaderboard
