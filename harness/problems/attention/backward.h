// The sizes, buffers and inputs of the backward pass of attention.
#pragma once

#include "harness/problems/attention/attention.h"

namespace ridge::problems {

// The buffers, after q, k and v of attention.h.
inline constexpr size_t kOutput = 3, kOutputGradient = 4, kLogSums = 5, kQueryGradient = 6,
                        kKeyGradient = 7, kValueGradient = 8;

inline constexpr int64_t kColumns = 128;
inline constexpr size_t kRowElements = kColumns;

// {heads, queries, keys, mask} as the sizes of the attention whose backward pass it is.
Sizes forward_sizes(const Sizes& sizes);

// Draws q, k, v and the gradient of the output as fill_attention() does.
bool fill_backward(const Fill& fill);
// Repeats keys (repeated_keys.h), and computes the output and the logarithms of the sums.
void attend_forward(Case& given);

}  // namespace ridge::problems
