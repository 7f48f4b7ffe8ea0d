// Writes the log, and renames it when it is full.
#include "leaderboard/store/log_file.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ridge::leaderboard {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string utc_time(int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), unix_ms % 1000);
}

}  // namespace

LogFile::LogFile(fs::path file, uintmax_t most_bytes)
    : file_(std::move(file)), most_bytes_(most_bytes) {
  open();
  if (file_ != "-" && !stream_)
    throw std::runtime_error(
        fmt::format("cannot write the log {}; name another with --log, or - for standard error",
                    file_.string()));
}

void LogFile::open() {
  if (file_ == "-") return;
  std::error_code error;
  bytes_ = fs::file_size(file_, error);
  if (error) bytes_ = 0;
  stream_ = std::ofstream(file_, std::ios::app | std::ios::binary);
}

void LogFile::write(const json& line) {
  nlohmann::ordered_json timed = {{"time", utc_time(line.at("at_ms").get<int64_t>())},
                                  {"event", line.at("event")}};
  for (const auto& [name, value] : line.items())
    if (name != "at_ms" && name != "event") timed[name] = value;
  const std::string text = timed.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  if (file_ == "-") {
    fmt::print(stderr, "{}", text);
    return;
  }
  if (bytes_ + text.size() > most_bytes_) {
    stream_.close();
    std::error_code ignored;
    fs::rename(file_, file_.string() + ".1", ignored);
    open();
  }
  stream_.clear();  // after a full disk
  stream_ << text << std::flush;
  bytes_ += text.size();
}

}  // namespace ridge::leaderboard
