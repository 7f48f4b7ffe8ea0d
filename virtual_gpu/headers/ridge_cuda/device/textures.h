// Reads of textures (PTX ISA, "texture instructions").
#pragma once

#include <type_traits>

namespace ridge_cuda {

// A texel type: its element, and how many there are.
template <class T, class E, int kCount>
struct TexelOf {
  using Element = E;
  static constexpr int kElements = kCount;
  static constexpr bool kIsFloat = std::is_same<E, float>::value;
};
template <class T>
struct Texel : TexelOf<T, T, 1> {};
#define RIDGE_TEXEL(name, element)                         \
  template <>                                              \
  struct Texel<name##1> : TexelOf<name##1, element, 1> {}; \
  template <>                                              \
  struct Texel<name##2> : TexelOf<name##2, element, 2> {}; \
  template <>                                              \
  struct Texel<name##4> : TexelOf<name##4, element, 4> {};
RIDGE_TEXEL(char, signed char)
RIDGE_TEXEL(uchar, unsigned char)
RIDGE_TEXEL(short, short)
RIDGE_TEXEL(ushort, unsigned short)
RIDGE_TEXEL(int, int)
RIDGE_TEXEL(uint, unsigned)
RIDGE_TEXEL(float, float)
#undef RIDGE_TEXEL

// The first elements of four words, as a T.
template <class T>
RIDGE_DEVICE T texel(unsigned x, unsigned y, unsigned z, unsigned w) {
  using Element = typename Texel<T>::Element;
  const unsigned words[4] = {x, y, z, w};
  Element elements[Texel<T>::kElements];
#pragma unroll
  for (int i = 0; i < Texel<T>::kElements; ++i) {
    if constexpr (Texel<T>::kIsFloat)
      elements[i] = __uint_as_float(words[i]);
    else
      elements[i] = static_cast<Element>(words[i]);
  }
  T result;
  static_assert(sizeof elements == sizeof result, "a type of 1, 2 or 4 elements");
  __builtin_memcpy(&result, elements, sizeof result);
  return result;
}

}  // namespace ridge_cuda

// function<T>(texture, parameters): `instruction` with the coordinates `place`, whose values follow.
#define RIDGE_FETCH(type, instruction, place, ...)                        \
  asm volatile(instruction "." type " {%0, %1, %2, %3}, [%4, " place "];" \
               : "=r"(x_), "=r"(y_), "=r"(z_), "=r"(w_)                   \
               : "l"(texture), __VA_ARGS__)
#define RIDGE_TEXTURE(function, parameters, instruction, coordinates, place, ...)           \
  template <class T>                                                                        \
  RIDGE_DEVICE T function parameters {                                                      \
    using Element = typename ridge_cuda::Texel<T>::Element;                                 \
    unsigned x_, y_, z_, w_;                                                                \
    if constexpr (ridge_cuda::Texel<T>::kIsFloat) {                                         \
      float fx_, fy_, fz_, fw_;                                                             \
      asm volatile(instruction ".v4.f32." coordinates " {%0, %1, %2, %3}, [%4, " place "];" \
                   : "=f"(fx_), "=f"(fy_), "=f"(fz_), "=f"(fw_)                             \
                   : "l"(texture), __VA_ARGS__);                                            \
      x_ = __float_as_uint(fx_);                                                            \
      y_ = __float_as_uint(fy_);                                                            \
      z_ = __float_as_uint(fz_);                                                            \
      w_ = __float_as_uint(fw_);                                                            \
    } else if constexpr (std::is_signed<Element>::value) {                                  \
      RIDGE_FETCH("v4.s32." coordinates, instruction, place, __VA_ARGS__);                  \
    } else {                                                                                \
      RIDGE_FETCH("v4.u32." coordinates, instruction, place, __VA_ARGS__);                  \
    }                                                                                       \
    return ridge_cuda::texel<T>(x_, y_, z_, w_);                                            \
  }
RIDGE_TEXTURE(tex1Dfetch, (cudaTextureObject_t texture, int x), "tex.1d", "s32", "{%5}", "r"(x))
RIDGE_TEXTURE(tex1D, (cudaTextureObject_t texture, float x), "tex.1d", "f32", "{%5}", "f"(x))
RIDGE_TEXTURE(tex2D, (cudaTextureObject_t texture, float x, float y), "tex.2d", "f32", "{%5, %6}",
              "f"(x), "f"(y))
RIDGE_TEXTURE(tex3D, (cudaTextureObject_t texture, float x, float y, float z), "tex.3d", "f32",
              "{%5, %6, %7, %7}", "f"(x), "f"(y), "f"(z))
RIDGE_TEXTURE(tex1DLayered, (cudaTextureObject_t texture, float x, int layer), "tex.a1d", "f32",
              "{%6, %5}", "f"(x), "r"(layer))
RIDGE_TEXTURE(tex2DLayered, (cudaTextureObject_t texture, float x, float y, int layer), "tex.a2d",
              "f32", "{%7, %5, %6, %6}", "f"(x), "f"(y), "r"(layer))
RIDGE_TEXTURE(texCubemap, (cudaTextureObject_t texture, float x, float y, float z), "tex.cube",
              "f32", "{%5, %6, %7, %7}", "f"(x), "f"(y), "f"(z))
RIDGE_TEXTURE(texCubemapLayered,
              (cudaTextureObject_t texture, float x, float y, float z, int layer), "tex.acube",
              "f32", "{%8, %5, %6, %7}", "f"(x), "f"(y), "f"(z), "r"(layer))
namespace ridge_cuda {
RIDGE_TEXTURE(gather_0, (cudaTextureObject_t texture, float x, float y), "tld4.r.2d", "f32",
              "{%5, %6}", "f"(x), "f"(y))
RIDGE_TEXTURE(gather_1, (cudaTextureObject_t texture, float x, float y), "tld4.g.2d", "f32",
              "{%5, %6}", "f"(x), "f"(y))
RIDGE_TEXTURE(gather_2, (cudaTextureObject_t texture, float x, float y), "tld4.b.2d", "f32",
              "{%5, %6}", "f"(x), "f"(y))
RIDGE_TEXTURE(gather_3, (cudaTextureObject_t texture, float x, float y), "tld4.a.2d", "f32",
              "{%5, %6}", "f"(x), "f"(y))
}  // namespace ridge_cuda
#undef RIDGE_TEXTURE
#undef RIDGE_FETCH

// One component of the four texels that a filter would take.
template <class T>
RIDGE_DEVICE T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0) {
  switch (component) {
    case 0:
      return ridge_cuda::gather_0<T>(texture, x, y);
    case 1:
      return ridge_cuda::gather_1<T>(texture, x, y);
    case 2:
      return ridge_cuda::gather_2<T>(texture, x, y);
    default:
      return ridge_cuda::gather_3<T>(texture, x, y);
  }
}
