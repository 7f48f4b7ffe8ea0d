// What products of integers are added to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ridge::machine {

// sums[i] += products[i], which are whole numbers; wraps around, or stops at the largest and smallest.
void add_wrapping(const float* products, int32_t* sums, size_t count, bool saturate);

}  // namespace ridge::machine
