// Tokens of C++ text that the preprocessor has written (`gcc -E`): no comments, no macros.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ridge::build {

enum class TokenKind : uint8_t { name, number, text, sign, directive };

struct Token {
  TokenKind kind;
  uint32_t at, size;  // bytes in the text
  uint32_t name;      // of a name: its number; equal names have equal numbers
};

struct Tokens {
  std::string_view text;
  std::vector<Token> all;
  std::vector<std::string_view> names;  // by number
  std::unordered_map<std::string_view, uint32_t> numbers;  // of the names

  std::string_view of(size_t token) const { return text.substr(all[token].at, all[token].size); }
  bool is_sign(size_t token, char sign) const {
    return token < all.size() && all[token].kind == TokenKind::sign && text[all[token].at] == sign;
  }
  bool is_name(size_t token) const {
    return token < all.size() && all[token].kind == TokenKind::name;
  }
  bool is_name(size_t token, std::string_view word) const {
    return is_name(token) && of(token) == word;
  }
};

// A sign is one character ("::" is two tokens), a string or character with its prefix is one text, and
// a line that begins with # is one directive. `text` must outlive the result and be below 4 GB.
Tokens tokens_of(std::string_view text);

}  // namespace ridge::build
