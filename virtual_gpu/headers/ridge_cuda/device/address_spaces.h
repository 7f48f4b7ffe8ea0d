// Which memory an address is of, and conversions between addresses of a memory and generic ones.
#pragma once

#define RIDGE_IN_SPACE(name, builtin)                                \
  RIDGE_DEVICE __attribute__((const)) unsigned name(const void* p) { \
    return builtin(p);                                               \
  }
RIDGE_IN_SPACE(__isGlobal, __nvvm_isspacep_global)
RIDGE_IN_SPACE(__isShared, __nvvm_isspacep_shared)
RIDGE_IN_SPACE(__isConstant, __nvvm_isspacep_const)
RIDGE_IN_SPACE(__isLocal, __nvvm_isspacep_local)
#undef RIDGE_IN_SPACE

#define RIDGE_CONVERT_ADDRESS(name, space)                         \
  RIDGE_DEVICE size_t __cvta_generic_to_##name(const void* p) {    \
    return (size_t)(void __attribute__((address_space(space)))*)p; \
  }                                                                \
  RIDGE_DEVICE void* __cvta_##name##_to_generic(size_t p) {        \
    return (void*)(void __attribute__((address_space(space)))*)p;  \
  }
RIDGE_CONVERT_ADDRESS(global, 1)
RIDGE_CONVERT_ADDRESS(shared, 3)
RIDGE_CONVERT_ADDRESS(constant, 4)
RIDGE_CONVERT_ADDRESS(local, 5)
#undef RIDGE_CONVERT_ADDRESS

// clang's header of warp intrinsics uses this type of the driver API.
typedef uint32_t cuuint32_t;
