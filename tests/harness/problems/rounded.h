// What a shorter type would keep of a value.
#pragma once

#include "harness/problems/element.h"
#include "text/half_float.h"

namespace ridge::tests {

inline float as_float16(float value) {
  return static_cast<float>(ridge::text::half_to_float(problems::to_float16(value)));
}

}  // namespace ridge::tests
