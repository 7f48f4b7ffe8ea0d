// libdevice: the gamma function and its logarithm. x = m + f with whole m and |f| <= 1/2; log Gamma(2 + f) is its Taylor
// series, whose coefficients are (zeta(k) - 1) (-1)^k / k; the rest is a product of f + j.
#pragma once

namespace ridge_cuda {

// log Gamma(2 + f), |f| <= 1/2
RIDGE_DEVICE double log_gamma_of_2_plus(double f) {
  return f * polynomial(f, 0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a557607p-4,
                        0x1.51322ac7d8483p-6, -0x1.e404fc218f5f2p-8, 0x1.7add6eadb6c30p-9,
                        -0x1.38ac5c2bf8e08p-10, 0x1.0b36af86396e9p-11, -0x1.d3fd4c76d2fc8p-13,
                        0x1.a127b0f17d65ap-14, -0x1.78de5bd7c81efp-15, 0x1.580dcee66eb02p-16,
                        -0x1.3cbc963ce2243p-17, 0x1.2597a39f34aacp-18, -0x1.11b2eb7679541p-19,
                        0x1.0064cdeb22f0fp-20, -0x1.e2600d93cfd2fp-22, 0x1.c76bbb3f07a4dp-23,
                        -0x1.af5a6cbbf8a97p-24, 0x1.99b93c2070b0fp-25, -0x1.862c734df3eacp-26,
                        0x1.7469daccfadcdp-27, -0x1.6434a8447aeadp-28, 0x1.555a877ffd2c3p-29,
                        -0x1.47b1679258d0ep-30, 0x1.3b15d2b2fc10cp-31, -0x1.2f69a9fabe3e0p-32);
}
// The product of f + j for j from `first` to `last`, in two doubles.
RIDGE_DEVICE TwoDoubles product_of_steps(double f, int first, int last) {
  TwoDoubles all{1.0, 0.0};
  for (int j = first; j <= last; ++j) {
    const double at = static_cast<double>(j);
    const double sum = at + f, back = sum - at;
    all = product(all, {sum, (at - (sum - back)) + (f - back)});
  }
  return all;
}

}  // namespace ridge_cuda

RIDGE_LIBDEVICE double __nv_tgamma(double x) {
  using namespace ridge_cuda;
  if (x != x || x == __builtin_inf()) return x;
  if (x == 0) return __builtin_copysign(__builtin_inf(), x);
  if (x < 0 && __nvvm_trunc_d(x) == x) return __builtin_nan("");
  if (x > 171.7) return __builtin_inf();
  if (x < -184)
    return __builtin_copysign(0.0, __nvvm_trunc_d(x * 0.5) * 2 == __nvvm_trunc_d(x) ? -1.0 : 1.0);
  const double whole = __builtin_rint(x), f = x - whole;
  const int m = static_cast<int>(whole);
  const double of_2_plus = exp_of_two(log_gamma_of_2_plus(f), 0.0);
  if (m >= 2) {
    const TwoDoubles steps = product_of_steps(f, 2, m - 1);
    return fused(of_2_plus, steps.high, of_2_plus * steps.low);
  }
  // In two parts: the whole product may be too large.
  const int middle = m / 2;
  const TwoDoubles near = product_of_steps(f, middle + 1, 1), far = product_of_steps(f, m, middle);
  const double quotient = of_2_plus / near.high / far.high;
  if (!(__builtin_fabs(quotient) < __builtin_inf())) return quotient;
  return fused(-quotient, near.low / near.high + far.low / far.high, quotient);
}
RIDGE_LIBDEVICE double __nv_lgamma(double x) {
  using namespace ridge_cuda;
  if (x != x) return x;
  if (!(__builtin_fabs(x) < __builtin_inf())) return __builtin_inf();
  if (x <= 0 && __nvvm_trunc_d(x) == x) return __builtin_inf();
  if (x < -0.5) {  // the reflection; its error is absolute near the zeros
    const double sine = __builtin_fabs(__nv_sinpi(x) * x);
    return __nv_log(2 * 0x1.921fb54442d18p+0 / sine) - __nv_lgamma(-x);
  }
  if (x < 12) {
    const double whole = __builtin_rint(x), f = x - whole;
    const int m = static_cast<int>(whole);
    const double series = log_gamma_of_2_plus(f);
    if (m == 2) return series;
    if (m == 1) return series - __nv_log1p(f);
    if (m == 0) return series - __nv_log1p(f) - __nv_log(__builtin_fabs(f));
    return series + __nv_log(product_of_steps(f, 2, m - 1).high);
  }
  // Stirling's series
  const TwoDoubles log = log_in_two(x);
  const double z = 1.0 / x;
  const double tail = z * polynomial(z * z, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680,
                                     1.0 / 1188, -691.0 / 360360, 1.0 / 156);
  const TwoDoubles first = product({x - 0.5, 0.0}, log);
  const TwoDoubles sum = ordered_sum(first.high, -x);
  return sum.high + (sum.low + first.low + (0x1.d67f1c864beb5p-1 + tail));
}
