// __match_any_sync and __match_all_sync for all types; clang's header of warp intrinsics includes this name.
#pragma once

#define RIDGE_MATCH(type, bits, carrier)                                                   \
  static __device__ __forceinline__ unsigned __match_any_sync(unsigned mask, type value) { \
    return __match##bits##_any_sync(mask, carrier(value));                                 \
  }                                                                                        \
  static __device__ __forceinline__ unsigned __match_all_sync(unsigned mask, type value,   \
                                                              int* all) {                  \
    return __match##bits##_all_sync(mask, carrier(value), all);                            \
  }
RIDGE_MATCH(unsigned, 32, )
RIDGE_MATCH(int, 32, )
RIDGE_MATCH(unsigned long, 64, )
RIDGE_MATCH(long, 64, )
RIDGE_MATCH(unsigned long long, 64, )
RIDGE_MATCH(long long, 64, )
RIDGE_MATCH(float, 32, __float_as_uint)
RIDGE_MATCH(double, 64, __double_as_longlong)
#undef RIDGE_MATCH
