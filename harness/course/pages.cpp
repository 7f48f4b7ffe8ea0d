#include "harness/course/pages.h"

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

}  // namespace ridge::course
