// Reductions of 32-bit integers over the lanes of a mask (redux.sync).
#pragma once

#define RIDGE_REDUX(name, type, ptx)                                    \
  RIDGE_DEVICE type __reduce_##name##_sync(unsigned mask, type value) { \
    type result;                                                        \
    asm volatile("redux.sync." ptx " %0, %1, %2;"                       \
                 : "=r"(result)                                         \
                 : "r"(value), "r"(mask)                                \
                 : "memory");                                           \
    return result;                                                      \
  }
RIDGE_REDUX(add, unsigned, "add.u32")
RIDGE_REDUX(add, int, "add.s32")
RIDGE_REDUX(min, unsigned, "min.u32")
RIDGE_REDUX(min, int, "min.s32")
RIDGE_REDUX(max, unsigned, "max.u32")
RIDGE_REDUX(max, int, "max.s32")
RIDGE_REDUX(or, unsigned, "or.b32")
RIDGE_REDUX(and, unsigned, "and.b32")
RIDGE_REDUX(xor, unsigned, "xor.b32")
#undef RIDGE_REDUX
