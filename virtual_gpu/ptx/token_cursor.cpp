#include "virtual_gpu/ptx/token_cursor.h"

#include <fmt/format.h>

#include <algorithm>

#include "virtual_gpu/ptx/constant.h"
#include "virtual_gpu/ptx/parser.h"

namespace ridge::ptx {

ParseError::ParseError(uint32_t ptx_line, const std::string& message)
    : std::runtime_error(fmt::format("PTX line {}: {}", ptx_line, message)), line(ptx_line) {}

void TokenCursor::fail(const std::string& message) const {
  throw ParseError(line(), message);
}

void TokenCursor::fail_expected(const std::string& expected) const {
  constexpr size_t kLongestQuote = 60;
  const Token& found = peek();
  if (found.kind == Token::Kind::end)
    fail(fmt::format("expected {}, found the end of the text", expected));
  fail(fmt::format("expected {}, found '{}'", expected, found.text.substr(0, kLongestQuote)));
}

std::string_view TokenCursor::expect_name(std::string_view what) {
  if (!at_word() || at_directive()) fail_expected(std::string(what));
  return take().text;
}

std::string_view TokenCursor::expect_string(std::string_view what) {
  if (peek().kind != Token::Kind::string) fail_expected(std::string(what));
  return take().text;
}

uint64_t TokenCursor::expect_unsigned(std::string_view what, uint64_t largest) {
  if (!at_number()) fail_expected(std::string(what));
  // The numbers of .loc are most of them: short, and decimal without a leading zero.
  constexpr size_t kShort = 9;
  const std::string_view text = peek().text;
  const bool is_plain =
      text.size() <= kShort && (text[0] != '0' || text.size() == 1) &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (is_plain) {
    uint64_t number = 0;
    for (const char digit : text)
      number = number * 10 + static_cast<uint64_t>(digit - '0');
    if (number <= largest) return take(), number;
  }
  const Constant value = parse_literal(*this);
  if (value.is_floating || value.bits > largest) {
    fail(fmt::format("{} should be an integer from 0 to {}", what, largest));
  }
  return value.bits;
}

}  // namespace ridge::ptx
