#include "virtual_gpu/runtime/binary/decompress.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <limits>

#include "virtual_gpu/runtime/binary/fatbin.h"

namespace ridge::runtime {
namespace {

// No real PTX reaches this ratio: a damaged size field must not cause an allocation of terabytes.
constexpr size_t kLargestRatio = 4096;

void require_plausible(size_t compressed_bytes, size_t uncompressed_bytes) {
  if (uncompressed_bytes / kLargestRatio > compressed_bytes ||
      uncompressed_bytes > static_cast<size_t>(std::numeric_limits<int>::max())) {
    throw FatbinError(
        fmt::format("an entry of {} compressed bytes claims to hold {} bytes: the file is damaged",
                    compressed_bytes, uncompressed_bytes));
  }
}

}  // namespace

std::string decompress_lz4(std::span<const std::byte> compressed, size_t uncompressed_bytes) {
  require_plausible(compressed.size(), uncompressed_bytes);
  std::string text(uncompressed_bytes, '\0');
  int written = LZ4_decompress_safe(reinterpret_cast<const char*>(compressed.data()), text.data(),
                                    static_cast<int>(compressed.size()), static_cast<int>(text.size()));
  if (written < 0 || static_cast<size_t>(written) != uncompressed_bytes) {
    throw FatbinError(
        fmt::format("LZ4 data of {} bytes does not unpack to the {} bytes its header names (result {})",
                    compressed.size(), uncompressed_bytes, written));
  }
  return text;
}

std::string decompress_zstd(std::span<const std::byte> compressed, size_t uncompressed_bytes) {
  require_plausible(compressed.size(), uncompressed_bytes);
  std::string text(uncompressed_bytes, '\0');
  size_t written = ZSTD_decompress(text.data(), text.size(), compressed.data(), compressed.size());
  if (ZSTD_isError(written) || written != uncompressed_bytes) {
    throw FatbinError(fmt::format(
        "zstd data of {} bytes does not unpack to the {} bytes its header names ({})", compressed.size(),
        uncompressed_bytes, ZSTD_isError(written) ? ZSTD_getErrorName(written) : "wrong length"));
  }
  return text;
}

}  // namespace ridge::runtime
