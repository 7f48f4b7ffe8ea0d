// wgmma in three ways of holding operands: both in shared memory with a 128-byte swizzle; A in registers; B
// as it lies in a row-major matrix, k by n, which the instruction transposes. One warpgroup, 64 x 64 x 64,
// bfloat16.
#include <cuda_bf16.h>

#include <cstdint>
#include <vector>

#include "check.h"

constexpr int kSize = 64;
enum class Way { both_shared, a_in_registers, b_transposed };

__device__ uint64_t descriptor(const void* tile, uint32_t offset, uint32_t leading, uint32_t stride) {
  const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(tile)) + offset;
  return (address & 0x3ffff) >> 4 | uint64_t{leading >> 4} << 16 | uint64_t{stride >> 4} << 32 | 1ull << 62;
}

// The place of element (row, column) of a tile of 128-byte rows, its 16-byte chunks swizzled.
__device__ int swizzled(int row, int column) {
  return row * 64 + ((column / 8 ^ row % 8) * 8) + column % 8;
}

#define D8(i)                                                                                 \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define DS                                                                                                  \
  "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27," \
  "%28,%29,%30,%31}"

template <Way way>
__global__ void product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
  __shared__ __align__(1024) __nv_bfloat16 tile_a[kSize * kSize], tile_b[kSize * kSize];
  for (int i = threadIdx.x; i < kSize * kSize; i += blockDim.x) {
    const int row = i / kSize, column = i % kSize;
    tile_a[swizzled(row, column)] = a[i];
    // B is k x n in memory. Transposed by the instruction, or here: n rows of k.
    tile_b[way == Way::b_transposed ? swizzled(row, column) : swizzled(column, row)] = b[i];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float d[32];
  for (float& value : d)
    value = -1;
  unsigned from_a[4][4];
  for (int k = 0; k < 4; ++k) {
    for (int q = 0; q < 4; ++q)
      from_a[k][q] = *reinterpret_cast<const unsigned*>(a + (warp * 16 + lane / 4 + q % 2 * 8) * kSize +
                                                        k * 16 + lane % 4 * 2 + q / 2 * 8);
  }
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    // K-major: 16 values of k are 32 bytes on. MN-major: 16 rows of k are 2048 bytes on.
    const uint64_t from_b = way == Way::b_transposed ? descriptor(tile_b, k * 2048, 8192, 1024)
                                                     : descriptor(tile_b, k * 32, 16, 1024);
    const uint64_t shared_a = descriptor(tile_a, k * 32, 16, 1024);
    if constexpr (way == Way::both_shared)
      asm volatile(
          "{ .reg .pred p; setp.ne.b32 p, %34, 0;\n wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " DS
          ", %32, %33, p, 1, 1, 0, 0; }"
          : D8(0), D8(8), D8(16), D8(24)
          : "l"(shared_a), "l"(from_b), "r"(k));
    if constexpr (way == Way::a_in_registers)
      asm volatile(
          "{ .reg .pred p; setp.ne.b32 p, %37, 0;\n wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " DS
          ", {%32,%33,%34,%35}, %36, p, -1, 1, 0; }"
          : D8(0), D8(8), D8(16), D8(24)
          : "r"(from_a[k][0]), "r"(from_a[k][1]), "r"(from_a[k][2]), "r"(from_a[k][3]), "l"(from_b), "r"(k));
    if constexpr (way == Way::b_transposed)
      asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " DS ", %32, %33, 1, 1, 1, 0, 1;"
                   : D8(0), D8(8), D8(16), D8(24)
                   : "l"(shared_a), "l"(from_b));
  }
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int j = 0; j < 8; ++j) {
    for (int q = 0; q < 4; ++q)
      c[(warp * 16 + lane / 4 + q / 2 * 8) * kSize + j * 8 + lane % 4 * 2 + q % 2] = d[j * 4 + q];
  }
}

int main() {
  std::vector<__nv_bfloat16> a(kSize * kSize), b(kSize * kSize);
  std::vector<float> c(kSize * kSize);
  const auto pattern = [](int i, int seed) { return (i * 31 + i / 17 * 3 + seed) % 9 - 4; };
  for (int i = 0; i < kSize * kSize; ++i) {
    a[i] = __float2bfloat16(static_cast<float>(pattern(i, 1)));
    b[i] = __float2bfloat16(static_cast<float>(pattern(i, 2)));
  }
  auto *da = device_array<__nv_bfloat16>(a.size()), *db = device_array<__nv_bfloat16>(b.size());
  auto* dc = device_array<float>(c.size());
  to_device(da, a.data(), a.size());
  to_device(db, b.data(), b.size());
  // The first two begin at zero (scale-d false at k = 0); the second has A negated; the third adds to -1.
  const struct {
    const char* name;
    void (*kernel)(const __nv_bfloat16*, const __nv_bfloat16*, float*);
    int sign, start;
  } ways[] = {{"both in shared memory", product<Way::both_shared>, 1, 0},
              {"A in registers, negated", product<Way::a_in_registers>, -1, 0},
              {"B transposed, added to -1", product<Way::b_transposed>, 1, -1}};
  for (const auto& way : ways) {
    way.kernel<<<1, 128>>>(da, db, dc);
    finish(way.name);
    to_host(c.data(), dc, c.size());
    int wrong = 0;
    double total = 0;
    for (int i = 0; i < kSize; ++i) {
      for (int j = 0; j < kSize; ++j) {
        int sum = 0;
        for (int k = 0; k < kSize; ++k)
          sum += pattern(i * kSize + k, 1) * pattern(k * kSize + j, 2);
        wrong += c[i * kSize + j] != static_cast<float>(way.sign * sum + way.start);
        total += c[i * kSize + j] * (1 + (i * kSize + j) % 7);
      }
    }
    std::printf("%-28s %d wrong, weighted sum %.0f\n", way.name, wrong, total);
  }
  return 0;
}
