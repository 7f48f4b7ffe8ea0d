// Predicts from a PTX instruction's text which SASS it becomes.
#pragma once

#include <string_view>

#include "warp_model/sass.h"

namespace ridge::observe {

// The class of the single SASS instruction that performs it: "st.shared.f32 ..." is a shared store.
// `other` when there is no such single instruction.
warp_model::SassClass counterpart_of(std::string_view ptx_text);

// Correctly rounded division, reciprocal and square root: ptxas inlines them and branches around
// the call of a routine for operands out of range (0, subnormal, infinite, NaN, the ends of the
// exponent range). Operands are not examined here: the call is assumed to be skipped.
bool calls_for_rare_operands(std::string_view ptx_text);

}  // namespace ridge::observe
