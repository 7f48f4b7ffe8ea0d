// The files of one rung that a student hands in, checked before anything is stored.
#pragma once

#include <string>
#include <vector>

namespace ridge::leaderboard {

struct UploadedFile {
  std::string name, text;
};

inline constexpr size_t kMostUploadBytes = 256 * 1024, kMostUploadFiles = 8;

// "" for one .cu file and headers, in UTF-8, within the limits; otherwise a sentence with what is
// wrong, the numbers, and what to do.
std::string complaint_about_upload(const std::vector<UploadedFile>& files);

// The same for a name alone.
std::string complaint_about_name(const std::string& name);

bool is_utf8(const std::string& text);

}  // namespace ridge::leaderboard
