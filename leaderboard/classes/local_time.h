// Deadlines are shown in a class's time zone and stored as UTC.
#pragma once

#include <cstdint>
#include <string>

namespace ridge::leaderboard {

// "2027-03-01 18:00" in "Europe/Berlin" as Unix milliseconds. Throws std::runtime_error that names
// the text for an invalid time, an unknown zone, and a time that is skipped in spring; of an
// ambiguous time in autumn it returns the later.
int64_t utc_ms_of(const std::string& local, const std::string& zone);
// "Mon 2027-03-01 18:00 CET"
std::string local_text(int64_t utc_ms, const std::string& zone);
// "2027-03-01 18:00", the format that utc_ms_of reads.
std::string local_field(int64_t utc_ms, const std::string& zone);
bool is_time_zone(const std::string& zone);

}  // namespace ridge::leaderboard
