// Time zones with the C library, which has one zone per process: it is changed under a lock and
// restored.
#include "leaderboard/classes/local_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace ridge::leaderboard {

namespace {

class ZoneInForce {
 public:
  explicit ZoneInForce(const std::string& zone) : lock_(mutex()) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    setenv("TZ", zone.c_str(), 1);
    tzset();
  }
  ~ZoneInForce() {
    if (before_)
      setenv("TZ", before_->c_str(), 1);
    else
      unsetenv("TZ");
    tzset();
  }
  ZoneInForce(const ZoneInForce&) = delete;
  ZoneInForce& operator=(const ZoneInForce&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex the;
    return the;
  }
  std::lock_guard<std::mutex> lock_;
  std::optional<std::string> before_;
};

void need_zone(const std::string& zone) {
  if (is_time_zone(zone)) return;
  throw std::runtime_error(fmt::format(
      "\"{}\" is not a time zone of this machine; write one of /usr/share/zoneinfo, such as Europe/Berlin or "
      "UTC (package tzdata)",
      zone));
}

tm local_parts(int64_t utc_ms) {
  const time_t seconds = static_cast<time_t>(utc_ms / 1000);
  tm parts{};
  localtime_r(&seconds, &parts);
  return parts;
}

std::string formatted(int64_t utc_ms, const std::string& zone, const char* format) {
  if (!is_time_zone(zone)) return formatted(utc_ms, "UTC", format);
  const ZoneInForce in_force(zone);
  const tm parts = local_parts(utc_ms);
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

}  // namespace

bool is_time_zone(const std::string& zone) {
  if (zone == "UTC") return true;
  const bool plain =
      !zone.empty() && std::all_of(zone.begin(), zone.end(), [](unsigned char letter) {
        return std::isalnum(letter) || letter == '/' || letter == '_' || letter == '-' ||
               letter == '+';
      });
  std::error_code ignored;
  return plain && zone.front() != '/' &&
         std::filesystem::is_regular_file("/usr/share/zoneinfo/" + zone, ignored);
}

int64_t utc_ms_of(const std::string& local, const std::string& zone) {
  need_zone(zone);
  tm asked{};
  int used = 0;
  if (std::sscanf(local.c_str(), "%4d-%2d-%2d%*1[ T]%2d:%2d%n", &asked.tm_year, &asked.tm_mon,
                  &asked.tm_mday, &asked.tm_hour, &asked.tm_min, &used) != 5 ||
      static_cast<size_t>(used) != local.size())
    throw std::runtime_error(fmt::format(
        "\"{}\" is not a time; write it as year-month-day hour:minute, such as 2027-03-01 18:00",
        local));
  asked.tm_year -= 1900;
  asked.tm_mon -= 1;
  const auto same = [&](const tm& parts) {
    return parts.tm_year == asked.tm_year && parts.tm_mon == asked.tm_mon &&
           parts.tm_mday == asked.tm_mday && parts.tm_hour == asked.tm_hour &&
           parts.tm_min == asked.tm_min;
  };
  const ZoneInForce in_force(zone);
  for (const int summer : {0, 1}) {  // winter time is later
    tm parts = asked;
    parts.tm_isdst = summer;
    const time_t seconds = mktime(&parts);
    if (seconds != -1 && same(local_parts(int64_t{seconds} * 1000))) return int64_t{seconds} * 1000;
  }
  throw std::runtime_error(fmt::format(
      "there is no {} in {}: no such day, or the hour that the clocks leave out in spring", local,
      zone));
}

std::string local_text(int64_t utc_ms, const std::string& zone) {
  return formatted(utc_ms, zone, "%a %Y-%m-%d %H:%M %Z");
}

std::string local_field(int64_t utc_ms, const std::string& zone) {
  return formatted(utc_ms, zone, "%Y-%m-%d %H:%M");
}

}  // namespace ridge::leaderboard
