// What a PTX type is called and how many bytes it takes.
#pragma once

#include <cstdint>
#include <string_view>

namespace ridge::ptx {

// Bytes of one element of a type written without its dot ("f32", "b128"); 0 when PTX has no such
// type.
uint32_t type_bytes(std::string_view type);

}  // namespace ridge::ptx
