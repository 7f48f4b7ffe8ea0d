// Memory for bytes that are all written before any is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ridge::text {

// Not filled with zeros, which takes as long as reading a file into them.
// std::make_shared_for_overwrite does the same and is missing from the standard library that
// WebAssembly is compiled with.
inline std::shared_ptr<uint8_t[]> unfilled_bytes(size_t size) {
  return std::shared_ptr<uint8_t[]>(new uint8_t[size]);
}

}  // namespace ridge::text
