// Loops that lanes leave one by one, with votes by those that stay. The compiler unrolls `unrolled`
// by four, so that lanes of one vote are at different instructions.
#include "values.h"

__global__ void one_by_one(unsigned* o) {
  int t = threadIdx.x;
  unsigned left = 0, m = ~0u;
#pragma unroll 1
  for (int i = 0; i <= t; ++i) {
    m = __ballot_sync(m, 1);
    left += __popc(m);
    m = __ballot_sync(m, i < t);
  }
  o[t] = left;
}

__global__ void unrolled(unsigned* o) {
  int t = threadIdx.x;
  unsigned left = 0, m = ~0u;
  for (int i = 0; i <= t; ++i) {
    m = __ballot_sync(m, 1);
    left += __popc(m);
    m = __ballot_sync(m, i < t);
  }
  o[t] = left;
}

__global__ void while_any(const unsigned* in, unsigned* o) {
  int t = threadIdx.x;
  unsigned x = in[t], s = 0;
  while (__any_sync(~0u, x > 1)) {
    s += __shfl_xor_sync(~0u, x, 1) & 7;
    if (x > 1) x = x & 1 ? 3 * x + 1 : x / 2;
  }
  o[t] = s;
}

int main() {
  auto* in = device_values<unsigned>(32, [](size_t i) { return number_at(i) % 100 + 1; });
  auto* o = device_zeros<unsigned>(32);
  one_by_one<<<1, 32>>>(o);
  print_hash("one by one", o, 32);
  while_any<<<1, 32>>>(in, o);
  print_hash("while any", o, 32);
  unrolled<<<1, 32>>>(o);
  print_hash("unrolled", o, 32);
}
