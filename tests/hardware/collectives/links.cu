// The links of two GPUs: latency of a signal and of a load, rates of copies by the runtime and by
// rung 1 of lab 11.
#include "sweep.h"
using P = void (*)(Ranks, int);
struct V {
  const char* name;
  P f;
};
V copies[] = {{"rung 1", peer_copy}};
int n_copies = 1;
__global__ void pingpong(unsigned* mine, unsigned* peer, int first, int rounds, long long* ticks) {
  long long t = clock64();
  unsigned long long a, b;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(a));
  for (int i = 1; i <= rounds; ++i) {
    if (first) set_signal(peer, i);
    while (get_signal(mine) != (unsigned)i) {
    }
    if (!first) set_signal(peer, i);
  }
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(b));
  *ticks = b - a;
}
__global__ void chase(const unsigned* p, int rounds, long long* ns, unsigned* sink) {
  unsigned long long a, b;
  unsigned x = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(a));
  for (int i = 0; i < rounds; ++i)
    x = *(volatile const unsigned*)(p + (x & 31) + 32 * i);
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(b));
  *ns = b - a;
  *sink = x;
}
__global__ void nothing() {}
int main() {
  setup();
  Mem f, a, b, s;
  f.alloc(1 << 20);
  s.alloc(1 << 20);
  long long* ns;
  check(cudaSetDevice(0));
  check(cudaMallocManaged(&ns, 64));
  for (int i = 0; i < 2; ++i) {
    for (int r = 0; r < R; ++r) {
      check(cudaSetDevice(r));
      check(cudaMemset(f.p[r], 0, 1024));
    }
    sync();
    for (int r = 0; r < R; ++r) {
      check(cudaSetDevice(r));
      pingpong<<<1, 1, 0, st[r]>>>((unsigned*)f.p[r], (unsigned*)f.p[1 - r], r == 0, 1000,
                                   (long long*)s.p[r]);
    }
    sync();
    long long t;
    check(cudaMemcpy(&t, s.p[0], 8, cudaMemcpyDefault));
    printf("signal one way: %.3f us\n", t / 2000e3);
  }
  for (int w = 0; w < 2; ++w)
    for (int i = 0; i < 2; ++i) {
      check(cudaSetDevice(0));
      chase<<<1, 1, 0, st[0]>>>((unsigned*)f.p[w], 1000, (long long*)s.p[0], (unsigned*)s.p[0] + 8);
      sync();
      long long t;
      check(cudaMemcpy(&t, s.p[0], 8, cudaMemcpyDefault));
      printf("load from device %d: %.3f us\n", w, t / 1000e3);
    }
  printf("two empty kernels, timed like every call: %.2f us\n", time_us(nullptr, [&] {
           for (int r = 0; r < R; ++r) {
             check(cudaSetDevice(r));
             nothing<<<1, 32, 0, st[r]>>>();
           }
         }));
  size_t most = 256u << 20;
  a.alloc(most);
  b.alloc(most);
  Ranks k = {};
  k.count = R;
  for (int r = 0; r < R; ++r) {
    k.inputs[r] = (float*)a.p[r];
    k.outputs[r] = (float*)b.p[r];
    k.signals[r] = (unsigned*)s.p[r];
    k.streams[r] = st[r];
  }
  for (int r = 0; r < R; ++r) {
    check(cudaSetDevice(r));
    fill_f<<<264, 256>>>((float*)a.p[r], most / 4, r + 5);
  }
  sync();
  printf("%-10s %9s", "bytes", "memcpy");
  for (int i = 0; i < n_copies; ++i)
    printf(" %9s", copies[i].name);
  printf("  GB/s per direction, both at once\n");
  for (int p = 12; p <= 28; p += 2) {
    size_t n = (size_t)1 << p;
    printf("%-10zu", n);
    auto put = [&](double us) { printf(" %9.1f", n / us / 1e3); };
    double t = time_us(nullptr, [&] {
      for (int r = 0; r < R; ++r) {
        check(cudaSetDevice(r));
        check(cudaMemcpyPeerAsync(b.p[1 - r], 1 - r, a.p[r], r, n, st[r]));
      }
    });
    put(t);
    for (int i = 0; i < n_copies; ++i)
      put(time_us(nullptr, [&] { copies[i].f(k, n / 4); }));
    printf("\n");
    fflush(stdout);
  }
  // one direction
  {
    size_t n = most;
    double t = time_us(nullptr, [&] {
      check(cudaSetDevice(0));
      check(cudaMemcpyPeerAsync(b.p[1], 1, a.p[0], 0, n, st[0]));
    });
    printf("memcpy, one direction: %.1f GB/s\n", n / t / 1e3);
  }
}
