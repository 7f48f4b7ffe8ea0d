// libdevice: Bessel functions, with absolute errors of about 1e-15 up to arguments of some thousands. Up to 25
// those of the first kind come from the recurrence downwards, of the second kind from Neumann's series of the
// first (Abramowitz and Stegun 9.1.87 to 9.1.89); beyond, from Hankel's asymptotic expansion (9.2.5).
#pragma once

namespace ridge_cuda {

struct Bessel {
  double j0, j1, y0, y1, jn;
};

// 0 <= x <= 25; jn is J of order n.
RIDGE_DEVICE Bessel bessel_by_recurrence(double x, int n) {
  Bessel result = {1, 0, -__builtin_inf(), -__builtin_inf(), n == 0 ? 1.0 : 0.0};
  if (x < 0x1p-500) return result;
  const double log_half = __nv_log(0.5 * x) + 0x1.2788cfc6fb619p-1;  // and Euler's constant
  int order = (static_cast<int>(x) > n ? static_cast<int>(x) : n) + 60;
  order += order & 1;
  double after = 0, here = 1e-300, sum = 0, for_y0 = 0, for_y1 = 0, jn = 0;
  for (; order > 0; --order) {  // `here` is J of this order, but for a factor
    if (order == n) jn = here;
    const int k = order / 2;
    const double sign = k & 1 ? -1.0 : 1.0;
    if (order & 1) {
      if (k > 0) for_y1 += sign * order / (static_cast<double>(k) * (k + 1)) * here;
    } else {
      sum += 2 * here;
      for_y0 += sign / k * here;
    }
    if (order == 1) result.j1 = here;
    const double before = 2.0 * order / x * here - after;
    after = here;
    here = before;
    if (__builtin_fabs(here) > 1e200) {
      here *= 1e-250, after *= 1e-250, sum *= 1e-250, for_y0 *= 1e-250, for_y1 *= 1e-250,
          jn *= 1e-250;
      result.j1 *= 1e-250;
    }
  }
  const double factor = 1 / (sum + here);
  result.j0 = here * factor;
  result.j1 *= factor;
  result.jn = n == 0 ? result.j0 : jn * factor;
  const double two_over_pi = 0x1.45f306dc9c883p-1;
  result.y0 = two_over_pi * (log_half * result.j0 - 2 * for_y0 * factor);
  result.y1 = two_over_pi * ((log_half - 1) * result.j1 - result.j0 / x - for_y1 * factor);
  return result;
}
// x > 25, order 0 or 1: J and Y.
RIDGE_DEVICE void bessel_far(double x, int order, double* j, double* y) {
  const double mu = 4.0 * order * order;
  double p = 1, q = 0, term = 1;
  for (int k = 1; k < 40; ++k) {
    const double next = term * (mu - (2.0 * k - 1) * (2.0 * k - 1)) / (k * 8.0 * x);
    if (__builtin_fabs(next) > __builtin_fabs(term) || __builtin_fabs(next) < 1e-18) break;
    term = next;
    if (k & 1)
      q += (k / 2) & 1 ? -term : term;
    else
      p += (k / 2) & 1 ? -term : term;
  }
  double sine, cosine;  // of x - pi/4 - order pi/2
  __nv_sincos(x, &sine, &cosine);
  const double half = 0x1.6a09e667f3bcdp-1;
  const double s = order == 0 ? half * (sine - cosine) : -half * (sine + cosine);
  const double c = order == 0 ? half * (sine + cosine) : half * (sine - cosine);
  const double factor = __builtin_sqrt(0x1.45f306dc9c883p-1 / x);
  *j = factor * (p * c - q * s);
  *y = factor * (p * s + q * c);
}
RIDGE_DEVICE Bessel bessel(double x) {
  if (x <= 25) return bessel_by_recurrence(x, 0);
  Bessel result = {0, 0, 0, 0, 0};
  if (__builtin_isinf(x)) return result;
  bessel_far(x, 0, &result.j0, &result.y0);
  bessel_far(x, 1, &result.j1, &result.y1);
  return result;
}
// The modified functions of order 0 and 1: the power series, whose terms are all positive.
RIDGE_DEVICE double bessel_i(double x, int order) {
  if (x > 720) return __builtin_inf();
  const double square = 0.25 * x * x;
  double term = order == 0 ? 1.0 : 0.5 * x, sum = term;
  for (int k = 1; term > sum * 0x1p-55; ++k) {
    term *= square / (static_cast<double>(k) * (k + order));
    sum += term;
  }
  return sum;
}

}  // namespace ridge_cuda

RIDGE_LIBDEVICE double __nv_j0(double x) {
  return x != x ? x : ridge_cuda::bessel(__builtin_fabs(x)).j0;
}
RIDGE_LIBDEVICE double __nv_j1(double x) {
  if (x != x) return x;
  const double value = ridge_cuda::bessel(__builtin_fabs(x)).j1;
  return x < 0 ? -value : value;
}
RIDGE_LIBDEVICE double __nv_y0(double x) {
  return x >= 0 ? ridge_cuda::bessel(x).y0 : __builtin_nan("");
}
RIDGE_LIBDEVICE double __nv_y1(double x) {
  return x >= 0 ? ridge_cuda::bessel(x).y1 : __builtin_nan("");
}
RIDGE_LIBDEVICE double __nv_jn(int n, double x) {
  if (n < 0) return __builtin_nan("");
  if (x != x) return x;
  const double size = __builtin_fabs(x), sign = x < 0 && (n & 1) ? -1.0 : 1.0;
  if (size <= 25 || n > size) return sign * ridge_cuda::bessel_by_recurrence(size, n).jn;
  const ridge_cuda::Bessel first = ridge_cuda::bessel(size);
  double before = first.j0, here = first.j1;
  if (n == 0) return before;
  for (int k = 1; k < n; ++k) {
    const double next = 2.0 * k / size * here - before;
    before = here;
    here = next;
  }
  return sign * here;
}
RIDGE_LIBDEVICE double __nv_yn(int n, double x) {
  if (n < 0 || !(x >= 0)) return __builtin_nan("");
  const ridge_cuda::Bessel first = ridge_cuda::bessel(x);
  double before = first.y0, here = first.y1;
  if (n == 0) return before;
  for (int k = 1; k < n; ++k) {
    const double next = 2.0 * k / x * here - before;
    before = here;
    here = next;
  }
  return here;
}
RIDGE_LIBDEVICE double __nv_cyl_bessel_i0(double x) {
  return x != x ? x : ridge_cuda::bessel_i(__builtin_fabs(x), 0);
}
RIDGE_LIBDEVICE double __nv_cyl_bessel_i1(double x) {
  return x != x ? x : __builtin_copysign(ridge_cuda::bessel_i(__builtin_fabs(x), 1), x);
}
RIDGE_LIBDEVICE float __nv_jnf(int n, float x) {
  return static_cast<float>(__nv_jn(n, static_cast<double>(x)));
}
RIDGE_LIBDEVICE float __nv_ynf(int n, float x) {
  return static_cast<float>(__nv_yn(n, static_cast<double>(x)));
}
