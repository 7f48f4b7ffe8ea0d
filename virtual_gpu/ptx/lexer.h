// Splits PTX text into tokens. A token is a view into the text: nothing is copied.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ridge::ptx {

struct Token {
  enum class Kind : uint8_t {
    word,    // %r1, %tid.x, $L__BB0_2, ld.global.v4.f32, .reg, mbarrier::complete_tx::bytes
    number,  // 12, 0x1FU, 0f3F800000, 1.5e-3
    string,  // "nounroll", without the quotes
    symbol,  // one character of punctuation; << and == are two adjacent symbols
    end,
  };
  std::string_view text;
  uint32_t line = 0;
  Kind kind = Kind::end;

  // True when `next` starts where this token stops.
  bool touches(const Token& next) const { return text.data() + text.size() == next.text.data(); }
};

// A word that starts with a letter includes its dots ("ld.global.f32"), so that an opcode is one
// token. A word that starts with a dot ends at the next one (".v4.f32" is two), so that
// declarations are read one property at a time. Comments and the bodies of debug sections are
// skipped. The last token is always Kind::end.
enum class Bodies : uint8_t {
  read,
  skip
};  // skip: of a function's body only '{' and '}' are tokens
// `memory` is a vector whose content is no longer needed.
std::vector<Token> tokenize(std::string_view text, Bodies bodies = Bodies::read,
                            uint32_t first_line = 1, std::vector<Token> memory = {});

}  // namespace ridge::ptx
