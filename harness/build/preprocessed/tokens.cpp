#include "harness/build/preprocessed/tokens.h"

#include <algorithm>
#include <array>
#include <string>

namespace ridge::build {
namespace {

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 128;
    classes[static_cast<size_t>(c)] = letter ? 1 : c >= '0' && c <= '9' ? 2 : 0;
  }
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = make_classes();
constexpr uint8_t kLetter = 1, kDigit = 2;

uint8_t class_of(char c) {
  return kClasses[static_cast<unsigned char>(c)];
}

// The end of a string or character whose quote is at `at`; the end of the text when it does not end.
size_t end_of_quoted(std::string_view text, size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at)
    at += text[at] == '\\';
  return std::min(at + 1, text.size());
}

// R"word( ... )word", with the quote at `at`.
size_t end_of_raw(std::string_view text, size_t at) {
  const size_t open = text.find('(', at);
  if (open == std::string_view::npos) return text.size();
  const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
  const size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

// 0x1.8p-3f, 1'000, 1e+5
size_t end_of_number(std::string_view text, size_t at) {
  for (++at; at < text.size(); ++at) {
    const char before = text[at - 1], c = text[at];
    const bool exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
    const bool digit_after = at + 1 < text.size() && class_of(text[at + 1]) != 0;
    if (class_of(c) == 0 && c != '.' && !(c == '\'' && digit_after) &&
        !(exponent && (c == '+' || c == '-')))
      break;
  }
  return at;
}

}  // namespace

Tokens tokens_of(std::string_view text) {
  Tokens tokens{text, {}, {}, {}};
  tokens.all.reserve(text.size() / 4);
  tokens.numbers.reserve(std::min<size_t>(text.size() / 64, 1 << 14));
  bool starts_line = true;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\n') {
      starts_line = true;
      ++at;
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at;
      continue;
    }
    size_t end = at + 1;
    TokenKind kind = TokenKind::sign;
    uint32_t name = 0;
    if (c == '#' && starts_line) {
      kind = TokenKind::directive;
      end = std::min(text.find('\n', at), text.size());
    } else if (class_of(c) == kLetter) {
      while (end < text.size() && class_of(text[end]) != 0)
        ++end;
      const std::string_view word = text.substr(at, end - at);
      const bool prefix = end < text.size() && (text[end] == '"' || text[end] == '\'') &&
                          word.size() <= 3 &&
                          word.find_first_not_of("uU8LR") == std::string_view::npos;
      if (prefix) {
        kind = TokenKind::text;
        end = word.back() == 'R' ? end_of_raw(text, end) : end_of_quoted(text, end);
      } else {
        kind = TokenKind::name;
        const auto [found, is_new] =
            tokens.numbers.try_emplace(word, static_cast<uint32_t>(tokens.names.size()));
        if (is_new) tokens.names.push_back(word);
        name = found->second;
      }
    } else if (class_of(c) == kDigit ||
               (c == '.' && end < text.size() && class_of(text[end]) == kDigit)) {
      kind = TokenKind::number;
      end = end_of_number(text, at);
    } else if (c == '"' || c == '\'') {
      kind = TokenKind::text;
      end = end_of_quoted(text, at);
    }
    starts_line = false;
    tokens.all.push_back({kind, static_cast<uint32_t>(at), static_cast<uint32_t>(end - at), name});
    at = end;
  }
  return tokens;
}

}  // namespace ridge::build
