// The requirements of the CUDA driver's manual on a tensor map.
#include <fmt/format.h>

#include "virtual_gpu/machine/copy_engine/tensor_map.h"

namespace ridge::machine {
namespace {

std::string broken_tensor_rule(const TensorLayout& t) {
  const bool interleaved = t.interleave != TensorInterleave::none;
  const uint32_t alignment = t.interleave == TensorInterleave::bytes_32 ? 32 : 16;
  const char* const because = alignment == 32 ? " with INTERLEAVE_32B" : "";
  const uint32_t least = t.mode == TensorMode::im2col || interleaved ? 3 : 1;
  if (t.rank < least || t.rank > kMaxTensorRank) {
    return fmt::format("a tensor of rank {}: {} takes ranks {} to 5", t.rank,
                       t.mode == TensorMode::im2col ? "im2col"
                       : interleaved                ? "an interleaved layout"
                                                    : "a tile",
                       least);
  }
  if (t.address % alignment != 0) {
    return fmt::format(
        "a global address {:#x}, which is {} bytes past a multiple of {}: it must be a "
        "multiple of {}{}",
        t.address, t.address % alignment, alignment, alignment, because);
  }
  for (size_t i = 0; i < t.rank; ++i) {
    if (t.dims[i] == 0 || t.dims[i] > uint64_t{1} << 32)
      return fmt::format("globalDim[{}] = {}: a dimension has 1 to 2^32 elements", i, t.dims[i]);
  }
  for (size_t i = 0; i + 1 < t.rank; ++i) {
    if (t.strides[i] % alignment != 0) {
      return fmt::format("globalStrides[{}] = {} bytes: a stride must be a multiple of {}{}; pad the rows", i,
                         t.strides[i], alignment, because);
    }
    if (t.strides[i] >= uint64_t{1} << 40)
      return fmt::format("globalStrides[{}] = {} bytes: a stride must be less than 2^40", i, t.strides[i]);
  }
  for (size_t i = interleaved ? 0 : 1; i < t.rank; ++i) {
    if (t.element_strides[i] == 0 || t.element_strides[i] > 8)
      return fmt::format("elementStrides[{}] = {}: an element stride is 1 to 8", i, t.element_strides[i]);
  }
  return {};
}

std::string broken_box_rule(const TensorLayout& t) {
  for (size_t i = 0; i < t.rank; ++i) {
    if (t.box[i] == 0 || t.box[i] > 256)
      return fmt::format("boxDim[{}] = {}: a side of the box is 1 to 256 elements", i, t.box[i]);
  }
  return {};
}

std::string broken_pixel_rule(const TensorLayout& t) {
  if (t.channels == 0 || t.channels > 256)
    return fmt::format("channelsPerPixel = {}: it is 1 to 256", t.channels);
  if (t.pixels == 0 || t.pixels > 1024) return fmt::format("pixelsPerColumn = {}: it is 1 to 1024", t.pixels);
  const size_t spatial = t.rank - 2;
  const int32_t reach = spatial == 1 ? 32768 : spatial == 2 ? 128 : 16;
  for (size_t i = 0; i < spatial; ++i) {
    if (t.lower[i] < -reach || t.lower[i] >= reach || t.upper[i] < -reach || t.upper[i] >= reach) {
      return fmt::format(
          "pixelBoxLowerCorner[{0}] = {1}, pixelBoxUpperCorner[{0}] = {2}: with rank {3} they "
          "go from {4} to {5}",
          i, t.lower[i], t.upper[i], t.rank, -reach, reach - 1);
    }
    const int64_t size = static_cast<int64_t>(t.dims[i + 1]) + t.upper[i] - t.lower[i];
    if (size <= 0) {
      return fmt::format(
          "pixelBoxLowerCorner[{0}] = {1} and pixelBoxUpperCorner[{0}] = {2} for a dimension "
          "of {3}: the box of pixels would be empty",
          i, t.lower[i], t.upper[i], t.dims[i + 1]);
    }
  }
  return {};
}

std::string broken_shared_rule(const TensorLayout& t) {
  static constexpr const char* kSwizzles[] = {"NONE", "32B", "64B", "128B"};
  const uint32_t inner = t.row_bytes();
  const char* const side = t.mode == TensorMode::tiled ? "boxDim[0]" : "channelsPerPixel";
  const uint32_t count = t.mode == TensorMode::tiled ? t.box[0] : t.channels;
  if (t.swizzle > 3) {
    return fmt::format("swizzle {}: this device knows SWIZZLE_NONE, 32B, 64B and 128B (0 to 3)", t.swizzle);
  }
  if (t.interleave == TensorInterleave::none) {
    if (inner % 16 != 0) {
      return fmt::format(
          "{} = {} elements of {} = {} bytes: the inner side of the box must be a multiple of "
          "16 bytes",
          side, count, element_name(t.element), inner);
    }
    if (t.swizzle != 0 && inner > t.swizzle_span()) {
      return fmt::format(
          "{} = {} elements of {} = {} bytes: with SWIZZLE_{} the inner side of the box is at "
          "most {} bytes; make the box narrower and copy several",
          side, count, element_name(t.element), inner, kSwizzles[t.swizzle], t.swizzle_span());
    }
  }
  if (t.interleave == TensorInterleave::bytes_32 && t.swizzle != 1)
    return fmt::format("SWIZZLE_{} with INTERLEAVE_32B, which takes SWIZZLE_32B", kSwizzles[t.swizzle]);
  if (t.l2_promotion > 3)
    return fmt::format("l2Promotion {}: it is 0 (none) to 3 (256 bytes)", t.l2_promotion);
  if (t.fill == TensorFill::nan && !is_float(t.element)) {
    return fmt::format(
        "FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA for elements of {}: only floating-point elements "
        "can be filled with NaN",
        element_name(t.element));
  }
  return {};
}

}  // namespace

std::string broken_rule(const TensorLayout& layout) {
  if (layout.element > TensorElement::tf32_ftz)
    return fmt::format("data type {}: this device knows 0 (UINT8) to 12 (TFLOAT32_FTZ)",
                       static_cast<int>(layout.element));
  if (layout.interleave > TensorInterleave::bytes_32)
    return fmt::format("interleave {}: it is 0 (none), 1 (16 bytes) or 2 (32 bytes)",
                       static_cast<int>(layout.interleave));
  if (layout.fill > TensorFill::nan)
    return fmt::format("oobFill {}: it is 0 (zeros) or 1 (NaN)", static_cast<int>(layout.fill));
  if (std::string rule = broken_tensor_rule(layout); !rule.empty()) return rule;
  std::string rule = layout.mode == TensorMode::tiled ? broken_box_rule(layout) : broken_pixel_rule(layout);
  return rule.empty() ? broken_shared_rule(layout) : rule;
}

}  // namespace ridge::machine
