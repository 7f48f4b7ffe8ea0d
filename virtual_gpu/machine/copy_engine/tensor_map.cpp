#include "virtual_gpu/machine/copy_engine/tensor_map.h"

#include <algorithm>
#include <cstring>

namespace ridge::machine {
namespace {

constexpr uint32_t kMagic = 0x50414d54;  // "TMAP"

// The fields of the 128 bytes; the rules guarantee that every value fits.
struct Fields {
  uint32_t magic, checksum;
  uint64_t address;
  std::array<uint64_t, 4> strides;
  std::array<uint32_t, 5> last;  // dims - 1, since a dimension may be 2^32
  std::array<uint16_t, 5> box;
  uint16_t channels, pixels;
  std::array<int16_t, 3> lower, upper;
  std::array<uint8_t, 5> element_strides;
  uint8_t mode, element, interleave, fill, swizzle, l2_promotion, rank;
};
static_assert(sizeof(Fields) <= kTensorMapBytes);

uint32_t checksum_of(Fields fields) {
  fields.checksum = 0;
  std::array<uint64_t, sizeof(Fields) / 8> words{};
  std::memcpy(words.data(), &fields, sizeof words);
  uint64_t sum = 0x9e3779b97f4a7c15ull;
  for (const uint64_t word : words)
    sum = (sum ^ word) * 0xff51afd7ed558ccdull, sum ^= sum >> 32;
  return static_cast<uint32_t>(sum);
}

struct ElementTraits {
  uint8_t bytes;
  bool is_float;
  const char* name;
};
constexpr ElementTraits kElements[] = {
    {1, false, "UINT8"},      {2, false, "UINT16"},  {4, false, "UINT32"},     {4, false, "INT32"},
    {8, false, "UINT64"},     {8, false, "INT64"},   {2, true, "FLOAT16"},     {4, true, "FLOAT32"},
    {8, true, "FLOAT64"},     {2, true, "BFLOAT16"}, {4, true, "FLOAT32_FTZ"}, {4, true, "TFLOAT32"},
    {4, true, "TFLOAT32_FTZ"}};

}  // namespace

uint32_t element_bytes(TensorElement element) {
  return kElements[static_cast<size_t>(element)].bytes;
}
bool is_float(TensorElement element) {
  return kElements[static_cast<size_t>(element)].is_float;
}
const char* element_name(TensorElement element) {
  return kElements[static_cast<size_t>(element)].name;
}

uint64_t TensorLayout::copy_bytes() const {
  uint64_t bytes = row_bytes();
  if (mode == TensorMode::im2col) return bytes * pixels;
  for (uint32_t i = 1; i < rank; ++i)
    bytes *= steps(i);
  return bytes;
}

TensorMap packed(const TensorLayout& layout) {
  Fields fields;
  std::memset(static_cast<void*>(&fields), 0, sizeof fields);
  fields.magic = kMagic;
  fields.address = layout.address;
  fields.strides = layout.strides;
  for (size_t i = 0; i < 5; ++i) {
    fields.last[i] = static_cast<uint32_t>(layout.dims[i] - 1);
    fields.box[i] = static_cast<uint16_t>(layout.box[i]);
    fields.element_strides[i] = static_cast<uint8_t>(layout.element_strides[i]);
  }
  for (size_t i = 0; i < 3; ++i) {
    fields.lower[i] = static_cast<int16_t>(layout.lower[i]);
    fields.upper[i] = static_cast<int16_t>(layout.upper[i]);
  }
  fields.channels = static_cast<uint16_t>(layout.channels);
  fields.pixels = static_cast<uint16_t>(layout.pixels);
  fields.mode = static_cast<uint8_t>(layout.mode);
  fields.element = static_cast<uint8_t>(layout.element);
  fields.interleave = static_cast<uint8_t>(layout.interleave);
  fields.fill = static_cast<uint8_t>(layout.fill);
  fields.swizzle = static_cast<uint8_t>(layout.swizzle);
  fields.l2_promotion = static_cast<uint8_t>(layout.l2_promotion);
  fields.rank = static_cast<uint8_t>(layout.rank);
  fields.checksum = checksum_of(fields);
  TensorMap map;
  std::memcpy(map.bytes.data(), &fields, sizeof fields);
  return map;
}

std::optional<TensorLayout> unpacked(const TensorMap& map) {
  Fields fields;
  std::memcpy(static_cast<void*>(&fields), map.bytes.data(), sizeof fields);
  if (fields.magic != kMagic || fields.checksum != checksum_of(fields)) return std::nullopt;
  TensorLayout layout;
  layout.mode = static_cast<TensorMode>(fields.mode);
  layout.element = static_cast<TensorElement>(fields.element);
  layout.interleave = static_cast<TensorInterleave>(fields.interleave);
  layout.fill = static_cast<TensorFill>(fields.fill);
  layout.swizzle = fields.swizzle;
  layout.l2_promotion = fields.l2_promotion;
  layout.rank = fields.rank;
  layout.address = fields.address;
  layout.strides = fields.strides;
  for (size_t i = 0; i < 5; ++i) {
    layout.dims[i] = uint64_t{fields.last[i]} + 1;
    layout.box[i] = fields.box[i];
    layout.element_strides[i] = fields.element_strides[i];
  }
  for (size_t i = 0; i < 3; ++i) {
    layout.lower[i] = fields.lower[i];
    layout.upper[i] = fields.upper[i];
  }
  layout.channels = fields.channels;
  layout.pixels = fields.pixels;
  return layout;
}

bool is_blank(const TensorMap& map) {
  return std::all_of(map.bytes.begin(), map.bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace ridge::machine
