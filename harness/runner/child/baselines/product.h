// A matrix product of the course in cuBLAS's terms. The problem is row-major, C [m][n] = A [m][k] x
// B [k][n]. cuBLAS is column-major and interprets the same bytes as C' [n][m] = B' [n][k] x A'
// [k][m]: the operands are exchanged and nothing is transposed. If B is stored as [n][k], cuBLAS
// sees B' as [k][n] and must transpose it, with the leading dimension k.
#pragma once

#include "harness/runner/child/baseline.h"

namespace ridge::runner {

// cudaDataType and cublasComputeType_t, from library_types.h and cublas_api.h.
inline constexpr int kRealFloat32 = 0, kRealFloat16 = 2, kRealBfloat16 = 14, kRealFloat8E4m3 = 28;
inline constexpr int kComputeFloat32 = 68;

struct Product {
  int m = 0, n = 0, k = 0;
  int type = kRealFloat32;         // of A and B; accumulators are float32
  int result_type = kRealFloat32;  // of C
  bool b_along_k = false;          // B is stored as [n][k]
};
// Throws std::runtime_error for a problem that is not a product, and when NVIDIA_TF32_OVERRIDE is
// set: the library would then compute float32 products in TF32, nine times as fast and wrong.
Product product_of(const Work& work);

}  // namespace ridge::runner
