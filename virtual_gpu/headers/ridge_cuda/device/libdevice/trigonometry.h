// libdevice: sine, cosine, tangent. The argument is n pi/2 + r with |r| <= pi/4; r is carried in two doubles.
#pragma once

namespace ridge_cuda {

struct Quadrant {
  TwoDoubles rest;
  int quarter;  // n modulo 4
};

// The first 1280 bits of 2 / pi behind the point.
inline __device__ const unsigned long long kTwoOverPi[20] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};

// Payne and Hanek's reduction: x is a whole number times 2^e, and multiplies of 2 / pi only those bits whose product
// is below 4.
__device__ inline Quadrant reduced_large(double x) {
  const unsigned long long bits = bits_of_double(x);
  const unsigned long long whole = (bits & 0xfffffffffffffull) | 1ull << 52;
  const int e = static_cast<int>(bits >> 52 & 2047) - 1075;
  const int from = e - 2;  // the product's bits from weight 2 on: 2/pi's from this bit on
  unsigned long long words[3];
  for (int i = 0; i < 3; ++i) {
    const int bit = from + 64 * i;
    unsigned long long word = 0;
    if (bit < 0) {
      word = bit <= -64 ? 0 : kTwoOverPi[0] >> -bit;
    } else {
      const int at = bit / 64, shift = bit % 64;
      word = kTwoOverPi[at] << shift | (shift == 0 ? 0 : kTwoOverPi[at + 1] >> (64 - shift));
    }
    words[i] = word;
  }
  // whole * words, modulo 2^192 / 2^... : the top 128 bits of the fraction.
  const unsigned long long low_high = __nvvm_mulhi_ull(whole, words[2]);
  unsigned long long middle = whole * words[1], high = __nvvm_mulhi_ull(whole, words[1]);
  middle += low_high;
  high += middle < low_high ? 1 : 0;
  high += whole * words[0];
  // high: 2 bits of the quadrant, then the fraction.
  int quarter = static_cast<int>(high >> 62);
  unsigned long long first = high << 2 | middle >> 62, second = middle << 2;
  bool negative = false;
  if (first >> 63) {  // above one half: the next quadrant, from below
    quarter += 1;
    negative = true;
    first = ~first;
    second = ~second + 1;
    if (second == 0) ++first;
  }
  const double a = static_cast<double>(first >> 11) * 0x1p-53;
  const double b = static_cast<double>((first & 0x7ff) << 42 | second >> 22) * 0x1p-106;
  TwoDoubles rest = product(ordered_sum(a, b), {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  if (negative) rest = {-rest.high, -rest.low};
  return {rest, quarter};
}
RIDGE_DEVICE Quadrant reduced(double x) {
  const double size = __builtin_fabs(x);
  if (size <= 0x1.921fb54442d18p-1) return {{x, 0.0}, 0};
  if (size < 1e5) {
    const double n = __builtin_rint(x * 0x1.45f306dc9c883p-1);
    const double a = fused(n, -0x1.921fb54442d18p+0, x);
    const TwoDoubles p = product(n, -0x1.1a62633145c07p-54);
    // a is exact: x and n pi/2 are close. What follows may be as large as a.
    const double high = a + p.high;
    const double back = high - a;
    const double low = (a - (high - back)) + (p.high - back);
    return {ordered_sum(high, low + fused(n, 0x1.f1976b7ed8fbcp-110, p.low)), static_cast<int>(n)};
  }
  Quadrant q = reduced_large(size);
  if (x < 0) q = {{-q.rest.high, -q.rest.low}, -q.quarter};
  return q;
}

RIDGE_DEVICE double sine_near_zero(TwoDoubles r) {
  const double z = r.high * r.high;
  const double tail =
      polynomial(z, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800,
                 1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0);
  return r.high + (fused(r.high * z, tail, r.low) - 0.5 * z * r.low);
}
RIDGE_DEVICE double cosine_near_zero(TwoDoubles r) {
  const double z = r.high * r.high, half = 0.5 * z, first = 1.0 - half;
  const double tail =
      polynomial(z, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
                 -1.0 / 87178291200.0, 1.0 / 20922789888000.0, -1.0 / 6402373705728000.0);
  return first + ((1.0 - first - half) + fused(z * z, tail, -r.high * r.low));
}
RIDGE_DEVICE double sine_of(Quadrant q) {
  const double value = q.quarter & 1 ? cosine_near_zero(q.rest) : sine_near_zero(q.rest);
  return q.quarter & 2 ? -value : value;
}
RIDGE_DEVICE double cosine_of(Quadrant q) {
  const double value = q.quarter & 1 ? sine_near_zero(q.rest) : cosine_near_zero(q.rest);
  return (q.quarter + 1) & 2 ? -value : value;
}
// x times pi: the quadrant is exact.
RIDGE_DEVICE Quadrant reduced_times_pi(double x) {
  const double n = __builtin_rint(2 * x);
  const TwoDoubles p =
      product({fused(-0.5, n, x), 0.0}, {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53});
  return {p, static_cast<int>(static_cast<long long>(__builtin_fabs(n) < 0x1p62 ? n : 0.0) & 3)};
}

}  // namespace ridge_cuda

RIDGE_LIBDEVICE double __nv_sin(double x) {
  if (!(__builtin_fabs(x) < __builtin_inf())) return __builtin_nan("");
  return x == 0 ? x : ridge_cuda::sine_of(ridge_cuda::reduced(x));
}
RIDGE_LIBDEVICE double __nv_cos(double x) {
  if (!(__builtin_fabs(x) < __builtin_inf())) return __builtin_nan("");
  return ridge_cuda::cosine_of(ridge_cuda::reduced(x));
}
RIDGE_LIBDEVICE double __nv_tan(double x) {
  if (!(__builtin_fabs(x) < __builtin_inf())) return __builtin_nan("");
  if (x == 0) return x;
  const ridge_cuda::Quadrant q = ridge_cuda::reduced(x);
  return ridge_cuda::sine_of(q) / ridge_cuda::cosine_of(q);
}
RIDGE_LIBDEVICE void __nv_sincos(double x, double* sine, double* cosine) {
  *sine = __nv_sin(x);
  *cosine = __nv_cos(x);
}
RIDGE_LIBDEVICE double __nv_sinpi(double x) {
  if (!(__builtin_fabs(x) < __builtin_inf())) return __builtin_nan("");
  if (__nvvm_trunc_d(x) == x) return __builtin_copysign(0.0, x);
  return ridge_cuda::sine_of(ridge_cuda::reduced_times_pi(x));
}
RIDGE_LIBDEVICE double __nv_cospi(double x) {
  if (!(__builtin_fabs(x) < __builtin_inf())) return __builtin_nan("");
  return ridge_cuda::cosine_of(ridge_cuda::reduced_times_pi(x)) + 0.0;
}
RIDGE_LIBDEVICE void __nv_sincospi(double x, double* sine, double* cosine) {
  *sine = __nv_sinpi(x);
  *cosine = __nv_cospi(x);
}
