#include "harness/build/clang/source_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "text/whole_file.h"

namespace ridge::build::clang {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWord = "alignas";
constexpr std::string_view kSpecifiers[] = {"__shared__",  "__device__", "__constant__",
                                            "__managed__", "static",     "extern",
                                            "const",       "volatile",   "constexpr"};

bool is_letter_of_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}

// Where the specifiers begin that stand directly before `at`: `at` itself where there is none.
size_t specifiers_before(std::string_view text, size_t at) {
  for (size_t first = at;;) {
    size_t end = first;
    while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])))
      --end;
    size_t begin = end;
    while (begin > 0 && is_letter_of_word(text[begin - 1]))
      --begin;
    const std::string_view word = text.substr(begin, end - begin);
    if (std::find(std::begin(kSpecifiers), std::end(kSpecifiers), word) == std::end(kSpecifiers))
      return first;
    first = begin;
  }
}

// Behind the parenthesis that closes the one at `open`; npos where none does.
size_t behind_parentheses(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

}  // namespace

std::string with_alignas_first(const std::string& text) {
  std::string result = text;
  for (size_t at = result.find(kWord); at != std::string::npos; at = result.find(kWord, at + 1)) {
    const size_t open = result.find_first_not_of(" \t", at + kWord.size());
    if (open == std::string::npos || result[open] != '(' ||
        (at > 0 && is_letter_of_word(result[at - 1])))
      continue;
    const size_t first = specifiers_before(result, at);
    const size_t end = behind_parentheses(result, open);
    if (first == at || end == std::string::npos) continue;
    // A line's end within the parentheses moves with them, so that all following lines keep their numbers.
    const std::string alignment = result.substr(at, end - at);
    result.erase(at, end - at);
    result.insert(first, alignment + " ");
  }
  return result;
}

std::vector<std::string> overlay_flags(const std::vector<fs::path>& files,
                                       const fs::path& scratch) {
  nlohmann::json roots = nlohmann::json::array();
  for (const fs::path& file : files) {
    const std::string text = text::read_file(file), changed = with_alignas_first(text);
    if (changed == text) continue;
    const fs::path copy =
        scratch / fmt::format("copy-{}{}", roots.size(), file.extension().string());
    std::ofstream(copy, std::ios::binary) << changed;
    roots.push_back(
        {{"type", "file"}, {"name", file.string()}, {"external-contents", copy.string()}});
  }
  if (roots.empty()) return {};
  const fs::path overlay = scratch / "overlay.yaml";  // JSON is YAML
  std::ofstream(overlay) << nlohmann::json{
      {"version", 0},
      {"use-external-names", false},
      {"roots", roots}}.dump();
  return {"-ivfsoverlay", overlay.string()};
}

}  // namespace ridge::build::clang
