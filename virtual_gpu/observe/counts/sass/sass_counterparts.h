// Predicts from a PTX instruction's text which SASS it becomes.
#pragma once

#include <string_view>

#include "warp_model/sass.h"

namespace ridge::observe {

// The class of the single SASS instruction that performs it: "st.shared.f32 ..." is a shared store.
// `other` when there is no such single instruction.
warp_model::SassClass counterpart_of(std::string_view ptx_text);

// "@%p1 st.global.f32 ..." without its guard.
std::string_view without_predicate(std::string_view ptx_text);

}  // namespace ridge::observe
