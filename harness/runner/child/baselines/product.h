// A matrix product of the course as cuBLAS sees it. The problem is row-major, C [m][n] = A [m][k] x B [k][n];
// cuBLAS is column-major, and there the same bytes are C' [n][m] = B' [n][k] x A' [k][m]: so the operands
// change places and nothing is transposed. Where B is stored as [n][k], cuBLAS sees B' as [k][n] and is told
// to transpose it, and its leading dimension is k.
#pragma once

#include "harness/runner/child/baseline.h"

namespace ridge::runner {

// cudaDataType and cublasComputeType_t of library_types.h and cublas_api.h.
inline constexpr int kRealFloat32 = 0, kRealFloat16 = 2, kRealBfloat16 = 14, kRealFloat8E4m3 = 28;
inline constexpr int kComputeFloat32 = 68;

struct Product {
  int m = 0, n = 0, k = 0;
  int type = kRealFloat32;         // of A and B; products and sums are float32
  int result_type = kRealFloat32;  // of C
  bool b_along_k = false;          // B lies there as [n][k]
};
// Throws std::runtime_error for a problem that is no product, and where NVIDIA_TF32_OVERRIDE is set: then the
// library would compute float32 products in TF32, nine times as fast and wrong.
Product product_of(const Work& work);

}  // namespace ridge::runner
