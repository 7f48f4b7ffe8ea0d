// Chapters and rung pages have the parts that the course's template asks for, in its order.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

namespace fs = std::filesystem;

const fs::path kTexts = fs::path(RIDGE_SOURCE_DIR) / "course";

// Labs whose chapters have the parts in the section of each rung.
const std::set<std::string> kByRung = {"01-kernel-basics", "02-coalescing", "03-reductions"};

std::vector<std::string> labs() {
  std::vector<std::string> names;
  for (const auto& lab : fs::directory_iterator(fs::path(RIDGE_SOURCE_DIR) / "labs"))
    if (fs::exists(lab.path() / "lab.toml")) names.push_back(lab.path().filename().string());
  return names;
}

std::string page_text(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// "" or the first part that is not there, or not after the one before it.
std::string first_missing(const std::string& text, const std::vector<std::string>& parts) {
  size_t at = 0;
  for (const std::string& part : parts) {
    at = text.find("\n" + part, at);
    if (at == std::string::npos) return part;
  }
  return "";
}

fs::path page_of(const std::string& lab, const std::string& rung) {
  for (const auto& folder : fs::directory_iterator(kTexts / "worklogs"))
    if (folder.path().filename().string().starts_with(lab.substr(0, 3)))
      return folder.path() / (rung + ".md");
  return {};
}

}  // namespace

TEST_CASE("a chapter has the parts of the template in order") {
  for (const std::string& lab : labs()) {
    if (kByRung.contains(lab)) continue;
    INFO(lab);
    CHECK(
        first_missing(
            page_text(kTexts / "chapters" / (lab + ".md")),
            {"## What you will learn", "## Predict", "## The drawing", "## The idea by hand",
             "## Code fragment", "## What the machine does", "## Measured outcome", "## Exercises",
             "## Where this appears in real libraries", "## The tie to the matrix product"}) == "");
  }
}

// The chapters of the first labs have the parts in the section of each rung, as labels in bold.
TEST_CASE(
    "a rung's section in the first chapters has a prediction, its answer, and what is between") {
  for (const std::string& lab : kByRung) {
    const std::string text = page_text(kTexts / "chapters" / (lab + ".md"));
    int sections = 0;
    for (size_t at = text.find("\n## Rung "); at != std::string::npos; ++sections) {
      const size_t end = std::min(text.find("\n## ", at + 1), text.size());
      const std::string section = text.substr(at, end - at);
      INFO(lab << ": " << section.substr(4, section.find('\n', 1) - 4));
      CHECK(first_missing(section,
                          {"**Predict.**", "**By hand.**", "**Code.**", "**Measured.**"}) == "");
      CHECK(first_missing(section, {"**Predict.**", "**Answer.**"}) == "");
      at = text.find("\n## Rung ", end);
    }
    CHECK(sections >= 4);
  }
}

TEST_CASE(
    "every rung has a page with its hypothesis, outcome, failures and two questions with answers") {
  int pages = 0;
  for (const std::string& lab : labs())
    for (const auto& solution :
         fs::directory_iterator(fs::path(RIDGE_SOURCE_DIR) / "solutions" / lab)) {
      const std::string text = page_text(page_of(lab, solution.path().stem().string()));
      INFO(lab << "/" << solution.path().stem().string());
      ++pages;
      CHECK(first_missing(text, {"**Hypothesis.**", "**Won"}) == "");
      CHECK(first_missing(text, {"**Check your understanding.** (1)", "**Answers.** (1)"}) == "");
    }
  CHECK(pages >= 90);
}

TEST_CASE("a missing or misplaced part is reported") {
  CHECK(first_missing("\n## A\n\n## B\n", {"## A", "## B"}) == "");
  CHECK(first_missing("\n## B\n\n## A\n", {"## A", "## B"}) == "## B");
  CHECK(first_missing("\n## A\n", {"## A", "## B"}) == "## B");
}
