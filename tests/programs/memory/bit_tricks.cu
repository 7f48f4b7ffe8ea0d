// Warps whose work is bits: dot products of bytes, funnel shifts, SIMD in a word, matches, votes and atomics,
// compared with plain C++.
#include <cstdint>
#include <cstdio>
#include <cstring>
__global__ void bits(const uint32_t* a, const uint32_t* b, unsigned long long* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t x = a[i], y = b[i];
  unsigned long long* q = o + i * 24;
  q[0] = __dp4a(x, y, 7u);
  q[1] = (uint32_t)__dp4a((int)x, (int)y, -3);
  q[2] = __dp2a_lo(x, y, 5u);
  q[3] = (uint32_t)__dp2a_hi((int)x, (int)y, 5);
  q[4] = __funnelshift_l(x, y, i);
  q[5] = __funnelshift_r(x, y, i);
  q[6] = __funnelshift_lc(x, y, i + 20);
  q[7] = __funnelshift_rc(x, y, i + 20);
  q[8] = __popc(x) * 100 + __clz(y);
  q[9] = __ffs(x) * 100 + __ffsll((unsigned long long)y << 32);
  q[10] = __brev(x);
  q[11] = __brevll((unsigned long long)x << 32 | y);
  q[12] = __byte_perm(x, y, 0x6240);
  q[13] = __vadd4(x, y);
  q[14] = __vabsdiffu4(x, y);
  q[15] = __vcmpgtu2(x, y);
  q[16] = __vmaxs2(x, y);
  q[17] = __sad((int)x, (int)y, 3u);
  q[18] = __mulhi((int)x, (int)y);
  q[19] = __umul64hi((unsigned long long)x * 0x100000001ull, (unsigned long long)y * 0x10001ull);
  q[20] = __mul24((int)x, (int)y) & 0xffffffffu;
  q[21] = __uhadd(x, y);
  q[22] = __usad(x, y, 1u);
  q[23] = __vsadu4(x, y);
}
__global__ void warp(uint32_t* o, unsigned long long* counters) {
  int t = threadIdx.x;
  o[t] = __match_any_sync(~0u, t % 7);
  int pred;
  o[32 + t] = __match_all_sync(~0u, t / 40, &pred) * pred;
  o[64 + t] = __reduce_add_sync(~0u, t) + __reduce_min_sync(~0u, 50 - t) * 1000;
  o[96 + t] = __reduce_or_sync(0xffffu << (t & 16), 1u << t);
  o[128 + t] = __match_any_sync(~0u, (unsigned long long)(t % 3) << 40);
  atomicAdd(counters, 1ull << t % 40);
  atomicMax(counters + 1, (unsigned long long)t << 33);
  atomicMin((long long*)counters + 2, -(long long)t << 34);
  atomicXor(counters + 3, 1ull << t);
  atomicCAS(counters + 4, 0ull, 99ull);
  atomicExch(counters + 5, 5ull);
  atomicInc((unsigned*)(counters + 6), 9);
  atomicDec((unsigned*)(counters + 7), 5);
  unsigned m = __activemask();
  int leader = __ffs(m) - 1;
  if (t == leader) atomicAdd(counters + 8, __popc(m));
  unsigned lt;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
  o[160 + t] = __popc(lt) * 100 + __fns(0xaaaaaaaau, 0, t / 2 + 1);
}
int main() {
  const int n = 64;
  uint32_t a[n], b[n];
  uint32_t s = 12345;
  for (int i = 0; i < n; ++i) {
    a[i] = s = s * 1664525 + 1013904223;
    b[i] = s = s * 1664525 + 1013904223;
  }
  uint32_t *da, *db;
  unsigned long long* o;
  cudaMalloc(&da, 256);
  cudaMalloc(&db, 256);
  cudaMalloc(&o, n * 24 * 8);
  cudaMemcpy(da, a, 256, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, 256, cudaMemcpyHostToDevice);
  bits<<<2, 32>>>(da, db, o, n);
  static unsigned long long h[n * 24];
  cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
  int bad = 0;
  auto want = [&](int i, int k, unsigned long long v) {
    if (h[i * 24 + k] != v && bad++ < 10)
      printf("i=%d k=%d got %llx want %llx (%x %x)\n", i, k, h[i * 24 + k], v, a[i], b[i]);
  };
  for (int i = 0; i < n; ++i) {
    uint32_t x = a[i], y = b[i];
    auto u8 = [](uint32_t v, int k) { return (v >> 8 * k) & 255; };
    auto s8 = [](uint32_t v, int k) { return (int)(int8_t)(v >> 8 * k); };
    auto u16 = [](uint32_t v, int k) { return (v >> 16 * k) & 65535; };
    auto s16 = [](uint32_t v, int k) { return (int)(int16_t)(v >> 16 * k); };
    uint32_t d = 7;
    int e = -3;
    for (int k = 0; k < 4; ++k)
      d += u8(x, k) * u8(y, k), e += s8(x, k) * s8(y, k);
    want(i, 0, d);
    want(i, 1, (uint32_t)e);
    want(i, 2, 5 + u16(x, 0) * u8(y, 0) + u16(x, 1) * u8(y, 1));
    want(i, 3, (uint32_t)(5 + s16(x, 0) * s8(y, 2) + s16(x, 1) * s8(y, 3)));
    unsigned long long w = (unsigned long long)y << 32 | x;
    want(i, 4, (uint32_t)((w << (i & 31)) >> 32));
    want(i, 5, (uint32_t)(w >> (i & 31)));
    int c = i + 20 < 32 ? i + 20 : 32;
    want(i, 6, (uint32_t)((c == 32 ? w << 32 : w << c) >> 32));
    want(i, 7, (uint32_t)(w >> c));
    want(i, 8, __builtin_popcount(x) * 100 + (y ? __builtin_clz(y) : 32));
    want(i, 9, __builtin_ffs(x) * 100 + (y ? 32 + __builtin_ffs(y) : 0));
    uint32_t r = 0;
    for (int k = 0; k < 32; ++k)
      r |= (x >> k & 1) << (31 - k);
    want(i, 10, r);
    unsigned long long z = (unsigned long long)x << 32 | y, rr = 0;
    for (int k = 0; k < 64; ++k)
      rr |= (z >> k & 1) << (63 - k);
    want(i, 11, rr);
    want(i, 12, u8(x, 0) | u8(y, 0) << 8 | u8(x, 2) << 16 | u8(y, 2) << 24);
    uint32_t va = 0, ab = 0, sad = 0;
    for (int k = 0; k < 4; ++k) {
      va |= ((u8(x, k) + u8(y, k)) & 255) << 8 * k;
      uint32_t q = u8(x, k) > u8(y, k) ? u8(x, k) - u8(y, k) : u8(y, k) - u8(x, k);
      ab |= q << 8 * k;
      sad += q;
    }
    want(i, 13, va);
    want(i, 14, ab);
    want(i, 23, sad);
    uint32_t cg = 0, mx = 0;
    for (int k = 0; k < 2; ++k) {
      cg |= (u16(x, k) > u16(y, k) ? 0xffffu : 0) << 16 * k;
      mx |= (uint32_t)(uint16_t)(s16(x, k) > s16(y, k) ? s16(x, k) : s16(y, k)) << 16 * k;
    }
    want(i, 15, cg);
    want(i, 16, mx);
    long long dd = (long long)(int)x - (int)y;
    want(i, 17, (uint32_t)((dd < 0 ? -dd : dd) + 3));
    want(i, 18, (unsigned long long)(long long)(int)(((long long)(int)x * (int)y) >> 32));
    want(i, 19, (unsigned long long)(((unsigned __int128)(x * 0x100000001ull) * (y * 0x10001ull)) >> 64));
    int p = ((int)(x << 8) >> 8), q = ((int)(y << 8) >> 8);
    want(i, 20, (uint32_t)((long long)p * q));
    want(i, 21, ((unsigned long long)x + y) >> 1);
    want(i, 22, (x > y ? x - y : y - x) + 1u);
  }
  printf("bits %s\n", bad ? "WRONG" : "ok");
  uint32_t* w;
  unsigned long long* cnt;
  cudaMalloc(&w, 1024);
  cudaMalloc(&cnt, 128);
  cudaMemset(cnt, 0, 128);
  unsigned long long init = ~0ull >> 1;
  cudaMemcpy(cnt + 2, &init, 8, cudaMemcpyHostToDevice);
  warp<<<1, 32>>>(w, cnt);
  uint32_t hw[256];
  unsigned long long hc[9];
  cudaMemcpy(hw, w, 1024 - 128, cudaMemcpyDeviceToHost);
  cudaMemcpy(hc, cnt, sizeof hc, cudaMemcpyDeviceToHost);
  bool ok = true;
  for (int t = 0; t < 32; ++t) {
    uint32_t m = 0, m3 = 0;
    for (int i = 0; i < 32; ++i)
      m |= (i % 7 == t % 7) << i, m3 |= (i % 3 == t % 3) << i;
    ok &= hw[t] == m;
    ok &= hw[32 + t] == ~0u;
    ok &= hw[64 + t] == 496 + 19 * 1000;
    ok &= hw[96 + t] == (t < 16 ? 0xffffu : 0xffff0000u);
    ok &= hw[128 + t] == m3;
    ok &= hw[160 + t] == t * 100u + (t / 2 * 2 + 1);
    if (!ok) {
      printf("t=%d %x %x %u %x %x %u\n", t, hw[t], hw[32 + t], hw[64 + t], hw[96 + t], hw[128 + t],
             hw[160 + t]);
      break;
    }
  }
  printf("warp %d %d\n", ok,
         hc[0] == 0xffffffffull && hc[1] == 31ull << 33 && (long long)hc[2] == -(31ll << 34) &&
             hc[3] == 0xffffffffull && hc[4] == 99 && hc[5] == 5 && hc[6] == 2 && hc[8] == 32);
  printf("dec %llu\n", hc[7]);
}
