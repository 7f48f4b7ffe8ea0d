// libdevice: log, log2, log10, log1p. x = 2^k m with sqrt(1/2) <= m < sqrt(2), and log m = 2 atanh(s) for
// s = (m - 1) / (m + 1), a Taylor series in s.
#pragma once

namespace ridge_cuda {

// (2 atanh(s) - 2 s - 2 s^3 / 3) / s^5, z = s^2
RIDGE_DEVICE double atanh_tail(double z) {
  return polynomial(z, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19,
                    2.0 / 21, 2.0 / 23, 2.0 / 25);
}

// log(1 + f + low) in two doubles, to about 2^-64 of it; -0.3 <= f <= 0.42.
RIDGE_DEVICE TwoDoubles log_near_one(double f, double low) {
  const double sum = 2.0 + f;
  const double rest = f - (sum - 2.0) + low;
  const double s = f / sum;
  const double s_low = (fused(-s, sum, f) + low - s * rest) / sum;
  const TwoDoubles z = product({s, s_low}, {s, s_low});
  const TwoDoubles cube =
      product(product(z, {s, s_low}), {0x1.5555555555555p-1, 0x1.5555555555555p-55});
  const double tail = cube.high * z.high * 1.5 * atanh_tail(z.high);
  const TwoDoubles first = ordered_sum(2 * s, cube.high);
  return ordered_sum(first.high, first.low + (2 * s_low + cube.low + tail));
}

// For a finite x = m 2^k > 0 with m between about 0.7 and 1.4: returns log m, and stores k.
RIDGE_DEVICE TwoDoubles log_of_mantissa(double x, int& k) {
  double m = mantissa_of(x, k);
  if (m > 0x1.6a09e667f3bcdp+0) {
    m *= 0.5;
    ++k;
  }
  return log_near_one(m - 1.0, 0.0);
}
RIDGE_DEVICE TwoDoubles with_exponent(TwoDoubles log_m, int k) {
  if (k == 0) return log_m;
  const double n = static_cast<double>(k);
  const TwoDoubles first = ordered_sum(n * kLn2High, log_m.high);  // the product is exact
  const TwoDoubles second = product(n, kLn2Low);
  const TwoDoubles sum = ordered_sum(first.high, second.high);
  return ordered_sum(sum.high, sum.low + first.low + second.low + log_m.low);
}
RIDGE_DEVICE TwoDoubles log_in_two(double x) {
  int k;
  const TwoDoubles log_m = log_of_mantissa(x, k);
  return with_exponent(log_m, k);
}
// Where a logarithm has no finite value.
RIDGE_DEVICE bool log_is_special(double x, double& result) {
  if (x > 0 && x < __builtin_inf()) return false;
  result = x == 0 ? -__builtin_inf() : x < 0 ? __builtin_nan("") : x;
  return true;
}

}  // namespace ridge_cuda

RIDGE_LIBDEVICE double __nv_log(double x) {
  double result;
  if (ridge_cuda::log_is_special(x, result)) return result;
  const ridge_cuda::TwoDoubles log = ridge_cuda::log_in_two(x);
  return log.high + log.low;
}
RIDGE_LIBDEVICE double __nv_log2(double x) {
  double result;
  if (ridge_cuda::log_is_special(x, result)) return result;
  int k;
  const ridge_cuda::TwoDoubles log_m = ridge_cuda::log_of_mantissa(x, k);
  const ridge_cuda::TwoDoubles p =
      ridge_cuda::product(log_m, {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
  return k == 0 ? p.high + p.low : static_cast<double>(k) + (p.high + p.low);
}
RIDGE_LIBDEVICE double __nv_log10(double x) {
  double result;
  if (ridge_cuda::log_is_special(x, result)) return result;
  const ridge_cuda::TwoDoubles p =
      ridge_cuda::product(ridge_cuda::log_in_two(x), {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
  return p.high + p.low;
}
RIDGE_LIBDEVICE double __nv_log1p(double x) {
  using namespace ridge_cuda;
  if (x == 0 || x != x || x == __builtin_inf()) return x;
  if (x <= -1) return x == -1 ? -__builtin_inf() : __builtin_nan("");
  TwoDoubles log;
  if (x > -0.29 && x < 0.41) {
    log = log_near_one(x, 0.0);
  } else {
    const double u = 1.0 + x;
    const double lost = x >= 1 ? 1.0 - (u - x) : x - (u - 1.0);
    log = log_in_two(u);
    log.low += lost / u;
  }
  return log.high + log.low;
}
