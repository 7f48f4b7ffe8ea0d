// Reads and writes of surfaces (PTX ISA, "surface instructions"). x counts bytes; y, z and layers count elements.
#pragma once

// A T is one to four words: operands 0 to 3 of a load, 1 to 4 of a store. What is narrower goes through a register of
// 16 bits. `place` names the operands from 5 on.
#define RIDGE_LOADED_BY_WIDTH(...)                                                             \
  if constexpr (sizeof(T) == 16) {                                                             \
    RIDGE_SURFACE_LOAD("", "v4.b32", "{%0, %1, %2, %3}", "", __VA_ARGS__);                     \
  } else if constexpr (sizeof(T) == 8) {                                                       \
    RIDGE_SURFACE_LOAD("", "v2.b32", "{%0, %1}", "", __VA_ARGS__);                             \
  } else if constexpr (sizeof(T) == 4) {                                                       \
    RIDGE_SURFACE_LOAD("", "b32", "{%0}", "", __VA_ARGS__);                                    \
  } else if constexpr (sizeof(T) == 2) {                                                       \
    RIDGE_SURFACE_LOAD("{ .reg .b16 h; ", "b16", "{h}", " cvt.u32.u16 %0, h; }", __VA_ARGS__); \
  } else {                                                                                     \
    RIDGE_SURFACE_LOAD("{ .reg .b16 h; ", "b8", "{h}", " cvt.u32.u16 %0, h; }", __VA_ARGS__);  \
  }
#define RIDGE_SURFACE_LOAD(before, type, registers, after, boundary, geometry, place, ...)   \
  asm volatile(before "suld.b." geometry "." type "." boundary " " registers ", [%4, " place \
                      "];" after                                                             \
               : "=r"(words_[0]), "=r"(words_[1]), "=r"(words_[2]), "=r"(words_[3])          \
               : "l"(surface), __VA_ARGS__                                                   \
               : "memory")
#define RIDGE_STORED_BY_WIDTH(...)                                                              \
  if constexpr (sizeof(T) == 16) {                                                              \
    RIDGE_SURFACE_STORE("", "v4.b32", "{%1, %2, %3, %4}", "", __VA_ARGS__);                     \
  } else if constexpr (sizeof(T) == 8) {                                                        \
    RIDGE_SURFACE_STORE("", "v2.b32", "{%1, %2}", "", __VA_ARGS__);                             \
  } else if constexpr (sizeof(T) == 4) {                                                        \
    RIDGE_SURFACE_STORE("", "b32", "{%1}", "", __VA_ARGS__);                                    \
  } else if constexpr (sizeof(T) == 2) {                                                        \
    RIDGE_SURFACE_STORE("{ .reg .b16 h; cvt.u16.u32 h, %1; ", "b16", "{h}", " }", __VA_ARGS__); \
  } else {                                                                                      \
    RIDGE_SURFACE_STORE("{ .reg .b16 h; cvt.u16.u32 h, %1; ", "b8", "{h}", " }", __VA_ARGS__);  \
  }
#define RIDGE_SURFACE_STORE(before, type, registers, after, boundary, geometry, place, ...)   \
  asm volatile(before "sust.b." geometry "." type "." boundary " [%0, " place "], " registers \
                      ";" after ::"l"(surface),                                               \
               "r"(words_[0]), "r"(words_[1]), "r"(words_[2]), "r"(words_[3]), __VA_ARGS__    \
               : "memory")
#define RIDGE_BY_BOUNDARY(STATEMENT, ...)         \
  if (boundary == cudaBoundaryModeZero) {         \
    STATEMENT("zero", __VA_ARGS__)                \
  } else if (boundary == cudaBoundaryModeClamp) { \
    STATEMENT("clamp", __VA_ARGS__)               \
  } else {                                        \
    STATEMENT("trap", __VA_ARGS__)                \
  }

// function##read<T>(surface, parameters), function##read(&value, surface, parameters) and
// function##write(value, surface, parameters).
#define RIDGE_SURFACE(function, parameters, geometry, place, ...)                              \
  template <class T>                                                                           \
  RIDGE_DEVICE T function##read(cudaSurfaceObject_t surface, RIDGE_UNPACKED parameters,        \
                                cudaSurfaceBoundaryMode boundary = cudaBoundaryModeTrap) {     \
    unsigned words_[4];                                                                        \
    RIDGE_BY_BOUNDARY(RIDGE_LOADED_BY_WIDTH, geometry, place, __VA_ARGS__)                     \
    T value_;                                                                                  \
    __builtin_memcpy(&value_, words_, sizeof value_);                                          \
    return value_;                                                                             \
  }                                                                                            \
  template <class T>                                                                           \
  RIDGE_DEVICE void function##read(T* value, cudaSurfaceObject_t surface,                      \
                                   RIDGE_UNPACKED parameters,                                  \
                                   cudaSurfaceBoundaryMode boundary = cudaBoundaryModeTrap) {  \
    unsigned words_[4];                                                                        \
    RIDGE_BY_BOUNDARY(RIDGE_LOADED_BY_WIDTH, geometry, place, __VA_ARGS__)                     \
    __builtin_memcpy(value, words_, sizeof *value);                                            \
  }                                                                                            \
  template <class T>                                                                           \
  RIDGE_DEVICE void function##write(T value, cudaSurfaceObject_t surface,                      \
                                    RIDGE_UNPACKED parameters,                                 \
                                    cudaSurfaceBoundaryMode boundary = cudaBoundaryModeTrap) { \
    unsigned words_[4] = {};                                                                   \
    __builtin_memcpy(words_, &value, sizeof value);                                            \
    RIDGE_BY_BOUNDARY(RIDGE_STORED_BY_WIDTH, geometry, place, __VA_ARGS__)                     \
  }
#define RIDGE_UNPACKED(...) __VA_ARGS__
RIDGE_SURFACE(surf1D, (int x), "1d", "{%5}", "r"(x))
RIDGE_SURFACE(surf2D, (int x, int y), "2d", "{%5, %6}", "r"(x), "r"(y))
RIDGE_SURFACE(surf3D, (int x, int y, int z), "3d", "{%5, %6, %7, %7}", "r"(x), "r"(y), "r"(z))
RIDGE_SURFACE(surf1DLayered, (int x, int layer), "a1d", "{%6, %5}", "r"(x), "r"(layer))
RIDGE_SURFACE(surf2DLayered, (int x, int y, int layer), "a2d", "{%7, %5, %6, %6}", "r"(x), "r"(y),
              "r"(layer))
RIDGE_SURFACE(surfCubemap, (int x, int y, int face), "a2d", "{%7, %5, %6, %6}", "r"(x), "r"(y),
              "r"(face))
RIDGE_SURFACE(surfCubemapLayered, (int x, int y, int layer_and_face), "a2d", "{%7, %5, %6, %6}",
              "r"(x), "r"(y), "r"(layer_and_face))
#undef RIDGE_UNPACKED
#undef RIDGE_SURFACE
#undef RIDGE_BY_BOUNDARY
#undef RIDGE_SURFACE_STORE
#undef RIDGE_STORED_BY_WIDTH
#undef RIDGE_SURFACE_LOAD
#undef RIDGE_LOADED_BY_WIDTH
