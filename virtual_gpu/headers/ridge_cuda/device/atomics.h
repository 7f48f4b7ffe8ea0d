// Atomic functions. Without a suffix their scope is the device, _block is the block, _system all devices and the host.
// The order is relaxed (programming guide, "atomic functions").
#pragma once

#define RIDGE_ATOMIC(name, scope, type, builtin, carrier)                                      \
  RIDGE_DEVICE type atomic##name##scope(type* p, type v) {                                     \
    return static_cast<type>(builtin(reinterpret_cast<carrier*>(p), static_cast<carrier>(v))); \
  }
#define RIDGE_ATOMICS(scope, in_name)                                                          \
  RIDGE_ATOMIC(Add, scope, int, __nvvm_atom_##in_name##add_gen_i, int)                         \
  RIDGE_ATOMIC(Add, scope, unsigned, __nvvm_atom_##in_name##add_gen_i, int)                    \
  RIDGE_ATOMIC(Add, scope, unsigned long long, __nvvm_atom_##in_name##add_gen_ll, long long)   \
  RIDGE_ATOMIC(Add, scope, float, __nvvm_atom_##in_name##add_gen_f, float)                     \
  RIDGE_ATOMIC(Add, scope, double, __nvvm_atom_##in_name##add_gen_d, double)                   \
  RIDGE_ATOMIC(Exch, scope, int, __nvvm_atom_##in_name##xchg_gen_i, int)                       \
  RIDGE_ATOMIC(Exch, scope, unsigned, __nvvm_atom_##in_name##xchg_gen_i, int)                  \
  RIDGE_ATOMIC(Exch, scope, unsigned long long, __nvvm_atom_##in_name##xchg_gen_ll, long long) \
  RIDGE_ATOMIC(Min, scope, int, __nvvm_atom_##in_name##min_gen_i, int)                         \
  RIDGE_ATOMIC(Min, scope, unsigned, __nvvm_atom_##in_name##min_gen_ui, unsigned)              \
  RIDGE_ATOMIC(Min, scope, long long, __nvvm_atom_##in_name##min_gen_ll, long long)            \
  RIDGE_ATOMIC(Min, scope, unsigned long long, __nvvm_atom_##in_name##min_gen_ull,             \
               unsigned long long)                                                             \
  RIDGE_ATOMIC(Max, scope, int, __nvvm_atom_##in_name##max_gen_i, int)                         \
  RIDGE_ATOMIC(Max, scope, unsigned, __nvvm_atom_##in_name##max_gen_ui, unsigned)              \
  RIDGE_ATOMIC(Max, scope, long long, __nvvm_atom_##in_name##max_gen_ll, long long)            \
  RIDGE_ATOMIC(Max, scope, unsigned long long, __nvvm_atom_##in_name##max_gen_ull,             \
               unsigned long long)                                                             \
  RIDGE_ATOMIC(Inc, scope, unsigned, __nvvm_atom_##in_name##inc_gen_ui, unsigned)              \
  RIDGE_ATOMIC(Dec, scope, unsigned, __nvvm_atom_##in_name##dec_gen_ui, unsigned)              \
  RIDGE_ATOMIC(And, scope, int, __nvvm_atom_##in_name##and_gen_i, int)                         \
  RIDGE_ATOMIC(And, scope, unsigned, __nvvm_atom_##in_name##and_gen_i, int)                    \
  RIDGE_ATOMIC(And, scope, unsigned long long, __nvvm_atom_##in_name##and_gen_ll, long long)   \
  RIDGE_ATOMIC(Or, scope, int, __nvvm_atom_##in_name##or_gen_i, int)                           \
  RIDGE_ATOMIC(Or, scope, unsigned, __nvvm_atom_##in_name##or_gen_i, int)                      \
  RIDGE_ATOMIC(Or, scope, unsigned long long, __nvvm_atom_##in_name##or_gen_ll, long long)     \
  RIDGE_ATOMIC(Xor, scope, int, __nvvm_atom_##in_name##xor_gen_i, int)                         \
  RIDGE_ATOMIC(Xor, scope, unsigned, __nvvm_atom_##in_name##xor_gen_i, int)                    \
  RIDGE_ATOMIC(Xor, scope, unsigned long long, __nvvm_atom_##in_name##xor_gen_ll, long long)   \
  RIDGE_DEVICE int atomicSub##scope(int* p, int v) {                                           \
    return atomicAdd##scope(p, -v);                                                            \
  }                                                                                            \
  RIDGE_DEVICE unsigned atomicSub##scope(unsigned* p, unsigned v) {                            \
    return atomicAdd##scope(p, 0u - v);                                                        \
  }                                                                                            \
  RIDGE_DEVICE float atomicExch##scope(float* p, float v) {                                    \
    return __int_as_float(                                                                     \
        __nvvm_atom_##in_name##xchg_gen_i(reinterpret_cast<int*>(p), __float_as_int(v)));      \
  }                                                                                            \
  RIDGE_DEVICE int atomicCAS##scope(int* p, int expected, int v) {                             \
    return __nvvm_atom_##in_name##cas_gen_i(p, expected, v);                                   \
  }                                                                                            \
  RIDGE_DEVICE unsigned atomicCAS##scope(unsigned* p, unsigned expected, unsigned v) {         \
    return static_cast<unsigned>(__nvvm_atom_##in_name##cas_gen_i(                             \
        reinterpret_cast<int*>(p), static_cast<int>(expected), static_cast<int>(v)));          \
  }                                                                                            \
  RIDGE_DEVICE unsigned long long atomicCAS##scope(                                            \
      unsigned long long* p, unsigned long long expected, unsigned long long v) {              \
    return static_cast<unsigned long long>(__nvvm_atom_##in_name##cas_gen_ll(                  \
        reinterpret_cast<long long*>(p), static_cast<long long>(expected),                     \
        static_cast<long long>(v)));                                                           \
  }
RIDGE_ATOMICS(, )
RIDGE_ATOMICS(_block, cta_)
RIDGE_ATOMICS(_system, sys_)
#undef RIDGE_ATOMICS
#undef RIDGE_ATOMIC

// Two and four floats of global memory: each is added by itself.
#define RIDGE_ATOMIC_VECTORS(suffix, scope)                                                 \
  RIDGE_DEVICE float2 atomicAdd##suffix(float2* p, float2 v) {                              \
    float2 old;                                                                             \
    asm volatile("atom.relaxed." scope ".global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"       \
                 : "=f"(old.x), "=f"(old.y)                                                 \
                 : "l"(__cvta_generic_to_global(p)), "f"(v.x), "f"(v.y)                     \
                 : "memory");                                                               \
    return old;                                                                             \
  }                                                                                         \
  RIDGE_DEVICE float4 atomicAdd##suffix(float4* p, float4 v) {                              \
    float4 old;                                                                             \
    asm volatile("atom.relaxed." scope                                                      \
                 ".global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"             \
                 : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)                       \
                 : "l"(__cvta_generic_to_global(p)), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) \
                 : "memory");                                                               \
    return old;                                                                             \
  }
RIDGE_ATOMIC_VECTORS(, "gpu")
RIDGE_ATOMIC_VECTORS(_block, "cta")
RIDGE_ATOMIC_VECTORS(_system, "sys")
#undef RIDGE_ATOMIC_VECTORS

RIDGE_DEVICE unsigned short atomicCAS(unsigned short* p, unsigned short expected,
                                      unsigned short v) {
  unsigned short old;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
               : "=h"(old)
               : "l"(p), "h"(expected), "h"(v)
               : "memory");
  return old;
}

// Any type of 16 bytes that is aligned to as many.
template <class T, bool = sizeof(T) == 16 && alignof(T) >= 16>
struct RidgeOf16Bytes {};
template <class T>
struct RidgeOf16Bytes<T, true> {
  using Type = T;
};
#define RIDGE_ATOMICS_16(in_name, scope)                                                           \
  template <class T>                                                                               \
  RIDGE_DEVICE typename RidgeOf16Bytes<T>::Type atomicCAS##in_name(T* p, T expected, T v) {        \
    unsigned long long e[2], n[2], o[2];                                                           \
    __builtin_memcpy(e, &expected, 16);                                                            \
    __builtin_memcpy(n, &v, 16);                                                                   \
    asm volatile("{.reg .b128 e, n, o; mov.b128 e, {%2, %3}; mov.b128 n, {%4, %5}; atom.relaxed."  \
                 scope ".cas.b128 o, [%6], e, n; mov.b128 {%0, %1}, o;}"                           \
                 : "=l"(o[0]), "=l"(o[1])                                                          \
                 : "l"(e[0]), "l"(e[1]), "l"(n[0]), "l"(n[1]), "l"(p)                              \
                 : "memory");                                                                      \
    T old;                                                                                         \
    __builtin_memcpy(&old, o, 16);                                                                 \
    return old;                                                                                    \
  }                                                                                                \
  template <class T>                                                                               \
  RIDGE_DEVICE typename RidgeOf16Bytes<T>::Type atomicExch##in_name(T* p, T v) {                   \
    unsigned long long n[2], o[2];                                                                 \
    __builtin_memcpy(n, &v, 16);                                                                   \
    asm volatile("{.reg .b128 n, o; mov.b128 n, {%2, %3}; atom.relaxed." scope                     \
                 ".exch.b128 o, [%4], n; mov.b128 {%0, %1}, o;}"                                   \
                 : "=l"(o[0]), "=l"(o[1])                                                          \
                 : "l"(n[0]), "l"(n[1]), "l"(p)                                                    \
                 : "memory");                                                                      \
    T old;                                                                                         \
    __builtin_memcpy(&old, o, 16);                                                                 \
    return old;                                                                                    \
  }
RIDGE_ATOMICS_16(, "gpu")
RIDGE_ATOMICS_16(_block, "cta")
RIDGE_ATOMICS_16(_system, "sys")
#undef RIDGE_ATOMICS_16
