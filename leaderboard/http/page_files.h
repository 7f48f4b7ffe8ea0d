// The pages' files, read once, with their types.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "leaderboard/api/exchange.h"

namespace ridge::leaderboard {

class PageFiles {
 public:
  // Only files that are in the folder when the server starts can be sent: no path of a request
  // reaches the disk.
  PageFiles(const std::filesystem::path& folder, std::string missing);
  Response answer(const Request& request) const;

 private:
  struct File {
    std::string bytes, type;
  };
  std::map<std::string, File> files_;  // by path
  std::string missing_;
};

// Added to every answer: permit only our own scripts, styles and frames.
const std::vector<std::pair<std::string, std::string>>& security_headers();

// Decodes "%2e" and similar; no value for an invalid text, or one with a control character.
std::optional<std::string> decoded(std::string_view text);
std::map<std::string, std::string> query_of(std::string_view text);

}  // namespace ridge::leaderboard
