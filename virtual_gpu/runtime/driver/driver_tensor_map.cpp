// cuTensorMapEncodeTiled and its variants: the arguments are checked by NVIDIA's rules and stored
// in the map.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "virtual_gpu/machine/copy_engine/tensor_map.h"
#include "virtual_gpu/runtime/driver/driver_functions.h"
#include "virtual_gpu/runtime/report/messages.h"

namespace ridge::runtime {
namespace {

using machine::TensorLayout;
using machine::TensorMap;

static_assert(sizeof(CUtensorMap) == machine::kTensorMapBytes);

// Prints the violated rule in one line, since the program only sees "invalid argument".
CUresult refuse(const char* function, const std::string& rule) {
  say(fmt::format("{}: {}", function, rule));
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult keep(const char* function, CUtensorMap* map, const TensorLayout& layout) {
  if (reinterpret_cast<uintptr_t>(map) % machine::kTensorMapAlignment != 0) {
    return refuse(function, fmt::format("a CUtensorMap at {}, which is not a multiple of 64: declare it as "
                                        "CUtensorMap (alignas(64)), not as bytes",
                                        static_cast<void*>(map)));
  }
  if (const std::string rule = machine::broken_rule(layout); !rule.empty()) return refuse(function, rule);
  const TensorMap made = machine::packed(layout);
  std::memcpy(map, made.bytes.data(), sizeof made.bytes);
  return CUDA_SUCCESS;
}

// Values without an enumerator become 255, which the rules report.
template <class Kept, class Given>
Kept narrow(Given given) {
  return static_cast<Kept>(std::min<uint64_t>(static_cast<uint64_t>(given), 255));
}

// Reads the arguments that both encoders share; false when an array is missing.
bool read_common(TensorLayout& layout, CUtensorMapDataType type, cuuint32_t rank, void* address,
                 const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* element_strides) {
  layout.element = narrow<machine::TensorElement>(type);
  layout.rank = rank;
  layout.address = reinterpret_cast<uint64_t>(address);
  if (rank > machine::kMaxTensorRank) return true;  // the rules report this error
  if (dims == nullptr || element_strides == nullptr || (strides == nullptr && rank > 1)) return false;
  for (size_t i = 0; i < rank; ++i) {
    layout.dims[i] = dims[i];
    layout.element_strides[i] = element_strides[i];
    if (i + 1 < rank) layout.strides[i] = strides[i];
  }
  return true;
}

void read_modes(TensorLayout& layout, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  layout.interleave = narrow<machine::TensorInterleave>(interleave);
  layout.swizzle = static_cast<uint32_t>(swizzle);
  layout.l2_promotion = static_cast<uint32_t>(promotion);
  layout.fill = narrow<machine::TensorFill>(fill);
  for (size_t i = layout.rank; i < layout.dims.size(); ++i)
    layout.dims[i] = 1;
}

}  // namespace

CUresult encode_tiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                      const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
                      const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                      CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                      CUtensorMapFloatOOBfill fill) {
  constexpr const char* kName = "cuTensorMapEncodeTiled";
  TensorLayout layout;
  if (map == nullptr || box == nullptr ||
      !read_common(layout, type, rank, address, dims, strides, element_strides))
    return refuse(kName, "a null pointer where the map or an array is expected");
  for (size_t i = 0; i < rank && i < layout.box.size(); ++i)
    layout.box[i] = box[i];
  read_modes(layout, interleave, swizzle, promotion, fill);
  return keep(kName, map, layout);
}

CUresult encode_im2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                       const cuuint64_t* dims, const cuuint64_t* strides, const int* lower, const int* upper,
                       cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* element_strides,
                       CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                       CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  constexpr const char* kName = "cuTensorMapEncodeIm2col";
  TensorLayout layout;
  layout.mode = machine::TensorMode::im2col;
  if (map == nullptr || lower == nullptr || upper == nullptr ||
      !read_common(layout, type, rank, address, dims, strides, element_strides))
    return refuse(kName, "a null pointer where the map or an array is expected");
  // W first, then H and D, as the tensor's dimensions after the channels. The driver API's
  // documentation says "DHW"; an H200 reads them W first, and CUTLASS passes them so.
  for (size_t i = 0; i + 2 < rank && i < layout.lower.size(); ++i) {
    layout.lower[i] = lower[i];
    layout.upper[i] = upper[i];
  }
  layout.channels = channels;
  layout.pixels = pixels;
  read_modes(layout, interleave, swizzle, promotion, fill);
  return keep(kName, map, layout);
}

CUresult replace_address(CUtensorMap* map, void* address) {
  constexpr const char* kName = "cuTensorMapReplaceAddress";
  if (map == nullptr) return refuse(kName, "a null pointer where the map is expected");
  TensorMap old;
  std::memcpy(old.bytes.data(), map, sizeof old.bytes);
  std::optional<TensorLayout> layout = machine::unpacked(old);
  if (!layout)
    return refuse(kName,
                  "these 128 bytes are no tensor map: call cuTensorMapEncodeTiled first, and check "
                  "what it returns");
  layout->address = reinterpret_cast<uint64_t>(address);
  return keep(kName, map, *layout);
}

}  // namespace ridge::runtime
