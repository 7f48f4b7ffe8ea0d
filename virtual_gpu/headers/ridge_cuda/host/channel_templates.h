// cudaCreateChannelDesc<T>(): the texel format of an element type.
#pragma once

#include "ridge_cuda/host/templates.h"

namespace ridge_cuda {
template <class Element>
constexpr cudaChannelFormatKind channel_kind() {
  return std::is_floating_point_v<Element> ? cudaChannelFormatKindFloat
         : std::is_signed_v<Element>       ? cudaChannelFormatKindSigned
                                           : cudaChannelFormatKindUnsigned;
}
template <class Element>
constexpr cudaChannelFormatDesc channels(int count) {
  const int bits = 8 * sizeof(Element);
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
          channel_kind<Element>()};
}
template <class T>
struct Channels {
  static constexpr cudaChannelFormatDesc value = channels<T>(1);
};
#define RIDGE_CHANNELS(name, element)                                    \
  template <>                                                            \
  struct Channels<name##1> {                                             \
    static constexpr cudaChannelFormatDesc value = channels<element>(1); \
  };                                                                     \
  template <>                                                            \
  struct Channels<name##2> {                                             \
    static constexpr cudaChannelFormatDesc value = channels<element>(2); \
  };                                                                     \
  template <>                                                            \
  struct Channels<name##4> {                                             \
    static constexpr cudaChannelFormatDesc value = channels<element>(4); \
  };
RIDGE_CHANNELS(char, signed char)
RIDGE_CHANNELS(uchar, unsigned char)
RIDGE_CHANNELS(short, short)
RIDGE_CHANNELS(ushort, unsigned short)
RIDGE_CHANNELS(int, int)
RIDGE_CHANNELS(uint, unsigned int)
RIDGE_CHANNELS(float, float)
#undef RIDGE_CHANNELS
}  // namespace ridge_cuda

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return ridge_cuda::Channels<T>::value;
}
