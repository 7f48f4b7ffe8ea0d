#include "virtual_gpu/ptx/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "virtual_gpu/ptx/parser.h"

namespace ridge::ptx {
namespace {

enum CharClass : uint8_t { kSpace = 1, kDigit = 2, kWordStart = 4, kWordPart = 8 };

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\r', '\f', '\v'})
    classes[static_cast<uint8_t>(c)] = kSpace;
  for (int c = '0'; c <= '9'; ++c)
    classes[c] = kDigit | kWordPart;
  for (int c = 'a'; c <= 'z'; ++c)
    classes[c] = kWordStart | kWordPart;
  for (int c = 'A'; c <= 'Z'; ++c)
    classes[c] = kWordStart | kWordPart;
  classes['_'] = classes['$'] = kWordStart | kWordPart;
  for (int c = 128; c < 256; ++c)
    classes[c] = kWordStart | kWordPart;  // a C++ name may be UTF-8
  return classes;
}
constexpr auto kClasses = make_classes();
constexpr auto kStopsBody = [] {
  std::array<bool, 256> stops{};
  for (const char c : {'\n', '{', '}', '/', '"'})
    stops[static_cast<uint8_t>(c)] = true;
  return stops;
}();
constexpr std::string_view kSymbols = "{}()[]<>,;:@!|+-*/%&^~?=";

class Lexer {
 public:
  Lexer(std::string_view text, Bodies bodies, uint32_t first_line, std::vector<Token> memory)
      : at_(text.data()),
        end_(text.data() + text.size()),
        bodies_(bodies),
        line_(first_line),
        tokens_(std::move(memory)) {
    tokens_.clear();
    // PTX in a fat binary is padded with zeros.
    if (const void* zero = std::memchr(at_, 0, text.size())) end_ = static_cast<const char*>(zero);
    if (bodies == Bodies::read) tokens_.reserve(static_cast<size_t>(end_ - at_) / 4 + 16);
  }

  std::vector<Token> run() {
    while (at_ < end_) {
      const char c = *at_;
      if (c == '\n') {
        ++line_;
        ++at_;
      } else if (is(c, kSpace)) {
        ++at_;
      } else if (c == '/' && follows("/")) {
        skip_line();
      } else if (c == '/' && follows("*")) {
        skip_block_comment();
      } else if (is(c, kDigit)) {
        take_number();
      } else if (is(c, kWordStart) || (c == '%' && at_ + 1 < end_ && is(at_[1], kWordStart))) {
        take_word();
      } else if (c == '.') {
        take_dot_word();
      } else if (c == '"') {
        take_string();
      } else if (kSymbols.find(c) != std::string_view::npos) {
        take_symbol();
      } else {
        throw ParseError(
            line_,
            fmt::format("character 0x{:02x} has no meaning in PTX; the text is damaged or is "
                        "not PTX",
                        static_cast<uint8_t>(c)));
      }
    }
    push(Token::Kind::end, end_);
    return std::move(tokens_);
  }

 private:
  static bool is(char c, uint8_t classes) {
    return (kClasses[static_cast<uint8_t>(c)] & classes) != 0;
  }

  bool follows(std::string_view next) const {
    return static_cast<size_t>(end_ - at_) > next.size() &&
           std::string_view(at_ + 1, next.size()) == next;
  }

  void push(Token::Kind kind, const char* from) {
    tokens_.push_back({std::string_view(from, static_cast<size_t>(at_ - from)), line_, kind});
  }

