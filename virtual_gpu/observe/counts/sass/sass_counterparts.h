// What the SASS of a PTX instruction is known to hold, by the instruction's text.
#pragma once

#include <string_view>

#include "warp_model/sass.h"

namespace ridge::observe {

// The class of the one SASS instruction that does its work: "st.shared.f32 ..." is a shared store. `other`
// where there is no such one.
warp_model::SassClass counterpart_of(std::string_view ptx_text);

// Division, reciprocal and square root to the last bit: ptxas computes them in line and jumps over the call
// of a routine for operands out of range (0, subnormal, infinite, NaN, the ends of the exponent's range).
// Operands are not looked at here: the call is taken to be jumped over.
bool calls_for_rare_operands(std::string_view ptx_text);

}  // namespace ridge::observe
