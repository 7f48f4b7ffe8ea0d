// What a 128-byte tensor map (CUtensorMap) holds here. NVIDIA's is opaque, so its fields are ours: the
// runtime writes them, the copy engine reads them, and kernels change them with tensormap.replace.
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

// A tensor map as one works with it: dimension 0 is the contiguous one.
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
  std::array<uint32_t, 5> box{};      // tiled: elements traversed
  std::array<uint32_t, 5> element_strides{1, 1, 1, 1, 1};
  // im2col: the box of pixels, as offsets from the tensor's first and last pixel; in the order of the
  // dimensions (W, H, D), which is the reverse of the encoder's.
  std::array<int32_t, 3> lower{}, upper{};
  uint32_t channels = 0, pixels = 0;  // im2col: of one copy

  // Bytes of the swizzle's pattern; 16: none.
  uint32_t swizzle_span() const { return swizzle == 0 ? 16 : 16u << swizzle; }
  // Elements that a copy moves along a dimension (tiled).
  uint32_t steps(uint32_t dimension) const {
    if (dimension == 0 && interleave == TensorInterleave::none) return box[0];
    return (box[dimension] + element_strides[dimension] - 1) / element_strides[dimension];
  }
  uint32_t row_bytes() const {
    return (mode == TensorMode::tiled ? steps(0) : channels) * element_bytes(element);
  }
  // What one copy moves, filled elements included: what expect_tx must announce.
  uint64_t copy_bytes() const;  // what an mbarrier counts
  // From row to row in shared memory: a swizzle gives each row a whole span, as an H200 shows with narrower
  // boxes.
  uint32_t row_pitch() const { return swizzle == 0 ? row_bytes() : swizzle_span(); }
  uint64_t shared_bytes() const { return copy_bytes() / row_bytes() * row_pitch(); }
};

// The rule of the CUDA driver's manual that the layout breaks, with the numbers, as the end of a sentence
// that begins with the function's name; empty when it breaks none.
std::string broken_rule(const TensorLayout& layout);

// The 128 bytes.
struct alignas(8) TensorMap {
  std::array<std::byte, kTensorMapBytes> bytes{};
};

TensorMap packed(const TensorLayout& layout);
// nullopt: these bytes are not a tensor map that packed() made.
std::optional<TensorLayout> unpacked(const TensorMap& map);
bool is_blank(const TensorMap& map);  // all zero: a kernel may fill it in field by field

}  // namespace ridge::machine
