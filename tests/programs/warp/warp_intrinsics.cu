// Shuffles, votes, matches and warp reductions, also with part of the warp.
#include "check.h"

__global__ void all(int* out) {
  int lane = static_cast<int>(threadIdx.x);
  constexpr unsigned full = 0xffffffffu;
  out[lane] = __shfl_sync(full, lane * lane, (lane + 5) % 32);
  out[32 + lane] = __shfl_up_sync(full, lane, 3);
  out[64 + lane] = __shfl_down_sync(full, lane, 4, 8);
  out[96 + lane] = __shfl_xor_sync(full, lane, 21);
  out[128 + lane] = static_cast<int>(__ballot_sync(full, lane % 3 == 0));
  out[160 + lane] = __any_sync(full, lane == 31) * 2 + __all_sync(full, lane < 31);
  out[192 + lane] = static_cast<int>(__match_any_sync(full, lane / 10));
  out[224 + lane] = static_cast<int>(__reduce_add_sync(full, static_cast<unsigned>(lane)));
  out[256 + lane] = __reduce_max_sync(full, lane ^ 13) * 100 + __reduce_min_sync(full, lane + 7);
  out[288 + lane] = -1;
  if (lane % 2 == 0) {
    unsigned active = __activemask();
    out[288 + lane] = __popc(active) * 1000 + __shfl_sync(active, lane, 30);
  }
  long long wide = __shfl_xor_sync(full, (1ll << 40) + lane, 1);
  out[320 + lane] = static_cast<int>(wide - (1ll << 40));
  out[352 + lane] =
      __popc(lane) + __clz(lane) * 100 + __ffs(lane) * 10000 + static_cast<int>(__brev(lane) >> 27) * 1000000;
}

int main() {
  constexpr int rows = 12;
  int *out = device_array<int>(rows * 32), host[rows * 32];
  all<<<1, 32>>>(out);
  finish("all");
  to_host(host, out, rows * 32);
  for (int i = 0; i < rows * 32; ++i)
    printf("%d%c", host[i], i % 32 == 31 ? '\n' : ' ');
}
