// What the SASS of a PTX instruction is known to hold, by the instruction's text.
#pragma once

#include <string_view>

#include "warp_model/sass.h"

namespace ridge::observe {

// The class of the one SASS instruction that does its work: "st.shared.f32 ..." is a shared store. `other`
// where there is no such one.
warp_model::SassClass counterpart_of(std::string_view ptx_text);

// "@%p1 st.global.f32 ..." without its guard.
std::string_view without_predicate(std::string_view ptx_text);

}  // namespace ridge::observe
