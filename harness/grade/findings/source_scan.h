// Finds words, brackets and statements in C++ text, for messages. This is not a parser: it skips
// what it does not understand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::grade::source_scan {

inline constexpr size_t kNone = std::string::npos;

// stripped: without surrounding white space; joined: on one line, with single blanks.
std::string stripped(std::string_view text);
std::string joined(std::string_view text);
// Replaces comments and the contents of strings by blanks; all other characters keep their
// positions.
std::string without_comments(std::string text);
bool is_name(char c);
// The position of the bracket that closes the one at `open`; kNone: there is none.
size_t closing(const std::string& code, size_t open);
// The position of a word, searched from `from` on.
size_t find_word(const std::string& code, std::string_view word, size_t from);
std::vector<std::string> split_arguments(std::string_view text);
// "&shared.full" gives "full".
std::string last_name(std::string_view text);

// An `if`, a `for` or a `while`: [condition, condition_end) is the text in its parentheses, [begin,
// end) the whole statement.
struct Statement {
  bool loops = false;
  size_t begin = 0, condition = 0, condition_end = 0, end = 0;
};
// The statements that begin in [from, to), outermost first.
std::vector<Statement> statements(const std::string& code, size_t from, size_t to);

}  // namespace ridge::grade::source_scan
