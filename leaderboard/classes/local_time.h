// Deadlines are told in a class's time zone and kept as UTC.
#pragma once

#include <cstdint>
#include <string>

namespace ridge::leaderboard {

// "2027-03-01 18:00" in "Europe/Berlin" as Unix milliseconds. Throws std::runtime_error that names
// the text, for one that is no time, for a zone that is not known, and for a time that the zone
// leaves out in spring; of one that comes twice in autumn, the later.
int64_t utc_ms_of(const std::string& local, const std::string& zone);
// "Mon 2027-03-01 18:00 CET"
std::string local_text(int64_t utc_ms, const std::string& zone);
// "2027-03-01 18:00": what utc_ms_of reads
std::string local_field(int64_t utc_ms, const std::string& zone);
bool is_time_zone(const std::string& zone);

}  // namespace ridge::leaderboard
