// Literals and constant expressions: 0x1FU, 0f3F800000, -1, (1 + 2) << 3, WARP_SZ.
#pragma once

#include <cstdint>

#include "virtual_gpu/ptx/token_cursor.h"

namespace ridge::ptx {

struct Constant {
  bool is_floating = false;
  bool is_f32_bits = false;  // written as 0fXXXXXXXX; `bits` holds those 32 bits
  bool is_unsigned = false;  // arithmetic with it is unsigned 64-bit
  // The integer, or the bits of the literal (32 for 0f, otherwise those of a double).
  uint64_t bits = 0;
  double floating = 0;
};

// True when the next token can start a constant expression.
bool at_constant(const TokenCursor& cursor);

// Parses one number token.
Constant parse_literal(TokenCursor& cursor);

// Parses an expression with C's operators and precedence, in 64 bits, as the PTX manual defines it.
Constant parse_constant(TokenCursor& cursor);

// "+4", "-8", "+-8", "+4+8": the sum of the offsets after a symbol or register; 0 when there are
// none.
int64_t parse_offset(TokenCursor& cursor);

}  // namespace ridge::ptx
