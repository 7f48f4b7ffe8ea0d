// A position in the token list; all syntax errors are worded here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "virtual_gpu/ptx/lexer.h"

namespace ridge::ptx {

class TokenCursor {
 public:
  explicit TokenCursor(std::span<const Token> tokens) : tokens_(tokens) {}

  // The token at distance `ahead` from the next one; past the end it is the end token.
  const Token& peek(size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : tokens_.back();
  }
  const Token& take() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  size_t position() const { return at_; }
  uint32_t line() const { return peek().line; }

  bool at_end() const { return peek().kind == Token::Kind::end; }
  bool at_word() const { return peek().kind == Token::Kind::word; }
  bool at_word(std::string_view text) const { return at_word() && peek().text == text; }
  bool at_directive() const { return at_word() && peek().text.front() == '.'; }
  bool at_number() const { return peek().kind == Token::Kind::number; }
  bool at(char symbol, size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::symbol && peek(ahead).text.front() == symbol;
  }

  bool accept(char symbol) { return at(symbol) && (take(), true); }
  bool accept_word(std::string_view text) { return at_word(text) && (take(), true); }

  // `where` completes the sentence "expected ';' ...": "after the operands of ld.global.f32".
  void expect(char symbol, std::string_view where) {
    if (!accept(symbol)) fail_expected(std::string("'") + symbol + "' " + std::string(where));
  }
  // A word that is not a directive.
  std::string_view expect_name(std::string_view what);
  std::string_view expect_string(std::string_view what);              // the text between quotes
  uint64_t expect_unsigned(std::string_view what, uint64_t largest);  // one integer literal, no expression

  [[noreturn]] void fail(const std::string& message) const;            // at the next token's line
  [[noreturn]] void fail_expected(const std::string& expected) const;  // "expected X, found Y"

 private:
  std::span<const Token> tokens_;
  size_t at_ = 0;
};

}  // namespace ridge::ptx
