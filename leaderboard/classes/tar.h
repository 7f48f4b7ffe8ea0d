// A tar archive (POSIX ustar) in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::leaderboard {

struct TarFile {
  std::string name, bytes;  // name: relative, without ..; at most 99 bytes
  int64_t at_ms = 0;
};

// Throws std::invalid_argument for a name that would be unpacked outside the target folder.
std::string tar_of(const std::vector<TarFile>& files);

}  // namespace ridge::leaderboard
