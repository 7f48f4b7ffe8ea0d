// The files of the project, for the tests of its layout and text.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace ridge::layout {

// Paths of all files, relative to the root, sorted; without build output, .git and what a clone keeps in
// .ridge. `endings`: ".md", ...; empty for all files.
inline std::vector<std::string> project_files(const std::set<std::string>& endings = {}) {
  namespace fs = std::filesystem;
  const fs::path root = RIDGE_SOURCE_DIR;
  std::vector<std::string> files;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator();
       ++at) {
    const std::string name = at->path().filename().string();
    if (at->is_directory() && (name == "build" || name == ".git" || name == ".ridge" ||
                               name == "node_modules" || name == "__pycache__"))
      at.disable_recursion_pending();
    else if (at->is_regular_file() && (endings.empty() || endings.contains(at->path().extension())))
      files.push_back(at->path().lexically_relative(root).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream stream(std::filesystem::path(RIDGE_SOURCE_DIR) / file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

// The number of characters of UTF-8 text.
inline size_t width_of(const std::string& line) {
  return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace ridge::layout
