// Products of matrices in double, for the references: 4096 x 4096 x 4096 in a second or two on 16 cores.
#pragma once

#include <cstdint>
#include <span>

#include "harness/problems/large_array.h"

namespace ridge::problems {

enum class Factor { rows_of_n, rows_of_k };  // how the second factor lies: [k][n], or turned, [n][k]

// C [m][n] of A [m][k] and the second factor. Every element is the sum over k in pieces of 256, in order.
LargeArray<double> multiply(std::span<const double> a, std::span<const double> b, Factor lies, int64_t m,
                             int64_t n, int64_t k);

}  // namespace ridge::problems
