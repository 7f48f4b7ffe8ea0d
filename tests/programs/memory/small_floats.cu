// half, bfloat16 and the 8-bit floats: arithmetic, comparisons, packed pairs, conversions with every
// rounding, and sums of products, all compared with the same done in double on the CPU.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <vector>

#include "check.h"

__global__ void half_arithmetic(const float* a, const float* b, float* out) {
  int i = threadIdx.x;
  __half x = __float2half(a[i]), y = __float2half(b[i]);
  float* o = out + 8 * i;
  o[0] = __half2float(x + y);
  o[1] = __half2float(__hmul(x, y));
  o[2] = __half2float(__hfma(x, y, __float2half(0.25f)));
  o[3] = __half2float(x / y);
  o[4] = __half2float(__hmax(x, y));
  o[5] = __hlt(x, y) ? 1.0f : 0.0f;
  o[6] = static_cast<float>(__half2int_rn(x)) + static_cast<float>(__half2short_rz(y));
  o[7] = __half2float(hsqrt(__habs(x)));
}

__global__ void bfloat_arithmetic(const float* a, const float* b, float* out) {
  int i = threadIdx.x;
  __nv_bfloat16 x = __float2bfloat16(a[i]), y = __float2bfloat16_rz(b[i]);
  float* o = out + 8 * i;
  o[0] = __bfloat162float(x + y);
  o[1] = __bfloat162float(__hmul(x, y));
  o[2] = __bfloat162float(__hfma(x, y, __float2bfloat16(0.25f)));
  o[3] = __bfloat162float(x - y);
  o[4] = __bfloat162float(__hmin(x, y));
  o[5] = __bfloat162float(__hneg(x));
  o[6] = __bfloat162float(__float2bfloat16_ru(a[i]));
  o[7] = __bfloat162float(__float2bfloat16_rd(b[i]));
}

__global__ void packed_dot(const __half2* a, const __half2* b, float* out, int n) {
  float sum = 0;
  __half2 rough = __float2half2_rn(0);
  for (int i = threadIdx.x; i < n; i += 32) {
    float2 product = __half22float2(__hmul2(a[i], b[i]));
    sum += product.x + product.y;
    rough = __hfma2(a[i], b[i], rough);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    rough = __hadd2(rough, __shfl_xor_sync(0xffffffffu, rough, offset));
  }
  if (threadIdx.x == 0) {
    out[0] = sum;
    out[1] = __low2float(rough) + __high2float(rough);
  }
}

__global__ void eight_bits(const float* in, float* out, unsigned char* bytes) {
  int i = threadIdx.x;
  __nv_fp8_e4m3 narrow(in[i]);
  __nv_fp8_e5m2 wide(in[i]);
  bytes[2 * i] = narrow.__x;
  bytes[2 * i + 1] = wide.__x;
  out[2 * i] = static_cast<float>(narrow);
  out[2 * i + 1] = static_cast<float>(wide);
}

// To `digits` significant binary digits, nearest even, exponents not below `lowest`, and not above `largest`.
double rounded(double value, int digits, int lowest, double largest) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = std::max(std::ilogb(value), lowest);
  double step = std::ldexp(1.0, exponent - digits + 1), result = std::nearbyint(value / step) * step;
  return std::fabs(result) > largest ? std::copysign(INFINITY, value) : result;
}
double to_half(double v) {
  return rounded(v, 11, -14, 65504);
}
double to_bfloat(double v) {
  return rounded(v, 8, -126, 3.3895313892515355e38);
}

