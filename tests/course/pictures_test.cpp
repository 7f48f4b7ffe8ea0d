// The course's pictures: every one is shown somewhere, and every one that is shown is there.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = RIDGE_SOURCE_DIR;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Where the pages' picture links lead to.
std::set<fs::path> shown() {
  std::vector<fs::path> pages = {kRoot / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "course"))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  std::set<fs::path> found;
  const std::regex link(R"(!\[[^\]]*\]\(([^)]+)\))");
  for (const fs::path& page : pages) {
    const std::string text = content(page);
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      const fs::path file = (page.parent_path() / (*at)[1].str()).lexically_normal();
      INFO(page.string() << " shows " << file.string());
      CHECK(fs::exists(file));
      found.insert(file);
    }
  }
  return found;
}

// These and the picture below them have one caption for both.
const std::set<std::string> kShareACaption = {"04-naive.svg", "05-block-tile-2d.svg",
                                              "06-mma-sync.svg", "08-rows-in-flight.svg"};

// The pictures of a page without a caption: a paragraph in italics below it.
std::vector<std::string> without_caption(const std::string& page,
                                         const std::set<std::string>& sharing = kShareACaption) {
  static const std::regex picture(R"(^!\[[^\]]*\]\(([^)]+)\)$)");
  std::vector<std::string> missing, waiting;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.empty()) continue;
    if (std::regex_match(line, match, picture)) {
      std::erase_if(waiting, [&](const std::string& file) {
        const bool shares = sharing.contains(fs::path(file).filename().string());
        if (!shares) missing.push_back(file);
        return !shares;
      });
      waiting.push_back(match[1]);
      continue;
    }
    const bool is_caption = line.size() > 1 && line[0] == '*' && line[1] != '*' && line[1] != ' ';
    if (!is_caption) missing.insert(missing.end(), waiting.begin(), waiting.end());
    waiting.clear();
  }
  missing.insert(missing.end(), waiting.begin(), waiting.end());
  return missing;
}

bool is_animated(const std::string& png) {
  return png.find("acTL") != std::string::npos;
}

}  // namespace

TEST_CASE(
    "every picture of the course is shown on a page, is no larger than a page may wait for, and is whole") {
  const std::set<fs::path> pages = shown();
  size_t pictures = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "course/figures")) {
    const fs::path& file = entry.path();
    if (file.extension() != ".svg" && file.extension() != ".png") continue;
    INFO(file.string());
    ++pictures;
    CHECK(pages.count(file) == 1);
    CHECK(entry.file_size() < 1'500'000);
    const std::string bytes = content(file);
    CHECK((file.extension() == ".svg" ? bytes.ends_with("</svg>\n") : bytes.substr(1, 3) == "PNG"));
    // A still picture offers no keys, and has no strip of time below it.
    CHECK(bytes.find(">Try it") == std::string::npos);
    CHECK(bytes.find("n the strip") == std::string::npos);
    if (file.filename().string().find("-moving") != std::string::npos) CHECK(is_animated(bytes));
  }
  CHECK(pictures > 0);
}

TEST_CASE("each lab has an animated picture") {
  for (const auto& lab : fs::directory_iterator(kRoot / "labs")) {
    if (!fs::exists(lab.path() / "lab.toml")) continue;
    const std::string number = lab.path().filename().string().substr(0, 2);
    const auto files = fs::directory_iterator(kRoot / "course/figures");
    INFO("lab " << number);
    CHECK(std::any_of(begin(files), end(files), [&](const fs::directory_entry& file) {
      const std::string name = file.path().filename().string();
      return name.starts_with(number) && name.ends_with("-moving.png");
    }));
  }
}

TEST_CASE("every picture on a page of the course has a caption and an alternative text") {
  int pictures = 0;
  const std::regex no_text(R"(!\[\s*\]\()"), picture(R"(\n!\[)");
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "course")) {
    if (entry.path().extension() != ".md") continue;
    INFO(entry.path().string());
    const std::string text = content(entry.path());
    CHECK(without_caption(text) == std::vector<std::string>{});
    CHECK_FALSE(std::regex_search(text, no_text));
    pictures += static_cast<int>(std::distance(
        std::sregex_iterator(text.begin(), text.end(), picture), std::sregex_iterator()));
  }
  CHECK(pictures >= 50);
}

TEST_CASE("a picture without a caption is found") {
  using Names = std::vector<std::string>;
  CHECK(without_caption("![a](a.svg)\n\n*What a shows,\nin two lines.*\n\nText.\n") == Names{});
  CHECK(without_caption("![a](a.svg)\n\n![b](b.svg)\n\n*Both.*\n", {"a.svg"}) == Names{});
  CHECK(without_caption("![a](a.svg)\n\n![b](b.svg)\n\n*Both.*\n", {}) == Names{"a.svg"});
  CHECK(without_caption("![a](a.svg)\n\nText.\n") == Names{"a.svg"});
  CHECK(without_caption("![a](a.svg)\n\n**Bold.** Text.\n") == Names{"a.svg"});
  CHECK(without_caption("![a](a.svg)\n\n* a list\n") == Names{"a.svg"});
  CHECK(without_caption("![a](a.svg)\n![b](b.svg)\n") == Names{"a.svg", "b.svg"});
}
