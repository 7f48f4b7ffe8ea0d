// Half a warp per row, as a template, without the course's style.
#include "embedding.h"
using namespace std;
template <int L>
struct Group {
  static __device__ int lane() { return threadIdx.x % L; }
  static __device__ int id() { return (blockIdx.x * blockDim.x + threadIdx.x) / L; }
};
template <int L>
__global__ void look(const int4* __restrict__ table, const long long* __restrict__ ix,
                     int4* __restrict__ out, int v, int n) {
  const int g = Group<L>::id();
  if (g >= n) return;
  const long long row = ix[g];
  for (int i = Group<L>::lane(); i < v; i += L) {
    int4 x = {};
    if (row >= 0) x = __ldg(table + row * v + i);
    out[(long long)g * v + i] = x;
  }
}
extern "C" void embedding_lookup(const __nv_bfloat16* t, const int64_t* ix, __nv_bfloat16* o, int,
                                 int cols, int n, cudaStream_t s) {
  look<16>
      <<<(n + 15) / 16, 256, 0, s>>>((const int4*)t, (const long long*)ix, (int4*)o, cols / 8, n);
}
