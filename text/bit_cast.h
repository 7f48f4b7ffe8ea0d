// The bits of a value as another type.
#pragma once

#include <type_traits>

namespace ridge::text {

// std::bit_cast, which the standard library that WebAssembly is compiled with does not have yet.
template <typename To, typename From>
constexpr To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<From>);
  return __builtin_bit_cast(To, from);
}

}  // namespace ridge::text
