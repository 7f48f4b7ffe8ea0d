// Loads and stores with a cache operator: __ldcg, __stcs and their kind (PTX ISA, "cache operators").
#pragma once

#define RIDGE_LOAD_1(function, op, type, ptx, constraint, carrier)                 \
  RIDGE_DEVICE type function(const type* p) {                                      \
    carrier v;                                                                     \
    asm volatile(op "." ptx " %0, [%1];" : "=" constraint(v) : "l"(p) : "memory"); \
    return static_cast<type>(v);                                                   \
  }
#define RIDGE_LOAD_2(function, op, type, element, ptx, constraint, carrier) \
  RIDGE_DEVICE type function(const type* p) {                               \
    carrier x, y;                                                           \
    asm volatile(op ".v2." ptx " {%0, %1}, [%2];"                           \
                 : "=" constraint(x), "=" constraint(y)                     \
                 : "l"(p)                                                   \
                 : "memory");                                               \
    return type{static_cast<element>(x), static_cast<element>(y)};          \
  }
#define RIDGE_LOAD_4(function, op, type, element, ptx, constraint, carrier)                   \
  RIDGE_DEVICE type function(const type* p) {                                                 \
    carrier x, y, z, w;                                                                       \
    asm volatile(op ".v4." ptx " {%0, %1, %2, %3}, [%4];"                                     \
                 : "=" constraint(x), "=" constraint(y), "=" constraint(z), "=" constraint(w) \
                 : "l"(p)                                                                     \
                 : "memory");                                                                 \
    return type{static_cast<element>(x), static_cast<element>(y), static_cast<element>(z),    \
                static_cast<element>(w)};                                                     \
  }
#define RIDGE_STORE_1(function, op, type, ptx, constraint, carrier)                    \
  RIDGE_DEVICE void function(type* p, type v) {                                        \
    asm volatile(op "." ptx " [%0], %1;" ::"l"(p), constraint(static_cast<carrier>(v)) \
                 : "memory");                                                          \
  }
#define RIDGE_STORE_2(function, op, type, ptx, constraint, carrier)                                \
  RIDGE_DEVICE void function(type* p, type v) {                                                    \
    asm volatile(op ".v2." ptx " [%0], {%1, %2};" ::"l"(p), constraint(static_cast<carrier>(v.x)), \
                 constraint(static_cast<carrier>(v.y))                                             \
                 : "memory");                                                                      \
  }
#define RIDGE_STORE_4(function, op, type, ptx, constraint, carrier)                            \
  RIDGE_DEVICE void function(type* p, type v) {                                                \
    asm volatile(op ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(p),                            \
                 constraint(static_cast<carrier>(v.x)), constraint(static_cast<carrier>(v.y)), \
                 constraint(static_cast<carrier>(v.z)), constraint(static_cast<carrier>(v.w))  \
                 : "memory");                                                                  \
  }

#define RIDGE_LOADS(f, op)                                                            \
  RIDGE_LOAD_1(f, op, char, "s8", "r", int)                                           \
  RIDGE_LOAD_1(f, op, signed char, "s8", "r", int)                                    \
  RIDGE_LOAD_1(f, op, unsigned char, "u8", "r", int)                                  \
  RIDGE_LOAD_1(f, op, short, "s16", "h", short)                                       \
  RIDGE_LOAD_1(f, op, unsigned short, "u16", "h", unsigned short)                     \
  RIDGE_LOAD_1(f, op, int, "s32", "r", int)                                           \
  RIDGE_LOAD_1(f, op, unsigned, "u32", "r", unsigned)                                 \
  RIDGE_LOAD_1(f, op, long, "s64", "l", long)                                         \
  RIDGE_LOAD_1(f, op, unsigned long, "u64", "l", unsigned long)                       \
  RIDGE_LOAD_1(f, op, long long, "s64", "l", long long)                               \
  RIDGE_LOAD_1(f, op, unsigned long long, "u64", "l", unsigned long long)             \
  RIDGE_LOAD_1(f, op, float, "f32", "f", float)                                       \
  RIDGE_LOAD_1(f, op, double, "f64", "d", double)                                     \
  RIDGE_LOAD_2(f, op, char2, signed char, "s8", "r", int)                             \
  RIDGE_LOAD_4(f, op, char4, signed char, "s8", "r", int)                             \
  RIDGE_LOAD_2(f, op, uchar2, unsigned char, "u8", "r", int)                          \
  RIDGE_LOAD_4(f, op, uchar4, unsigned char, "u8", "r", int)                          \
  RIDGE_LOAD_2(f, op, short2, short, "s16", "h", short)                               \
  RIDGE_LOAD_4(f, op, short4, short, "s16", "h", short)                               \
  RIDGE_LOAD_2(f, op, ushort2, unsigned short, "u16", "h", unsigned short)            \
  RIDGE_LOAD_4(f, op, ushort4, unsigned short, "u16", "h", unsigned short)            \
  RIDGE_LOAD_2(f, op, int2, int, "s32", "r", int)                                     \
  RIDGE_LOAD_4(f, op, int4, int, "s32", "r", int)                                     \
  RIDGE_LOAD_2(f, op, uint2, unsigned, "u32", "r", unsigned)                          \
  RIDGE_LOAD_4(f, op, uint4, unsigned, "u32", "r", unsigned)                          \
  RIDGE_LOAD_2(f, op, longlong2, long long, "s64", "l", long long)                    \
  RIDGE_LOAD_2(f, op, ulonglong2, unsigned long long, "u64", "l", unsigned long long) \
  RIDGE_LOAD_2(f, op, float2, float, "f32", "f", float)                               \
  RIDGE_LOAD_4(f, op, float4, float, "f32", "f", float)                               \
  RIDGE_LOAD_2(f, op, double2, double, "f64", "d", double)
