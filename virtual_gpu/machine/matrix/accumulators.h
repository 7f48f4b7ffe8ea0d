// Adds products of integers to accumulators.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ridge::machine {

// sums[i] += products[i], which are integers; wraps around, or clamps with `saturate`.
void add_wrapping(const float* products, int32_t* sums, size_t count, bool saturate);

}  // namespace ridge::machine
