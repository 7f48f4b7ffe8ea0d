// What a student hands in: the files of one rung, checked before anything is stored.
#pragma once

#include <string>
#include <vector>

namespace ridge::leaderboard {

struct UploadedFile {
  std::string name, text;
};

inline constexpr size_t kMostUploadBytes = 256 * 1024, kMostUploadFiles = 8;

// "" when it is one .cu file and headers beside it, in UTF-8, within the limits; else a sentence
// that says what is wrong, with the numbers, and what to do.
std::string complaint_about_upload(const std::vector<UploadedFile>& files);

// The same of a name alone.
std::string complaint_about_name(const std::string& name);

bool is_utf8(const std::string& text);

}  // namespace ridge::leaderboard
