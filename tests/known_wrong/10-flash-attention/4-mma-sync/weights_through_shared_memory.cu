// expect: SLOW
// The weights go through shared memory on their way from accumulators to operands.
#include "mma_tiles.h"

namespace {

// o += p v, with the weights p as fragments: pairs of accumulators of the scores are operand A.
template <int kD>
__device__ void multiply_by_values(float (&o)[2][kD / 8][4], const float (&s)[2][kKeys / 8][4],
                                   const Shared<kD>& shared) {
  __shared__ uint32_t through[4][8][32];  // [warp][register][lane]
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < kKeys / 8; j += 2) {
    uint32_t a[2][4], b[4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int r = 0; r < 4; ++r)
        through[threadIdx.x / 32][4 * i + r][lane] =
            pack(s[i][j + r / 2][r % 2 * 2], s[i][j + r / 2][r % 2 * 2 + 1]);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 8; ++i)
      a[i / 4][i % 4] = through[threadIdx.x / 32][i][lane];
    __syncwarp();
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

// The online update for one row of this lane; half: row g or g + 8 of the fragment.
template <int kD>
__device__ void update_row(float (&s)[kKeys / 8][4], float (&o)[kD / 8][4], float& m, float& l,
                           int half, float scale) {
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
  for (int j = 0; j < kKeys / 8; ++j)
#pragma unroll
    for (int e = 2 * half; e < 2 * half + 2; ++e)
      l += s[j][e] = fast_exp2(s[j][e] * scale - base);
#pragma unroll
  for (int c = 0; c < kD / 8; ++c)
    o[c][2 * half] *= factor, o[c][2 * half + 1] *= factor;
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
  start_copy<kRows, kD, kThreads>(shared.q, q, queries - query0, kD);
  start_copy<kKeys, kD, kThreads>(shared.k, k, keys, kD);
  commit_copies();
  for (int key0 = 0; key0 < keys; key0 += kKeys) {
    wait_for_copies<0>();
    __syncthreads();  // k has arrived for all; v of the step before has been read by all
    start_copy<kKeys, kD, kThreads>(shared.v, v + int64_t{key0} * kD, keys - key0, kD);
    commit_copies();
    float s[2][kKeys / 8][4] = {};
    multiply_by_keys<kD>(s, shared);
    if (mask == kCausal || key0 + kKeys > keys) hide_keys(s, first_row, key0, queries, keys, mask);
#pragma unroll
    for (int r = 0; r < 4; ++r)
      update_row<kD>(s[r / 2], o[r / 2], m[r / 2][r % 2], l[r / 2][r % 2], r % 2, scale);
    wait_for_copies<0>();
    __syncthreads();  // v has arrived for all; k has been read by all
    if (const int next = key0 + kKeys; next < keys)
      start_copy<kKeys, kD, kThreads>(shared.k, k + int64_t{next} * kD, keys - next, kD);
    commit_copies();
    multiply_by_values<kD>(o, s, shared);
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
  if (d == 64)
    launch<64>(q, k, v, out, heads, queries, keys, mask, stream);
  else
    launch<128>(q, k, v, out, heads, queries, keys, mask, stream);
}
