// What TMA writes, byte for byte, where the manuals leave room for doubt: a box narrower than its swizzle,
// NaN for what is outside, and floats rounded to TF32. Element strides: tma_element_strides; im2col: tma_im2col_corners.
#include <vector>

#include "tma.h"

constexpr int kBytes = 2048;

// Loads the box at (x, y) into shared memory that holds 0xcd, and shows all of it.
__global__ void show(const __grid_constant__ CUtensorMap map, int x, int y, int bytes, unsigned char* out) {
  __shared__ __align__(1024) unsigned char window[kBytes];
  __shared__ uint64_t arrived;
  for (int i = threadIdx.x; i < kBytes; i += blockDim.x)
    window[i] = 0xcd;
  publish_shared();
  if (threadIdx.x == 0) {
    mbarrier_init(&arrived, 1);
    mbarrier_publish();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&arrived, bytes);
    load_2d(window, &map, x, y, &arrived);
  }
  mbarrier_wait(&arrived, 0);
  for (int i = threadIdx.x; i < kBytes; i += blockDim.x)
    out[i] = window[i];
}

std::vector<unsigned char> shown(const CUtensorMap& map, int x, int y, int bytes) {
  static unsigned char* out = device_array<unsigned char>(kBytes);
  show<<<1, 32>>>(map, x, y, bytes, out);
  finish("show");
  std::vector<unsigned char> host(kBytes);
  to_host(host.data(), out, kBytes);
  return host;
}

void narrow_box(CUtensorMapSwizzle swizzle, const char* name, uint32_t width) {
  std::vector<unsigned char> values(256 * 16);
  for (int i = 0; i < 256 * 16; ++i)
    values[i] = static_cast<unsigned char>(i / 16);  // the number of the 16-byte chunk; 16 per row
  auto* data = device_array<unsigned char>(values.size());
  to_device(data, values.data(), values.size());
  const CUtensorMap map = tiled_map(CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, data, {256, 16}, {width, 8}, swizzle);
  const auto window = shown(map, 0, 0, static_cast<int>(width) * 8);
  printf("%s, rows of %u bytes:\n", name, width);
  for (int line = 0; line < 8; ++line) {
    for (int chunk = 0; chunk < 8; ++chunk)
      printf(" %02x", window[line * 128 + chunk * 16]);
    printf("\n");
  }
}

template <class Word>
void outside(CUtensorMapDataType type, const char* name) {
  auto* data = device_array<Word>(64);
  check(cudaMemset(data, 0, 64 * sizeof(Word)), "cudaMemset");
  const uint32_t width = 16 / sizeof(Word);
  const CUtensorMap map =
      tiled_map(type, sizeof(Word), data, {width, 4}, {2 * width, 1}, CU_TENSOR_MAP_SWIZZLE_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  const auto window = shown(map, -static_cast<int>(width), 0, 32);
  printf("outside as %s:", name);
  for (size_t i = sizeof(Word); i-- > 0;)
    printf(" %02x", window[i]);
  printf(", inside: %02x\n", window[16]);
}

void conversions() {
  const uint32_t values[] = {0x3f800fffu, 0x3f801000u, 0x3f801001u, 0x3f803000u, 0x00000001u, 0x807fffffu,
                             0x7f800000u, 0x7fc01234u, 0x7f7fffffu, 0xbf80f000u, 0x00801000u, 0x7f800001u};
  auto* data = device_array<uint32_t>(12);
  to_device(data, values, 12);
  struct {
    CUtensorMapDataType type;
    const char* name;
  } const types[] = {{CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, "FLOAT32_FTZ"},
                     {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, "TFLOAT32"},
                     {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, "TFLOAT32_FTZ"}};
  for (const auto& type : types) {
    const auto window = shown(tiled_map(type.type, 4, data, {12, 1}, {12, 1}), 0, 0, 48);
    printf("%s:", type.name);
    for (int i = 0; i < 12; ++i)
      printf(" %02x%02x%02x%02x", window[4 * i + 3], window[4 * i + 2], window[4 * i + 1], window[4 * i]);
    printf("\n");
  }
}

int main() {
  narrow_box(CU_TENSOR_MAP_SWIZZLE_128B, "128-byte swizzle", 128);
  narrow_box(CU_TENSOR_MAP_SWIZZLE_128B, "128-byte swizzle", 64);
  narrow_box(CU_TENSOR_MAP_SWIZZLE_128B, "128-byte swizzle", 16);
  narrow_box(CU_TENSOR_MAP_SWIZZLE_64B, "64-byte swizzle", 64);
  narrow_box(CU_TENSOR_MAP_SWIZZLE_64B, "64-byte swizzle", 32);
  narrow_box(CU_TENSOR_MAP_SWIZZLE_32B, "32-byte swizzle", 32);
  narrow_box(CU_TENSOR_MAP_SWIZZLE_32B, "32-byte swizzle", 16);
  outside<uint16_t>(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, "half");
  outside<uint16_t>(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, "bfloat16");
  outside<uint32_t>(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, "float");
  outside<uint64_t>(CU_TENSOR_MAP_DATA_TYPE_FLOAT64, "double");
  conversions();
}
