// mma.sync of kinds that few programs use: bits, integers of 4 and 8 bits, tf32, doubles, fp8, sparse operands.
#include "values.h"
__global__ void k(const unsigned* in, unsigned* out) {
  int t = threadIdx.x;
  auto A = [&](int i) { return in[i * 32 + t]; };
  int c[4];
  float f[4];
  double d[8];
  int n = 0;
  auto put = [&](unsigned v) { out[n++ * 32 + t] = v; };
#define I4(txt, ...)                                                                \
  asm volatile(txt : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : __VA_ARGS__); \
  for (int i = 0; i < 4; ++i)                                                       \
    put(c[i]);
#define R(i) "r"(A(i))
  for (int i = 0; i < 4; ++i)
    c[i] = t * 4 + i;
  I4("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};",
     R(0), R(1), R(2), R(3), R(4), R(5))
  I4("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};",
     R(0), R(1), R(2), R(3), R(4), R(5))
  I4("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};",
     R(0), R(1), R(2))
  I4("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};",
     R(0), R(1), R(2), R(3), R(4), R(5))
  I4("mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};",
     R(0), R(1), R(2), R(3), R(4), R(5))
  I4("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};",
     R(0), R(1), R(2), R(3), R(4), R(5))
  I4("mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};",
     R(0), R(1), R(2)) {
    int e[2] = {t, 1000};
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+r"(e[0]), "+r"(e[1])
                 : R(0), R(1));
    put(e[0]);
    put(e[1]);
    asm volatile("mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+r"(e[0]), "+r"(e[1])
                 : R(0), R(1));
    put(e[0]);
    put(e[1]);
    asm volatile(
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+r"(e[0]), "+r"(e[1])
        : R(0), R(1));
    put(e[0]);
    put(e[1]);
  }
  // Small integers in floats are exact in every accumulator.
  auto small = [&](int i) { return float(int(A(i) % 17) - 8); };
  auto tf = [&](int i) { return __float_as_uint(small(i)); };
  for (int i = 0; i < 4; ++i)
    f[i] = i - t;
#define F4(txt, ...)                                                                \
  asm volatile(txt : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : __VA_ARGS__); \
  for (int i = 0; i < 4; ++i)                                                       \
    put(__float_as_uint(f[i]));
  F4("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};",
     "r"(tf(0)), "r"(tf(1)), "r"(tf(2)), "r"(tf(3)), "r"(tf(4)), "r"(tf(5)))
  F4("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};",
     "r"(tf(0)), "r"(tf(1)), "r"(tf(2)))
  auto e4 = [&](int i) {
    unsigned w = 0;
    for (int j = 0; j < 4; ++j)
      w |= (0x30u + (A(i) >> 5 * j) % 3 * 8 | (A(i) >> j & 1) << 7) << 8 * j;
    return w;
  };
  F4("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};",
     "r"(e4(0)), "r"(e4(1)), "r"(e4(2)), "r"(e4(3)), "r"(e4(4)), "r"(e4(5)))
  F4("mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};",
     "r"(e4(0)), "r"(e4(1)), "r"(e4(2)))
  auto bf = [&](int i) {
    return (__float_as_uint(small(i)) >> 16) | (__float_as_uint(small(i + 1)) & 0xffff0000u);
  };
  F4("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};",
     "r"(bf(0)), "r"(bf(1)), "r"(bf(2)))
  unsigned meta = 0;
  for (int j = 0; j < 8; ++j) {
    const unsigned pat[6] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    meta |= pat[(A(7) >> 3 * j) % 6] << 4 * j;
  }
  F4("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;",
     "r"(bf(0)), "r"(bf(1)), "r"(bf(2)), "r"(bf(3)), "r"(bf(4)), "r"(bf(5)), "r"(bf(6)), "r"(bf(2)),
     "r"(meta))
  F4("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, 0x1;",
     "r"(bf(0)), "r"(bf(1)), "r"(bf(4)), "r"(bf(5)), "r"(meta))
  for (int i = 0; i < 4; ++i)
    c[i] = i;
  I4("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;",
     R(0), R(1), R(2), R(3), R(4), R(5), R(6), R(2), "r"(meta))
  F4("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;",
     "r"(e4(0)), "r"(e4(1)), "r"(e4(2)), "r"(e4(3)), "r"(e4(4)), "r"(e4(5)), "r"(e4(6)), "r"(e4(2)),
     "r"(meta))
  for (int i = 0; i < 8; ++i)
    d[i] = small(i % 6) / 2;
  {
    double x = small(0), y = small(1);
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(x), "d"(y));
    put(__double2loint(d[0]));
    put(__double2hiint(d[1]));
  }
  {
    double a0 = small(0), a1 = small(1), a2 = small(2), a3 = small(3), b0 = small(4), b1 = small(5);
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a0), "d"(a1), "d"(a2), "d"(a3), "d"(b0), "d"(b1));
    for (int i = 0; i < 4; ++i)
      put(__double2hiint(d[i]));
    asm volatile(
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a0), "d"(a1), "d"(b0));
    for (int i = 0; i < 4; ++i)
      put(__double2hiint(d[i]));
  }
  out[127 * 32 + t] = n;
}
int main() {
  auto* in = device_values<unsigned>(256, [](size_t i) { return number_at(i, 4); });
  auto* o = device_zeros<unsigned>(128 * 32);
  k<<<1, 32>>>(in, o);
  must(cudaGetLastError());
  auto h = host_copy(o, 128 * 32);
  int n = h[127 * 32];
  for (int i = 0; i < n; ++i)
    printf("%d %016llx %x\n", i, (unsigned long long)hash_of(&h[32 * i], 128), h[32 * i + 5]);
}