RIDGE_LOADS(__ldcg, "ld.global.cg")
RIDGE_LOADS(__ldca, "ld.global.ca")
RIDGE_LOADS(__ldcs, "ld.global.cs")
RIDGE_LOADS(__ldlu, "ld.global.lu")
RIDGE_LOADS(__ldcv, "ld.global.cv")
#undef RIDGE_LOADS

#define RIDGE_STORES(f, op)                                                \
  RIDGE_STORE_1(f, op, char, "s8", "r", int)                               \
  RIDGE_STORE_1(f, op, signed char, "s8", "r", int)                        \
  RIDGE_STORE_1(f, op, unsigned char, "u8", "r", int)                      \
  RIDGE_STORE_1(f, op, short, "s16", "h", short)                           \
  RIDGE_STORE_1(f, op, unsigned short, "u16", "h", unsigned short)         \
  RIDGE_STORE_1(f, op, int, "s32", "r", int)                               \
  RIDGE_STORE_1(f, op, unsigned, "u32", "r", unsigned)                     \
  RIDGE_STORE_1(f, op, long, "s64", "l", long)                             \
  RIDGE_STORE_1(f, op, unsigned long, "u64", "l", unsigned long)           \
  RIDGE_STORE_1(f, op, long long, "s64", "l", long long)                   \
  RIDGE_STORE_1(f, op, unsigned long long, "u64", "l", unsigned long long) \
  RIDGE_STORE_1(f, op, float, "f32", "f", float)                           \
  RIDGE_STORE_1(f, op, double, "f64", "d", double)                         \
  RIDGE_STORE_2(f, op, char2, "s8", "r", int)                              \
  RIDGE_STORE_4(f, op, char4, "s8", "r", int)                              \
  RIDGE_STORE_2(f, op, uchar2, "u8", "r", int)                             \
  RIDGE_STORE_4(f, op, uchar4, "u8", "r", int)                             \
  RIDGE_STORE_2(f, op, short2, "s16", "h", short)                          \
  RIDGE_STORE_4(f, op, short4, "s16", "h", short)                          \
  RIDGE_STORE_2(f, op, int2, "s32", "r", int)                              \
  RIDGE_STORE_4(f, op, int4, "s32", "r", int)                              \
  RIDGE_STORE_2(f, op, uint2, "u32", "r", unsigned)                        \
  RIDGE_STORE_4(f, op, uint4, "u32", "r", unsigned)                        \
  RIDGE_STORE_2(f, op, float2, "f32", "f", float)                          \
  RIDGE_STORE_4(f, op, float4, "f32", "f", float)                          \
  RIDGE_STORE_2(f, op, double2, "f64", "d", double)
RIDGE_STORES(__stwb, "st.global.wb")
RIDGE_STORES(__stcg, "st.global.cg")
RIDGE_STORES(__stcs, "st.global.cs")
RIDGE_STORES(__stwt, "st.global.wt")
#undef RIDGE_STORES
#undef RIDGE_LOAD_1
#undef RIDGE_LOAD_2
#undef RIDGE_LOAD_4
#undef RIDGE_STORE_1
#undef RIDGE_STORE_2
#undef RIDGE_STORE_4
