// The content of a 128-byte tensor map (CUtensorMap). NVIDIA's format is opaque, so this one is our
// own: the runtime writes it, the copy engine reads it, and kernels change it with
// tensormap.replace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ridge::machine {

inline constexpr uint32_t kTensorMapBytes = 128;
inline constexpr uint32_t kTensorMapAlignment = 64;
inline constexpr uint32_t kMaxTensorRank = 5;

// In the order of CUtensorMapDataType.
enum class TensorElement : uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz,
};
enum class TensorInterleave : uint8_t { none, bytes_16, bytes_32 };
enum class TensorFill : uint8_t { zero, nan };
enum class TensorMode : uint8_t { tiled, im2col };

uint32_t element_bytes(TensorElement element);
bool is_float(TensorElement element);
const char* element_name(TensorElement element);

// A decoded tensor map; dimension 0 is contiguous.
struct TensorLayout {
  TensorMode mode = TensorMode::tiled;
  TensorElement element = TensorElement::f32;
  TensorInterleave interleave = TensorInterleave::none;
  TensorFill fill = TensorFill::zero;
  uint32_t swizzle = 0;  // CUtensorMapSwizzle: 0 none, 1 32 bytes, 2 64 bytes, 3 128 bytes
  uint32_t l2_promotion = 0;
  uint32_t rank = 1;
  uint64_t address = 0;
  std::array<uint64_t, 5> dims{};     // elements
  std::array<uint64_t, 4> strides{};  // bytes, of dimensions 1, 2, ...
  std::array<uint32_t, 5> box{};      // tiled: extent of the box in elements
  std::array<uint32_t, 5> element_strides{1, 1, 1, 1, 1};
  // im2col: the box of pixels as offsets from the tensor's first and last pixel; W first, then H
  // and D, as in `dims` after the channels.
  std::array<int32_t, 3> lower{}, upper{};
  uint32_t channels = 0, pixels = 0;  // im2col: per copy

  // Size of the swizzle's span in bytes; 16: no swizzle.
  uint32_t swizzle_span() const { return swizzle == 0 ? 16 : 16u << swizzle; }
  // Elements that a copy moves along a dimension (tiled).
  uint32_t steps(uint32_t dimension) const {
    if (dimension == 0 && interleave == TensorInterleave::none) return box[0];
    return (box[dimension] + element_strides[dimension] - 1) / element_strides[dimension];
  }
  uint32_t row_bytes() const {
    return (mode == TensorMode::tiled ? steps(0) : channels) * element_bytes(element);
  }
  // The bytes of one copy including filled elements, which expect_tx must announce.
  uint64_t copy_bytes() const;  // counted by an mbarrier
  // Distance between rows in shared memory: a swizzle gives each row a complete span, as an H200
  // does with narrower boxes.
  uint32_t row_pitch() const { return swizzle == 0 ? row_bytes() : swizzle_span(); }
  uint64_t shared_bytes() const { return copy_bytes() / row_bytes() * row_pitch(); }
};

// The violated rule of the CUDA driver's manual with its numbers, as the end of a sentence that
// begins with the function's name; empty when no rule is violated.
std::string broken_rule(const TensorLayout& layout);

// The 128 bytes.
struct alignas(8) TensorMap {
  std::array<std::byte, kTensorMapBytes> bytes{};
};

TensorMap packed(const TensorLayout& layout);
// nullopt: these bytes are not a tensor map made by packed().
std::optional<TensorLayout> unpacked(const TensorMap& map);
bool is_blank(const TensorMap& map);  // all zero: a kernel may fill in its fields one by one

}  // namespace ridge::machine
