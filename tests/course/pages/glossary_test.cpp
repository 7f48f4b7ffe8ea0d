// The glossary covers the terms that the chapters introduce, and each of its terms is taught where it says.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

namespace fs = std::filesystem;

const fs::path kCourse = fs::path(RIDGE_SOURCE_DIR) / "course";

struct Term {
  std::vector<std::string> forms;  // in lower case; the first is the term
  std::string page;                // "chapters/04-tiled-gemm.md"
};

std::string content(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// In lower case, line breaks as spaces, without the marks of bold, italic and code.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '*' || c == '`') continue;
    const char next = std::isspace(static_cast<unsigned char>(c))
                          ? ' '
                          : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (next != ' ' || result.empty() || result.back() != ' ') result += next;
  }
  return result;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto is_letter = [&](size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at]));
  };
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  return false;
}

// "## FMA (FFMA)" and the paragraph below it.
std::vector<Term> terms_of(const std::string& glossary) {
  std::vector<Term> terms;
  const std::regex heading(R"(^## ([^(]+?)(?: \(([^)]*)\))?$)"), link(R"(\]\(([^)]+)\))");
  std::istringstream lines(glossary);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, heading)) {
      terms.push_back({{plain(match[1])}, ""});
      std::istringstream forms(match[2].str());
      for (std::string form; std::getline(forms, form, ',');)
        terms.back().forms.push_back(plain(form.substr(form.find_first_not_of(' '))));
    } else if (!terms.empty() && std::regex_search(line, match, link)) {
      terms.back().page = match[1];
    }
  }
  return terms;
}

// The terms in bold: one to three words in lower case, or capitals. "**Edges.**" begins a paragraph and is none.
std::vector<std::string> introduced(const std::string& page) {
  static const std::regex code(R"(```[\s\S]*?```)"), bold(R"(\*\*([^*]+)\*\*)");
  static const std::regex term(
      R"(([a-z][a-z0-9.-]*|[A-Z]{2,})( [A-Za-z][A-Za-z-]*){0,2}|[A-Z][a-z]+'s law)");
  const std::set<std::string> kVerdicts = {"refuted", "confirmed"};
  const std::string text = std::regex_replace(page, code, "");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), bold), end; at != end; ++at) {
    const std::string words = std::regex_replace((*at)[1].str(), std::regex(R"(\s+)"), " ");
    if (std::regex_match(words, term) && !kVerdicts.contains(words)) found.push_back(plain(words));
  }
  return found;
}

bool has_term(const std::vector<Term>& terms, const std::string& word) {
  return std::any_of(terms.begin(), terms.end(), [&](const Term& term) {
    return std::any_of(term.forms.begin(), term.forms.end(),
                       [&](const std::string& form) { return word == form || word == form + "s"; });
  });
}

}  // namespace

TEST_CASE("each term of the glossary is used on the page that teaches it") {
  const auto terms = terms_of(content(kCourse / "glossary.md"));
  CHECK(terms.size() >= 70);
  std::map<std::string, std::string> pages;
  for (const Term& term : terms) {
    INFO(term.forms.front() << ", taught in \"" << term.page << "\"");
    REQUIRE(fs::is_regular_file(kCourse / term.page));
    std::string& page = pages[term.page];
    if (page.empty()) page = plain(content(kCourse / term.page));
    CHECK(std::any_of(term.forms.begin(), term.forms.end(),
                      [&](const std::string& form) { return has_word(page, form); }));
  }
}

TEST_CASE("the glossary is in alphabetical order and has no term twice") {
  const auto terms = terms_of(content(kCourse / "glossary.md"));
  for (size_t i = 1; i < terms.size(); ++i)
    CHECK(terms[i - 1].forms.front() < terms[i].forms.front());
}

TEST_CASE("each term that a chapter or a concept page introduces in bold is in the glossary") {
  const auto terms = terms_of(content(kCourse / "glossary.md"));
  int checked = 0;
  for (const char* folder : {"chapters", "concepts"})
    for (const auto& page : fs::directory_iterator(kCourse / folder))
      for (const std::string& word : introduced(content(page.path()))) {
        ++checked;
        INFO(page.path().filename().string()
             << " introduces \"" << word << "\"; add it to course/glossary.md");
        CHECK(has_term(terms, word));
      }
  CHECK(checked >= 60);
}

TEST_CASE("terms are told from other bold text") {
  CHECK(
      introduced(
          "An **FMA** and a **k-step**, **warp\nFMAs**, **Little's law**. **Edges.** Then **Rung 9** "
          "is **refuted** by **9.2%**.\n```\n**code**\n```\n") ==
      std::vector<std::string>{"fma", "k-step", "warp fmas", "little's law"});
  const auto terms =
      terms_of("## FMA (FFMA, fused)\n\nText. Taught in\n[chapter 04](chapters/4.md).\n");
  REQUIRE(terms.size() == 1);
  CHECK(terms[0].forms == std::vector<std::string>{"fma", "ffma", "fused"});
  CHECK(terms[0].page == "chapters/4.md");
  CHECK(has_term(terms, "fmas"));
  CHECK_FALSE(has_term(terms, "mma"));
  CHECK(has_word("a k-step.", "k-step"));
  CHECK_FALSE(has_word("banking", "bank"));
}
