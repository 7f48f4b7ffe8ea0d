// Atomic accesses to words of 4 and 8 bytes with an order and a scope, as PTX. Orders and scopes are constants after
// inlining, so that one instruction is left of each switch.
#pragma once

#include <atomic>

#include "cuda_runtime.h"
#include "ridge_cuda/libcu/standard.h"

namespace cuda {

enum thread_scope {
  thread_scope_system = 0,
  thread_scope_device = 1,
  thread_scope_block = 2,
  thread_scope_thread = 10,
};
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

#if defined(__CUDA__)
namespace ridge {

// STATEMENT("scope", ...) for a scope that is a value.
#define RIDGE_FOR_SCOPE(STATEMENT, scope, ...) \
  if ((scope) == thread_scope_system) {        \
    STATEMENT("sys", __VA_ARGS__);             \
  } else if ((scope) == thread_scope_device) { \
    STATEMENT("gpu", __VA_ARGS__);             \
  } else {                                     \
    STATEMENT("cta", __VA_ARGS__);             \
  }
// STATEMENT("scope", "order", ...). Behind a fence.sc an acquire is sequentially consistent.
#define RIDGE_FOR_ORDER(STATEMENT, order, scope, ...)         \
  if ((order) == memory_order_relaxed) {                      \
    RIDGE_FOR_SCOPE(STATEMENT, scope, "relaxed", __VA_ARGS__) \
  } else if ((order) == memory_order_release) {               \
    RIDGE_FOR_SCOPE(STATEMENT, scope, "release", __VA_ARGS__) \
  } else if ((order) == memory_order_acq_rel) {               \
    RIDGE_FOR_SCOPE(STATEMENT, scope, "acq_rel", __VA_ARGS__) \
  } else {                                                    \
    if ((order) == memory_order_seq_cst) fence_sc(scope);     \
    RIDGE_FOR_SCOPE(STATEMENT, scope, "acquire", __VA_ARGS__) \
  }

#define RIDGE_FENCE(scope, order) asm volatile("fence." order "." scope ";" ::: "memory")
RIDGE_DEVICE void fence_sc(thread_scope scope){
    RIDGE_FOR_SCOPE(RIDGE_FENCE, scope, "sc")} RIDGE_DEVICE void fence_acq_rel(thread_scope scope) {
  RIDGE_FOR_SCOPE(RIDGE_FENCE, scope, "acq_rel")
}
#undef RIDGE_FENCE

#define RIDGE_LOAD(scope, order, bits, constraint)          \
  asm volatile("ld." order "." scope ".b" bits " %0, [%1];" \
               : "=" constraint(value)                      \
               : "l"(p)                                     \
               : "memory")
#define RIDGE_STORE(scope, order, bits, constraint) \
  asm volatile("st." order "." scope ".b" bits " [%0], %1;" ::"l"(p), constraint(value) : "memory")
#define RIDGE_SWAP(scope, order, bits, constraint)                        \
  asm volatile("atom." order "." scope ".cas.b" bits " %0, [%1], %2, %3;" \
               : "=" constraint(old)                                      \
               : "l"(p), constraint(expected), constraint(desired)        \
               : "memory")
#define RIDGE_ATOM(scope, order, operation, constraint)               \
  asm volatile("atom." order "." scope "." operation " %0, [%1], %2;" \
               : "=" constraint(old)                                  \
               : "l"(p), constraint(value)                            \
               : "memory")

// Loads, stores and exchanges of words: `bits` bits, `type` in C++, `constraint` of a register.
#define RIDGE_WORD(bits, type, constraint)                                                       \
  RIDGE_DEVICE type load_word(const type* p, memory_order order, thread_scope scope) {           \
    type value;                                                                                  \
    if (order == memory_order_relaxed) {                                                         \
      RIDGE_FOR_SCOPE(RIDGE_LOAD, scope, "relaxed", bits, constraint)                            \
    } else {                                                                                     \
      if (order == memory_order_seq_cst) fence_sc(scope);                                        \
      RIDGE_FOR_SCOPE(RIDGE_LOAD, scope, "acquire", bits, constraint)                            \
    }                                                                                            \
    return value;                                                                                \
  }                                                                                              \
  RIDGE_DEVICE void store_word(type* p, type value, memory_order order, thread_scope scope) {    \
    if (order == memory_order_release) {                                                         \
      RIDGE_FOR_SCOPE(RIDGE_STORE, scope, "release", bits, constraint)                           \
    } else {                                                                                     \
      if (order == memory_order_seq_cst) fence_sc(scope);                                        \
      RIDGE_FOR_SCOPE(RIDGE_STORE, scope, "relaxed", bits, constraint)                           \
    }                                                                                            \
  }                                                                                              \
  RIDGE_DEVICE type swap_word(type* p, type expected, type desired, memory_order order,          \
                              thread_scope scope) {                                              \
    type old;                                                                                    \
    RIDGE_FOR_ORDER(RIDGE_SWAP, order, scope, bits, constraint)                                  \
    return old;                                                                                  \
  }                                                                                              \
  RIDGE_DEVICE type exchange_word(type* p, type value, memory_order order, thread_scope scope) { \
    type old;                                                                                    \
    RIDGE_FOR_ORDER(RIDGE_ATOM, order, scope, "exch.b" bits, constraint)                         \
    return old;                                                                                  \
  }
RIDGE_WORD("32", unsigned, "r")
RIDGE_WORD("64", unsigned long long, "l")
#undef RIDGE_WORD

// What an instruction does at the address; returns what was there.
#define RIDGE_FETCH(name, operation, type, constraint)                                          \
  RIDGE_DEVICE type fetch_##name(type* p, type value, memory_order order, thread_scope scope) { \
    type old;                                                                                   \
    RIDGE_FOR_ORDER(RIDGE_ATOM, order, scope, operation, constraint)                            \
    return old;                                                                                 \
  }
#define RIDGE_FETCH_INTEGERS(name, of_u32, of_s32, of_u64, of_s64) \
  RIDGE_FETCH(name, of_u32, unsigned, "r")                         \
  RIDGE_FETCH(name, of_s32, int, "r")                              \
  RIDGE_FETCH(name, of_u64, unsigned long long, "l")               \
  RIDGE_FETCH(name, of_s64, long long, "l")
RIDGE_FETCH_INTEGERS(add, "add.u32", "add.u32", "add.u64", "add.u64")
RIDGE_FETCH_INTEGERS(min, "min.u32", "min.s32", "min.u64", "min.s64")
RIDGE_FETCH_INTEGERS(max, "max.u32", "max.s32", "max.u64", "max.s64")
RIDGE_FETCH_INTEGERS(and, "and.b32", "and.b32", "and.b64", "and.b64")
RIDGE_FETCH_INTEGERS(or, "or.b32", "or.b32", "or.b64", "or.b64")
RIDGE_FETCH_INTEGERS(xor, "xor.b32", "xor.b32", "xor.b64", "xor.b64")
RIDGE_FETCH(add, "add.f32", float, "f")
RIDGE_FETCH(add, "add.f64", double, "d")
#undef RIDGE_FETCH_INTEGERS
#undef RIDGE_FETCH
#undef RIDGE_LOAD
#undef RIDGE_STORE
#undef RIDGE_SWAP
#undef RIDGE_ATOM
#undef RIDGE_FOR_ORDER
#undef RIDGE_FOR_SCOPE

}  // namespace ridge
#endif
}  // namespace cuda
