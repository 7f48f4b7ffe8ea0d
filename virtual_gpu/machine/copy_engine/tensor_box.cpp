#include "virtual_gpu/machine/copy_engine/tensor_box.h"

#include <bit>
#include <cstring>

namespace ridge::machine {

InnerSpan inner_span(const TensorBox& box) {
  const TensorLayout& t = box.layout;
  const uint32_t bytes = element_bytes(t.element);
  const int64_t wanted = t.mode == TensorMode::tiled ? t.box[0] : t.channels;
  const int64_t begin = box.start[0], size = static_cast<int64_t>(t.dims[0]);
  const int64_t first = std::clamp<int64_t>(begin, 0, size),
                end = std::clamp<int64_t>(begin + wanted, 0, size);
  InnerSpan span;
  if (end <= first) {
    span.before = static_cast<uint32_t>(wanted) * bytes;
    return span;
  }
  span.first = static_cast<uint64_t>(first) * bytes;
  span.before = static_cast<uint32_t>(first - begin) * bytes;
  span.inside = static_cast<uint32_t>(end - first) * bytes;
  span.after = static_cast<uint32_t>(begin + wanted - end) * bytes;
  return span;
}

TensorExtent extent(const TensorBox& box) {
  const TensorLayout& t = box.layout;
  const InnerSpan inner = inner_span(box);
  TensorExtent all;
  if (inner.inside == 0) return all;
  if (t.mode == TensorMode::im2col) {
    for_each_pixel_row(box, [&](const TensorRow& row) {
      if (row.inside == 0) return;
      all.begin = all.end == 0 ? row.global : std::min(all.begin, row.global);
      all.end = std::max(all.end, row.global + row.inside);
    });
    return all;
  }
  uint64_t low = t.address + inner.first, high = low + inner.inside;
  for (uint32_t i = 1; i < t.rank; ++i) {
    const int64_t start = box.start[i], step = t.element_strides[i], size = static_cast<int64_t>(t.dims[i]);
    const int64_t first = start >= 0 ? 0 : (-start + step - 1) / step;
    const int64_t last = std::min<int64_t>(t.steps(i) - 1, start >= size ? -1 : (size - 1 - start) / step);
    if (last < first) return all;
    low += static_cast<uint64_t>(start + first * step) * t.strides[i - 1];
    high += static_cast<uint64_t>(start + last * step) * t.strides[i - 1];
  }
  return {low, high};
}

// The fill NaN is 0x7ff7 in every two bytes for all floating-point types, as an H200 writes it;
// fma.oob tests for it.
void fill_outside(const TensorLayout& layout, std::byte* bytes, uint32_t count) {
  std::memset(bytes, 0, count);
  if (layout.fill != TensorFill::nan) return;
  for (uint32_t at = 0; at < count; ++at)
    bytes[at] = std::byte{at % 2 == 0 ? uint8_t{0xf7} : uint8_t{0x7f}};
}

bool converts(const TensorLayout& layout) {
  return layout.element == TensorElement::tf32 || layout.element == TensorElement::tf32_ftz;
}

// Rounds to 10 fraction bits, to nearest even; every NaN becomes the canonical NaN. The FTZ types
// do not flush copied values (observed on an H200).
void convert(const TensorLayout&, std::byte* bytes, uint32_t count) {
  for (uint32_t at = 0; at + 4 <= count; at += 4) {
    uint32_t word;
    std::memcpy(&word, bytes + at, 4);
    if ((word & 0x7fffffffu) > 0x7f800000u)
      word = 0x7fffe000u;
    else if ((word & 0x7f800000u) != 0x7f800000u)
      word = (word + 0xfffu + (word >> 13 & 1u)) & ~0x1fffu;
    std::memcpy(bytes + at, &word, 4);
  }
}

}  // namespace ridge::machine
