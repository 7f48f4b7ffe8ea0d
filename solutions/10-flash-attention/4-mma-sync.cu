// Fused attention on tensor cores: the scores stay in registers and become an operand.
//
// Rung 3 is limited by the FMAs of the CUDA cores. mma.sync makes 2048 of them in one instruction
// of a warp, and its fragments have a property that attention needs. The accumulators of 16 x 16
// scores (two MMAs side by side) and the operand A of the product with v lie in the same lanes:
//
//     scores, accumulators of two MMAs      keys 2t, 2t+1      keys 2t+8, 2t+9     g = lane / 4
//     row g                                 s[2j][0], [1]      s[2j+1][0], [1]     t = lane % 4
//     row g + 8                             s[2j][2], [3]      s[2j+1][2], [3]
//     operand A                             a[0]               a[2]
//                                           a[1]               a[3]
//
// So a lane rounds its own weights to bf16 and multiplies: P needs no shared memory. A row's scores
// are in the four lanes of equal g: its maximum takes two shuffles.
//
// A warp has 32 queries: each fragment of k and v serves two MMAs. The fragments of v come by
// ldmatrix.trans. A tile of k arrives during the MMAs with v, a tile of v during those with k:
//
//     copies    k0      v0          k1          v1          k2
//     warps         wait  q k0^T  wait  p0 v0  wait  q k1^T  wait  p1 v1
//
// A weight is exp2(s * scale - m * scale) with scale = log2(e) / sqrt(d): one FMA and one exp2.
// Weights of 16 keys are computed just ahead of their MMAs, and the next ones during these MMAs.
//
//     ./ridge grade 10-flash-attention/4-mma-sync
//
// Hypothesis: rung 3 waits for FMAs; tensor cores have 15 times as many.
// What changed from rung 3: mma.sync for both products, 128 queries per block, cp.async.
// Measured on an H200: 52.2% of cuDNN (course/measured/nvidia-h200).
#include "mma_tiles.h"

namespace {

// The online update for one row of this lane; half: row g or g + 8 of the fragment. Returns what to
// subtract from the row's scaled scores. The weights are computed later, by multiply_by_values().
template <int kD>
__device__ float update_row(const float (&s)[kKeys / 8][4], float (&o)[kD / 8][4], float& m,
                            float& l, int half, float scale) {
  float larger = m;
#pragma unroll
  for (int j = 0; j < kKeys / 8; ++j)
    larger = fmaxf(larger, fmaxf(s[j][2 * half], s[j][2 * half + 1]));
  larger = max_of_row(larger);
  const float base = larger == -INFINITY ? 0 : larger * scale;  // no key seen: exp2(-inf - 0) is 0
  const float factor = fast_exp2(m * scale - base);
  m = larger;
  l *= factor;
#pragma unroll
  for (int c = 0; c < kD / 8; ++c)
    o[c][2 * half] *= factor, o[c][2 * half + 1] *= factor;
  return base;
}

// o += p v: 16 scores of a row become weights, which l adds up, and operand A of the next MMAs.
template <int kD>
__device__ void multiply_by_values(float (&o)[2][kD / 8][4], float (&l)[2][2],
                                   const float (&s)[2][kKeys / 8][4], const float (&base)[2][2],
                                   float scale, const Shared<kD>& shared) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < kKeys / 8; j += 2) {
    uint32_t a[2][4], b[4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int half = r % 2;  // row g or g + 8
        const float p0 = fast_exp2(s[i][j + r / 2][2 * half] * scale - base[i][half]);
        const float p1 = fast_exp2(s[i][j + r / 2][2 * half + 1] * scale - base[i][half]);
        l[i][half] += p0 + p1;
        a[i][r] = pack(p0, p1);
      }
#pragma unroll
    for (int c = 0; c < kD / 8; c += 2) {
      ldmatrix_x4_transposed(b, shared.v + place<kD>(8 * j + lane % 16, c + lane / 16));
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        mma(o[i][c], a[i], b[0], b[1]);
        mma(o[i][c + 1], a[i], b[2], b[3]);
      }
    }
  }
}

template <int kD>
__global__ void __launch_bounds__(kThreads, 2)
    attend_mma(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
               __nv_bfloat16* out, int queries, int keys, int mask) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared<kD>& shared = *reinterpret_cast<Shared<kD>*>(memory);
  const int query0 = blockIdx.x * kRows;
  const int64_t head = blockIdx.y;
  k += head * keys * kD, v += head * keys * kD;
  const float scale = logit_scale(kD) * kLog2E;
  const int first_row = query0 + threadIdx.x / 32 * 32 + threadIdx.x % 32 / 4;  // this lane's
  float o[2][kD / 8][4] = {}, l[2][2] = {};                                     // m, l: [i][half]
  float m[2][2] = {{-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}};
  q += (head * queries + query0) * kD;
  start_tile_copy<kRows, kD>(shared.q, q, queries - query0);
  start_tile_copy<kKeys, kD>(shared.k, k, keys);
  commit_copies();
  for (int key0 = 0; key0 < keys; key0 += kKeys) {
    wait_for_copies<0>();
    __syncthreads();  // k has arrived for all; v of the step before has been read by all
    start_tile_copy<kKeys, kD>(shared.v, v + int64_t{key0} * kD, keys - key0);
    commit_copies();
    float s[2][kKeys / 8][4] = {};
    multiply_by_keys<kD>(s, shared);
    if (mask == kCausal || key0 + kKeys > keys) hide_keys(s, first_row, key0, queries, keys, mask);
    float base[2][2];  // [i][half]
#pragma unroll
    for (int r = 0; r < 4; ++r)
      base[r / 2][r % 2] =
          update_row<kD>(s[r / 2], o[r / 2], m[r / 2][r % 2], l[r / 2][r % 2], r % 2, scale);
    wait_for_copies<0>();
    __syncthreads();  // v has arrived for all; k has been read by all
    if (const int next = key0 + kKeys; next < keys)
      start_tile_copy<kKeys, kD>(shared.k, k + int64_t{next} * kD, keys - next);
    commit_copies();
    multiply_by_values<kD>(o, l, s, base, scale, shared);
  }
  store_output<kD>(out + head * queries * kD, o, l, first_row, queries);
}

template <int kD>
void launch(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
            __nv_bfloat16* out, int heads, int queries, int keys, int mask, cudaStream_t stream) {
  cudaFuncSetAttribute(attend_mma<kD>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       sizeof(Shared<kD>));
  const dim3 grid((queries + kRows - 1) / kRows, heads);
  attend_mma<kD><<<grid, kThreads, sizeof(Shared<kD>), stream>>>(q, k, v, out, queries, keys, mask);
}

}  // namespace

extern "C" void attention(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                          __nv_bfloat16* out, int heads, int queries, int keys, int d, int mask,
                          cudaStream_t stream) {
  (d == 64 ? launch<64> : launch<128>)(q, k, v, out, heads, queries, keys, mask, stream);
}
