// The few CUDA driver functions that programs get through cudaGetDriverEntryPoint. There is no
// driver below this library, so it implements them.
#pragma once

#include <cuda.h>

namespace ridge::runtime {

struct DriverFunction {
  void* address = nullptr;
  int since = 0;  // the CUDA version that introduced it, 1000 * major + 10 * minor
};

// By the driver's name without a version suffix ("cuTensorMapEncodeTiled"); address nullptr when it
// is unknown.
DriverFunction driver_function(const char* name);

CUresult encode_tiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                      const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
                      const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                      CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                      CUtensorMapFloatOOBfill fill);
CUresult encode_im2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                       const cuuint64_t* dims, const cuuint64_t* strides, const int* lower, const int* upper,
                       cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* element_strides,
                       CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                       CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CUresult replace_address(CUtensorMap* map, void* address);

// nullptr for an unknown code.
const char* driver_error_name(CUresult error);

}  // namespace ridge::runtime
