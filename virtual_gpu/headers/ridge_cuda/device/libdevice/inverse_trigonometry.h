// libdevice: asin, acos, atan, atan2.
#pragma once

namespace ridge_cuda {

inline constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;

// atan(i / 8) in two doubles
inline __device__ const double kAtanOfEighths[9][2] = {
    {0x0.0p+0, 0x0.0p+0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

// atan(t + low) for 0 <= t <= 1, in two doubles: atan(i / 8) + atan(u), u = (t - i / 8) / (1 + t i / 8)
RIDGE_DEVICE TwoDoubles atan_in_two(double t, double low) {
  const int i = static_cast<int>(__builtin_rint(8 * t));
  const double c = 0.125 * i;
  const double above = t - c;                        // exact
  const TwoDoubles below = ordered_sum(1.0, t * c);  // t c is exact but for its last bits
  const double tc_low = fused(t, c, -(t * c)) + low * c;
  const double u = (above + low) / below.high;
  const double u_low = (fused(-u, below.high, above) + low - u * (below.low + tc_low)) / below.high;
  const double z = u * u;
  const double tail =
      u * z * polynomial(z, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15);
  if (i == 0) return {u, u_low + tail};
  const TwoDoubles sum = ordered_sum(kAtanOfEighths[i][0], u);
  return {sum.high, sum.low + (kAtanOfEighths[i][1] + u_low + tail)};
}
// atan(y / x) for x, y >= 0, not both 0 or infinite
RIDGE_DEVICE TwoDoubles atan_of_quotient(double y, double x) {
  const bool swapped = y > x;
  const double over = swapped ? x : y, under = swapped ? y : x;
  double t = over / under;
  double low = 0;
  if (t > 0x1p-900 && under < 0x1p1000 && over > 0x1p-900) low = fused(-t, under, over) / under;
  const TwoDoubles a = atan_in_two(t, low);
  if (!swapped) return a;
  const TwoDoubles sum = ordered_sum(kHalfPi, -a.high);
  return {sum.high, sum.low + (kHalfPiLow - a.low)};
}

}  // namespace ridge_cuda

RIDGE_LIBDEVICE double __nv_atan(double x) {
  if (x != x || x == 0) return x;
  const double size = __builtin_fabs(x);
  if (size == __builtin_inf()) return __builtin_copysign(ridge_cuda::kHalfPi, x);
  const ridge_cuda::TwoDoubles a = ridge_cuda::atan_of_quotient(size, 1.0);
  return __builtin_copysign(a.high + a.low, x);
}
// In two doubles: the angle of the point (x, y).
RIDGE_LIBDEVICE double __nv_atan2(double y, double x) {
  using namespace ridge_cuda;
  if (x != x || y != y) return x + y;
  const double up = __builtin_fabs(y), along = __builtin_fabs(x);
  const bool left = __builtin_signbit(x);
  TwoDoubles a;
  if (up == 0) {
    a = {0.0, 0.0};
  } else if (up == __builtin_inf() && along == __builtin_inf()) {
    a = {0.5 * kHalfPi, 0.5 * kHalfPiLow};
  } else if (up == __builtin_inf() || along == 0) {
    a = {kHalfPi, kHalfPiLow};
  } else if (along == __builtin_inf()) {
    a = {0.0, 0.0};
  } else {
    a = atan_of_quotient(up, along);
  }
  if (left) {
    const TwoDoubles sum = ordered_sum(2 * kHalfPi, -a.high);
    a = {sum.high, sum.low + (2 * kHalfPiLow - a.low)};
  }
  return __builtin_copysign(a.high + a.low, y);
}
// asin(x) = atan(x / sqrt(1 - x^2)), the root in two doubles.
namespace ridge_cuda {
RIDGE_DEVICE TwoDoubles asin_in_two(double size) {
  const TwoDoubles square = product(size, size);
  const TwoDoubles rest = ordered_sum(1.0, -square.high);
  const double under = rest.high;
  const double under_low = rest.low - square.low;
  if (under + under_low <= 0) return {kHalfPi, kHalfPiLow};
  const double root = __nvvm_sqrt_rn_d(under);
  const double root_low = (fused(-root, root, under) + under_low) / (2 * root);
  const bool swapped = size > root;
  const double over = swapped ? root : size, over_low = swapped ? root_low : 0.0;
  const double below = swapped ? size : root, below_low = swapped ? 0.0 : root_low;
  const double t = over / below;
  const double t_low = (fused(-t, below, over) + over_low - t * below_low) / below;
  const TwoDoubles a = atan_in_two(t, t_low);
  if (!swapped) return a;
  const TwoDoubles sum = ordered_sum(kHalfPi, -a.high);
  return {sum.high, sum.low + (kHalfPiLow - a.low)};
}
}  // namespace ridge_cuda
RIDGE_LIBDEVICE double __nv_asin(double x) {
  const double size = __builtin_fabs(x);
  if (!(size <= 1)) return __builtin_nan("");
  if (size < 0x1p-28) return x;
  const ridge_cuda::TwoDoubles a = ridge_cuda::asin_in_two(size);
  return __builtin_copysign(a.high + a.low, x);
}
RIDGE_LIBDEVICE double __nv_acos(double x) {
  using namespace ridge_cuda;
  const double size = __builtin_fabs(x);
  if (!(size <= 1)) return __builtin_nan("");
  if (size > 0.9) {  // near 1: 2 asin(sqrt((1 - |x|) / 2)), without cancellation
    const double half = 0.5 * (1.0 - size);  // exact
    const double root = __nvvm_sqrt_rn_d(half);
    const TwoDoubles a = asin_in_two(root);
    const double root_low = root == 0 ? 0.0 : fused(-root, root, half) / (2 * root);
    const TwoDoubles twice = {2 * a.high, 2 * (a.low + root_low * (1 + half))};
    if (x > 0) return twice.high + twice.low;
    const TwoDoubles sum = ordered_sum(2 * kHalfPi, -twice.high);
    return sum.high + (sum.low + (2 * kHalfPiLow - twice.low));
  }
  const TwoDoubles a = asin_in_two(size);
  const double sign = x < 0 ? -1.0 : 1.0;
  const TwoDoubles sum = ordered_sum(kHalfPi, -sign * a.high);
  return sum.high + (sum.low + (kHalfPiLow - sign * a.low));
}
