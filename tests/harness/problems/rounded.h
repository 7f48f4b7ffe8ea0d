// What a shorter type would keep of a value.
#pragma once

#include "harness/problems/element.h"

namespace ridge::tests {

inline float as_float16(float value) {
  return static_cast<float>(problems::from_float16(problems::to_float16(value)));
}

}  // namespace ridge::tests
