#include "harness/course/pages.h"

#include <fmt/format.h>

#include "text/whole_file.h"

namespace ridge::course {

namespace fs = std::filesystem;

fs::path chapter_of(const Course& course, const std::string& lab) {
  const fs::path page = course.root / "course/chapters" / (lab + ".md");
  std::error_code none;
  return fs::is_regular_file(page, none) ? page : fs::path();
}

fs::path page_of(const Course& course, const Rung& rung) {
  std::error_code none;
  for (const auto& folder : fs::directory_iterator(course.root / "course/worklogs", none)) {
    const fs::path page = folder.path() / (rung.name + ".md");
    if (folder.path().filename().string().starts_with(rung.lab.substr(0, 3)) &&
        fs::is_regular_file(page, none))
      return page;
  }
  return {};
}

std::string section_of(const Course& course, const Rung& rung) {
  const fs::path chapter = chapter_of(course, rung.lab);
  if (chapter.empty()) return "";
  const std::string text = "\n" + text::read_file(chapter);
  const size_t begin =
      text.find(fmt::format("\n## Rung {}:", rung.name.substr(0, rung.name.find('-'))));
  if (begin == std::string::npos) return "";
  const size_t end = text.find("\n## ", begin + 1);
  std::string section = text.substr(begin + 1, end == std::string::npos ? end : end - begin);
  while (section.ends_with('\n'))
    section.pop_back();
  return section + "\n";
}

}  // namespace ridge::course
