// PTX that people write by hand and nvcc hardly ever: cache policies, packed conversions, carries, bit
// fields, reductions of vectors.
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
__global__ void odd(const int4* in, unsigned* o, int4* out4, float* f, __half2* hacc, float4* facc) {
  unsigned t = threadIdx.x, *q = o + t * 32;
  uint64_t pol, pol2;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(pol));
  asm("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(pol2));
  int4 v;
  asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.v4.s32 {%0,%1,%2,%3}, [%4], %5;"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(in + t), "l"(pol));
  asm volatile("st.global.L1::no_allocate.L2::cache_hint.v4.s32 [%0], {%1,%2,%3,%4}, %5;" ::"l"(out4 + t),
               "r"(v.w), "r"(v.z), "r"(v.y), "r"(v.x), "l"(pol2)
               : "memory");
  asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(in));
  asm volatile("prefetchu.L1 [%0];" ::"l"(in));
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"((uint64_t)in & ~127ull));
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], 256;" ::"l"(in));
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(q[0]) : "r"(t), "r"(5));
  asm("szext.wrap.s32 %0, %1, %2;" : "=r"(q[1]) : "r"(0x80u + t), "r"(8));
  asm("bfind.u32 %0, %1;" : "=r"(q[2]) : "r"(t * t));
  asm("bfind.shiftamt.s32 %0, %1;" : "=r"(q[3]) : "r"(-5 - (int)t));
  asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(q[4]) : "r"(70000), "r"(-(int)t));
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(q[5]) : "r"(300), "r"(-4), "r"(0xabcd));
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(q[6]) : "r"(t * 0x01010101u), "r"(0x0f0f0f0f), "r"(0x33333333));
  asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(q[7]) : "r"(1u), "r"(2u), "r"((int)t - 3));
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(q[8]) : "r"(0x03020100), "r"(0x07060504), "r"(t & 3));
  asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(q[9]) : "r"(0x03020100), "r"(0), "r"(t & 3));
  asm("mad.hi.s32 %0, %1, %2, %3;" : "=r"(q[10]) : "r"(0x40000000), "r"((int)t * 8), "r"(7));
  asm("{.reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p;}"
      : "=r"(q[11])
      : "f"(__uint_as_float(t)));
  asm("copysign.f32 %0, %1, %2;" : "=r"(q[12]) : "r"(__float_as_uint(-1.f)), "r"(__float_as_uint(2.f + t)));
  asm("{.reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(q[13]) : "l"(in));
  asm("{.reg .pred p, r; setp.gt.u32 p, %1, 3; vote.sync.uni.pred r, p, 0xffffffff; selp.u32 %0, 1, 0, r;}"
      : "=r"(q[14])
      : "r"(t));
  asm("{.reg .pred p; setp.gt.u32 p, %1, 3; bar.red.popc.u32 %0, 0, p;}" : "=r"(q[15]) : "r"(t));
  __half2 a = __floats2half2_rn(-1.5f, 0.25f * t);
  asm("fma.rn.relu.f16x2 %0, %1, %2, %3;" : "=r"(q[16]) : "r"(*(unsigned*)&a), "r"(0x3c003c00u), "r"(0u));
  q[17] = 0;
  asm("ex2.approx.ftz.bf16x2 %0, %1;" : "=r"(q[18]) : "r"(0x40004000u));
  asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(q[19]) : "f"(-3.f), "f"(1.5f));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(q[20]) : "f"(1.0f + t * 0x1p-11f));
  asm("min.xorsign.abs.f32 %0, %1, %2;"
      : "=r"(q[21])
      : "r"(__float_as_uint(-2.f)), "r"(__float_as_uint(1.f + t)));
  asm("{.reg .b16 l,h; cvt.rn.satfinite.e4m3x2.f32 l, %1, %2; cvt.rn.satfinite.e5m2x2.f32 h, %1, %2; mov.b32 "
      "%0, {l,h};}"
      : "=r"(q[22])
      : "f"(1000.f), "f"(0.5f));
  asm("add.sat.s32 %0, %1, %2;" : "=r"(q[23]) : "r"(0x7ffffff0), "r"((int)t));
  asm("{.reg .u64 x; mad.wide.u32 x, %1, %2, 5; shr.u64 x, x, 32; cvt.u32.u64 %0, x;}"
      : "=r"(q[24])
      : "r"(0xffffffffu), "r"(t));
  asm("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(q[25]) : "r"(t), "r"(0xffffffffu));
  asm("bfe.s32 %0, %1, 4, 5;" : "=r"(q[26]) : "r"(t << 4));
  asm("{.reg .u32 c; add.cc.u32 c, %1, %2; addc.u32 %0, 0, 0;}" : "=r"(q[27]) : "r"(0xfffffff0u), "r"(t));
  asm("shf.l.wrap.b32 %0, %1, %2, 8;" : "=r"(q[28]) : "r"(t << 24), "r"(t));
  q[29] = 0;
  asm("sad.u32 %0, %1, %2, %3;" : "=r"(q[30]) : "r"(t), "r"(9u), "r"(1u));
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(hacc), "r"(0x3c003800u) : "memory");
  asm volatile("red.global.v4.f32.add [%0], {%1,%2,%3,%4};" ::"l"(facc), "f"(1.f), "f"(2.f), "f"(3.f),
               "f"((float)t)
               : "memory");
  float old;
  asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(old) : "l"(f), "f"(0.5f) : "memory");
  q[31] = old <= 16;
}
int main() {
  int4 h[32];
  for (int i = 0; i < 32; ++i)
    h[i] = {i, i + 1, i + 2, i + 3};
  int4 *in, *o4;
  unsigned* o;
  float* f;
  __half2* ha;
  float4* fa;
  cudaMalloc(&in, 512);
  cudaMalloc(&o4, 512);
  cudaMalloc(&o, 4096);
  cudaMalloc(&f, 64);
  cudaMalloc(&ha, 64);
  cudaMalloc(&fa, 64);
  cudaMemset(f, 0, 64);
  cudaMemset(ha, 0, 64);
  cudaMemset(fa, 0, 64);
  cudaMemcpy(in, h, 512, cudaMemcpyHostToDevice);
  odd<<<1, 32>>>(in, o, o4, f, ha, fa);
  static unsigned q[1024];
  printf("%s\n", cudaGetErrorString(cudaMemcpy(q, o, 4096, cudaMemcpyDeviceToHost)));
  for (int t : {0, 3, 9}) {
    for (int k = 0; k < 32; ++k)
      printf("%x ", q[t * 32 + k]);
    printf("\n");
  }
  float hf;
  unsigned hh;
  float hv[4];
  cudaMemcpy(&hf, f, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(&hh, ha, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(hv, fa, 16, cudaMemcpyDeviceToHost);
  cudaMemcpy(h, o4, 512, cudaMemcpyDeviceToHost);
  printf("%g %x %g %g %g %g %d %d\n", hf, hh, hv[0], hv[1], hv[2], hv[3], h[3].x, h[3].w);
}