  void skip_line() {
    const void* newline = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_));
    at_ = newline ? static_cast<const char*>(newline) : end_;
  }

  void skip_block_comment() {
    const uint32_t opened = line_;
    for (at_ += 2; at_ < end_; ++at_) {
      if (*at_ == '\n') ++line_;
      if (*at_ == '*' && follows("/")) {
        at_ += 2;
        return;
      }
    }
    throw ParseError(opened,
                     "the comment that starts here is never closed; the text ends too early");
  }

  // Letters, digits, and '::' between them ("shared::cta").
  void take_word_part() {
    while (at_ < end_) {
      if (is(*at_, kWordPart)) {
        ++at_;
      } else if (*at_ == ':' && end_ - at_ > 2 && at_[1] == ':' && is(at_[2], kWordPart)) {
        at_ += 3;
      } else {
        return;
      }
    }
  }

  void take_word() {
    const char* from = at_++;
    take_word_part();
    while (at_ + 1 < end_ && *at_ == '.' && is(at_[1], kWordPart)) {
      ++at_;
      take_word_part();
    }
    push(Token::Kind::word, from);
  }

  void take_dot_word() {
    const char* from = at_++;
    take_word_part();
    if (at_ - from == 1) throw ParseError(line_, "a '.' without the name of a directive after it");
    push(Token::Kind::word, from);
    const std::string_view word = tokens_.back().text;
    in_section_ |= word == ".section";
    in_function_ |= bodies_ == Bodies::skip && (word == ".entry" || word == ".func");
  }

  void take_number() {
    const char* from = at_;
    const auto is_radix = [&] {
      return end_ - from > 1 && *from == '0' && std::strchr("xXfFdDbB", from[1]);
    };
    const bool may_have_exponent = !is_radix();
    while (at_ < end_ && (is(*at_, kWordPart) || *at_ == '.')) {
      const bool exponent = may_have_exponent && (*at_ == 'e' || *at_ == 'E');
      ++at_;
      if (exponent && at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    }
    push(Token::Kind::number, from);
  }

  void take_string() {
    const char* from = at_ + 1;
    skip_string();
    tokens_.push_back(
        {std::string_view(from, static_cast<size_t>(at_ - 1 - from)), line_, Token::Kind::string});
  }

  void skip_string() {
    ++at_;
    while (at_ < end_ && *at_ != '"' && *at_ != '\n')
      at_ += *at_ == '\\' && at_ + 1 < end_ ? 2 : 1;
    at_ = std::min(at_, end_);
    if (at_ == end_ || *at_ != '"')
      throw ParseError(line_, "the string that starts here is never closed");
    ++at_;
  }

  void take_symbol() {
    const char* from = at_++;
    push(Token::Kind::symbol, from);
    if (*from == '{' && in_section_) skip_section();
    if (*from == '{' && in_function_) skip_body();
    if (*from == ';') in_function_ = false;
  }

  // To the '}' of the body that was opened, which becomes a token.
  void skip_body() {
    in_function_ = false;
    const uint32_t opened = line_;
    for (size_t depth = 1; at_ < end_;) {
      skip_plain_blocks();
      if (at_ == end_) break;
      const char c = *at_;
      if (!kStopsBody[static_cast<uint8_t>(c)]) {
        ++at_;
      } else if (c == '/' && follows("/")) {
        skip_line();
      } else if (c == '/' && follows("*")) {
        skip_block_comment();
      } else if (c == '"') {
        skip_string();
      } else {
        if (c == '\n') ++line_;
        if (c == '{') ++depth;
        if (c == '}' && --depth == 0) return;
        ++at_;
      }
    }
    throw ParseError(opened, "the body of the function is never closed; the text ends too early");
  }

  // Blocks of text in which only the line breaks count. Most of a body is such text; compilers
  // vectorise the loop over a block.
  void skip_plain_blocks() {
    constexpr ptrdiff_t kBlock = 32;
    while (end_ - at_ >= kBlock) {
      uint8_t stops = 0, lines = 0;
      for (ptrdiff_t i = 0; i < kBlock; ++i) {
        const char c = at_[i];
        stops |= static_cast<uint8_t>((c == '{') | (c == '}') | (c == '/') | (c == '"'));
        lines = static_cast<uint8_t>(lines + (c == '\n'));
      }
      if (stops != 0) return;
      line_ += lines;
      at_ += kBlock;
    }
  }

  // With -G most of the text is DWARF bytes between braces, which are not needed. LLVM may put
  // comments after them; a brace in a comment does not close the section.
  void skip_section() {
    in_section_ = false;
    const uint32_t opened = line_;
    while (at_ < end_) {
      const auto* newline =
          static_cast<const char*>(std::memchr(at_, '\n', static_cast<size_t>(end_ - at_)));
      const std::string_view line(at_, static_cast<size_t>((newline ? newline : end_) - at_));
      const size_t close = line.substr(0, line.find("//")).find('}');
      if (close != std::string_view::npos) {
        at_ += close;
        return;
      }
      if (!newline) break;
      at_ = newline + 1;
      ++line_;
    }
    throw ParseError(opened,
                     "the debug section that starts here is never closed; the text ends too early");
  }

  const char* at_;
  const char* end_;
  Bodies bodies_;
  uint32_t line_;
  bool in_section_ = false;
  bool in_function_ = false;  // in the header of one whose body is to be skipped
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, Bodies bodies, uint32_t first_line,
                            std::vector<Token> memory) {
  return Lexer(text, bodies, first_line, std::move(memory)).run();
}

}  // namespace ridge::ptx
