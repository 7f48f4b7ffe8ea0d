// C++ text as messages need it: words, brackets, and the statements around a place. No parser: what it does not
// understand it leaves alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::grade::source_scan {

inline constexpr size_t kNone = std::string::npos;

// Without white space at the ends; on one line, with single blanks.
std::string stripped(std::string_view text);
std::string joined(std::string_view text);
// The text with comments and the insides of strings blanked: every other character keeps its place.
std::string without_comments(std::string text);
bool is_name(char c);
// The place of the bracket that closes the one at `open`; kNone: none does.
size_t closing(const std::string& code, size_t open);
// Where a word begins, from `from` on.
size_t find_word(const std::string& code, std::string_view word, size_t from);
std::vector<std::string> split_arguments(std::string_view text);
// "full" of "&shared.full".
std::string last_name(std::string_view text);

// An `if`, a `for` or a `while`: [condition, condition_end) stands between its parentheses, [begin, end) is all
// of it.
struct Statement {
  bool loops = false;
  size_t begin = 0, condition = 0, condition_end = 0, end = 0;
};
// Those that begin in [from, to), from the outside to the inside.
std::vector<Statement> statements(const std::string& code, size_t from, size_t to);

}  // namespace ridge::grade::source_scan