int main() {
  constexpr int n = 256;
  std::vector<float> a(n), b(n), out(8 * n);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>((i * 37 % 256 - 128) * 0.37);
    b[i] = static_cast<float>((i * 91 % 255 - 127 == 0 ? 3 : i * 91 % 255 - 127) * 0.0523);
  }
  float *da = device_array<float>(n), *db = device_array<float>(n), *dout = device_array<float>(8 * n);
  to_device(da, a.data(), n);
  to_device(db, b.data(), n);

  half_arithmetic<<<1, n>>>(da, db, dout);
  finish("half");
  to_host(out.data(), dout, out.size());
  int wrong[8] = {}, near = 0;
  for (int i = 0; i < n; ++i) {
    double x = to_half(a[i]), y = to_half(b[i]);
    const float* o = &out[8 * i];
    wrong[0] += o[0] != to_half(x + y);
    wrong[1] += o[1] != to_half(x * y);
    wrong[2] += o[2] != to_half(x * y + 0.25);
    near += std::fabs(o[3] - x / y) <= std::fabs(x / y) * 0x1p-10;
    wrong[4] += o[4] != std::max(x, y);
    wrong[5] += (o[5] != 0) != (x < y);
    wrong[6] += o[6] != std::nearbyint(x) + std::trunc(y);
    near += std::fabs(o[7] - std::sqrt(std::fabs(x))) <= std::sqrt(std::fabs(x)) * 0x1p-10;
  }
  printf("half: wrong %d %d %d %d %d %d, quotients and roots near %d\n", wrong[0], wrong[1], wrong[2],
         wrong[4], wrong[5], wrong[6], near == 2 * n);

  bfloat_arithmetic<<<1, n>>>(da, db, dout);
  finish("bfloat");
  to_host(out.data(), dout, out.size());
  int bad[8] = {};
  for (int i = 0; i < n; ++i) {
    double x = to_bfloat(a[i]);
    double step = std::ldexp(1.0, std::ilogb(b[i]) - 7), y = std::trunc(b[i] / step) * step;
    double step_a = a[i] == 0 ? 1 : std::ldexp(1.0, std::ilogb(a[i]) - 7);
    const float* o = &out[8 * i];
    bad[0] += o[0] != to_bfloat(x + y);
    bad[1] += o[1] != to_bfloat(x * y);
    bad[2] += o[2] != to_bfloat(x * y + 0.25);
    bad[3] += o[3] != to_bfloat(x - y);
    bad[4] += o[4] != std::min(x, y);
    bad[5] += o[5] != -x;
    bad[6] += o[6] != std::ceil(a[i] / step_a) * step_a;
    bad[7] += o[7] != std::floor(b[i] / step) * step;
  }
  printf("bfloat: wrong %d %d %d %d %d %d %d %d\n", bad[0], bad[1], bad[2], bad[3], bad[4], bad[5], bad[6],
         bad[7]);

  std::vector<__half2> pairs_a(n), pairs_b(n);
  double exact = 0;
  for (int i = 0; i < n; ++i) {
    float x0 = static_cast<float>(i % 8), x1 = static_cast<float>(i % 5), y0 = static_cast<float>(i % 3),
          y1 = 0.5f;
    pairs_a[i] = __floats2half2_rn(x0, x1);
    pairs_b[i] = __floats2half2_rn(y0, y1);
    exact += x0 * y0 + x1 * y1;
  }
  __half2 *pa = device_array<__half2>(n), *pb = device_array<__half2>(n);
  to_device(pa, pairs_a.data(), n);
  to_device(pb, pairs_b.data(), n);
  packed_dot<<<1, 32>>>(pa, pb, dout, n);
  finish("dot");
  to_host(out.data(), dout, 2);
  printf("packed dot %g %g %s\n", out[0], out[1], out[0] == exact && out[1] == exact ? "right" : "WRONG");

  std::vector<float> in(n), eight(2 * n);
  std::vector<unsigned char> bytes(2 * n);
  for (int i = 0; i < n; ++i)
    in[i] = std::ldexp(1.0f + static_cast<float>(i * 29 % 64) / 64, i % 40 - 20) * (i % 2 ? -1.0f : 1.0f);
  in[7] = INFINITY;
  in[9] = 0.0f;
  to_device(da, in.data(), n);
  unsigned char* dbytes = device_array<unsigned char>(2 * n);
  eight_bits<<<1, n>>>(da, dout, dbytes);
  finish("eight");
  to_host(eight.data(), dout, 2 * n);
  to_host(bytes.data(), dbytes, 2 * n);
  int wrong_narrow = 0, wrong_wide = 0, differs = 0;
  for (int i = 0; i < n; ++i) {
    const auto clamped = [&](int digits, int lowest, double largest) {
      double r = rounded(in[i], digits, lowest, 1e300);
      return std::fabs(r) > largest ? std::copysign(largest, r) : r;
    };
    wrong_narrow += eight[2 * i] != clamped(4, -6, 448);
    wrong_wide += eight[2 * i + 1] != clamped(3, -14, 57344);
    differs += bytes[2 * i] != __nv_fp8_e4m3(in[i]).__x || bytes[2 * i + 1] != __nv_fp8_e5m2(in[i]).__x;
  }
  printf("8 bits: wrong %d %d, unlike the host's %d\n", wrong_narrow, wrong_wide, differs);
}
