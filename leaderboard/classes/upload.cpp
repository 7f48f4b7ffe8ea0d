// Checks an upload: names without paths, sizes, encodings.
#include "leaderboard/classes/upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace ridge::leaderboard {

namespace {

bool plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), [](unsigned char letter) {
           return (letter < 128 && std::isalnum(letter)) || letter == '-' || letter == '_' ||
                  letter == '.';
         });
}

bool ends_in(const std::string& name, const char* ending) {
  return name.ends_with(ending) && name.size() > std::string_view(ending).size();
}

// Names are repeated in messages: keeps only characters that a terminal and a page can show.
std::string shown(const std::string& name) {
  std::string text;
  for (const unsigned char letter : name.substr(0, 60))
    text += letter >= 32 && letter < 127 ? static_cast<char>(letter) : '?';
  return text;
}

}  // namespace

// Every sequence must be the shortest for its code point, which must not be a UTF-16 surrogate.
bool is_utf8(const std::string& text) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char first = byte(i);
    const int length = first < 0x80                    ? 1
                       : first >= 0xc2 && first < 0xe0 ? 2
                       : first >= 0xe0 && first < 0xf0 ? 3
                       : first >= 0xf0 && first < 0xf5 ? 4
                                                       : 0;
    if (length == 0 || i + static_cast<size_t>(length) > text.size()) return false;
    for (int k = 1; k < length; ++k)
      if ((byte(i + static_cast<size_t>(k)) & 0xc0) != 0x80) return false;
    if (length > 2) {
      const unsigned char second = byte(i + 1);
      if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
          (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90))
        return false;
    }
    i += static_cast<size_t>(length);
  }
  return true;
}

std::string complaint_about_name(const std::string& name) {
  if (!plain_name(name))
    return fmt::format(
        "the file name \"{}\" is refused: letters, digits, -, _ and . only, and no path; rename the file",
        shown(name));
  if (!ends_in(name, ".cu") && !ends_in(name, ".cuh") && !ends_in(name, ".h") &&
      !ends_in(name, ".hpp"))
    return fmt::format("{} is refused: only .cu files and headers (.cuh, .h, .hpp) are handed in",
                       name);
  return "";
}

std::string complaint_about_upload(const std::vector<UploadedFile>& files) {
  if (files.empty()) return "there is no file in the submission; hand in the rung's .cu file";
  if (files.size() > kMostUploadFiles)
    return fmt::format("{} files were handed in and at most {} may be", files.size(),
                       kMostUploadFiles);
  size_t bytes = 0, programs = 0;
  std::set<std::string> names;
  for (const UploadedFile& file : files) {
    if (const std::string complaint = complaint_about_name(file.name); !complaint.empty())
      return complaint;
    if (!names.insert(file.name).second) return fmt::format("{} is there twice", file.name);
    if (!is_utf8(file.text) || file.text.find('\0') != file.text.npos)
      return fmt::format("{} is not UTF-8 text; save it as UTF-8 and hand it in again", file.name);
    programs += ends_in(file.name, ".cu");
    bytes += file.text.size();
  }
  if (programs != 1)
    return fmt::format("{} .cu files were handed in and exactly one must be", programs);
  if (bytes > kMostUploadBytes)
    return fmt::format("the submission has {} bytes and at most {} (256 KB) are taken", bytes,
                       kMostUploadBytes);
  return "";
}

}  // namespace ridge::leaderboard
