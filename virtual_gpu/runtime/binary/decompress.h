// The two compression formats of fat binaries.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ridge::runtime {

// Returns exactly `uncompressed_bytes` of text or ELF. Both throw FatbinError with the numbers when
// the data is damaged.
std::string decompress_lz4(std::span<const std::byte> compressed, size_t uncompressed_bytes);
std::string decompress_zstd(std::span<const std::byte> compressed, size_t uncompressed_bytes);

}  // namespace ridge::runtime
