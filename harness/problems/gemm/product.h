// Matrix products in double, for the references: 4096 x 4096 x 4096 in one or two seconds on 16
// cores.
#pragma once

#include <cstdint>
#include <span>

#include "harness/problems/large_array.h"

namespace ridge::problems {

// Layout of the second factor: [k][n], or transposed, [n][k].
enum class Factor { rows_of_n, rows_of_k };

// C [m][n] of A [m][k] and the second factor. Every element is the sum over k in pieces of 256, in
// order.
LargeArray<double> multiply(std::span<const double> a, std::span<const double> b, Factor lies, int64_t m,
                             int64_t n, int64_t k);

}  // namespace ridge::problems
