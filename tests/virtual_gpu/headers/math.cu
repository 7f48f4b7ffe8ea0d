// The largest error of every mathematical function of our device library, in units in the last place: functions of
// float against double on the host, those of double against long double (64 bits of precision). Arguments are spread
// over all magnitudes, and include zeros, infinities, NaN, subnormals and neighbours of whole numbers.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#define DEVICE_FUNCTION(name, call)                             \
  template <class T>                                            \
  __global__ void name(const T* x, const T* y, T* out, int n) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;        \
    if (i < n) out[i] = static_cast<T>(call);                   \
  }
#define UNARY(f) DEVICE_FUNCTION(device_##f, f(x[i]))
#define BINARY(f) DEVICE_FUNCTION(device_##f, f(x[i], y[i]))
UNARY(exp)
UNARY(exp2)
UNARY(exp10)
UNARY(expm1)
UNARY(log)
UNARY(log2)
UNARY(log10)
UNARY(log1p)
UNARY(sin)
UNARY(cos)
UNARY(tan)
UNARY(asin)
UNARY(acos)
UNARY(atan)
UNARY(sinh)
UNARY(cosh)
UNARY(tanh)
UNARY(asinh)
UNARY(acosh)
UNARY(atanh)
UNARY(cbrt)
UNARY(sqrt)
UNARY(rsqrt)
UNARY(erf)
UNARY(erfc)
UNARY(tgamma)
UNARY(erfcx)
UNARY(erfinv)
UNARY(erfcinv)
UNARY(normcdfinv)
UNARY(floor)
UNARY(ceil)
UNARY(trunc)
UNARY(round)
UNARY(rint)
BINARY(pow)
BINARY(atan2)
BINARY(hypot)
BINARY(fmod)
BINARY(remainder)
BINARY(fdim)

namespace {

using Real = long double;
template <class T>
using Kernel = void (*)(const T*, const T*, T*, int);

// Units in the last place of `exact` as a T between the two. Infinities, NaN and zeros must be themselves.
template <class T>
double units_between(T got, Real exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isnan(got)) return INFINITY;
  const T rounded = static_cast<T>(exact);
  if (got == rounded) return 0;
  if (std::isinf(rounded) && std::fabs(got) >= std::numeric_limits<T>::max()) return 1;
  if (std::isinf(got) && std::fabs(rounded) >= std::numeric_limits<T>::max() * 0.999999) return 1;
  if (std::isinf(got) || std::isinf(rounded)) return INFINITY;
  int exponent = exact == 0 ? -100000 : std::ilogb(exact);
  const int least = std::numeric_limits<T>::min_exponent - 1;
  if (exponent < least) exponent = least;
  return static_cast<double>(
      std::fabs((static_cast<Real>(got) - exact) *
                std::ldexp(Real{1}, std::numeric_limits<T>::digits - 1 - exponent)));
}

template <class T>
std::vector<T> arguments(unsigned seed, int n) {
  std::mt19937_64 random(seed);
  std::vector<T> list = {0,
                         -T{0},
                         1,
                         -1,
                         2,
                         -2,
                         T(0.5),
                         T(-0.5),
                         3,
                         10,
                         100,
                         T(INFINITY),
                         -T(INFINITY),
                         T(NAN),
                         std::numeric_limits<T>::min(),
                         std::numeric_limits<T>::denorm_min(),
                         std::numeric_limits<T>::max(),
                         std::numeric_limits<T>::lowest()};
  for (int whole = -6; whole <= 6; ++whole)
    for (T to : {T(-100), T(100)})
      list.push_back(std::nextafter(T(whole), to));
  std::uniform_real_distribution<double> near(-4, 4), wide(-750, 750), exponent(-1, 1);
  while (static_cast<int>(list.size()) < n) {
    list.push_back(static_cast<T>(near(random)));
    list.push_back(static_cast<T>(wide(random)));
    const double size =
        std::ldexp(1 + std::fabs(exponent(random)),
                   static_cast<int>(exponent(random) * (sizeof(T) == 4 ? 126 : 1020)));
    list.push_back(static_cast<T>(exponent(random) < 0 ? -size : size));
  }
  list.resize(static_cast<size_t>(n));
  return list;
}

int failures = 0;

template <class T>
void check(const char* name, Kernel<T> kernel, const std::function<Real(Real, Real)>& exact,
           double limit) {
  constexpr int kCount = sizeof(T) == 4 ? 3000 : 2500;
  const std::vector<T> x = arguments<T>(1, kCount), y = arguments<T>(2, kCount);
  std::vector<T> out(kCount);
  T *dx, *dy, *dout;
  cudaMalloc(&dx, kCount * sizeof(T));
  cudaMalloc(&dy, kCount * sizeof(T));
  cudaMalloc(&dout, kCount * sizeof(T));
  cudaMemcpy(dx, x.data(), kCount * sizeof(T), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), kCount * sizeof(T), cudaMemcpyHostToDevice);
  kernel<<<(kCount + 255) / 256, 256>>>(dx, dy, dout, kCount);
  const cudaError_t error =
      cudaMemcpy(out.data(), dout, kCount * sizeof(T), cudaMemcpyDeviceToHost);
  double worst = error == cudaSuccess ? 0 : INFINITY;
  int at = 0;
  for (int i = 0; i < kCount; ++i) {
    const double units = units_between(out[i], exact(x[i], y[i]));
    if (units > worst) worst = units, at = i;
  }
  const bool fails = !(worst <= limit);
  failures += fails;
  std::printf("%-6s %-10s %6.3f units%s", sizeof(T) == 4 ? "float" : "double", name, worst,
              fails ? "" : "\n");
  if (fails)
    std::printf(", over %.1f: at %.17g, %.17g it is %.17g, exactly %.17Lg\n", limit, double(x[at]),
                double(y[at]), double(out[at]), exact(x[at], y[at]));
  cudaFree(dx);
  cudaFree(dy);
  cudaFree(dout);
}

Real exact_exp10(Real x) {
  return std::pow(Real{10}, x);
}
Real exact_rsqrt(Real x) {
  return 1 / std::sqrt(x);
}

Real exact_erfcx(Real x) {
  if (x < 8) return std::exp(x * x) * std::erfc(x);
  Real value = x;  // a continued fraction
  for (int n = 120; n >= 1; --n)
    value = x + n / (2 * value);
  return 1 / (std::sqrt(std::acos(Real{-1})) * value);
}
// x >= 0 with erfc(x) = y for 0 < y <= 0.5, and with erf(x) = y for 0 <= y <= 0.5.
Real between(Real low, Real high, const std::function<bool(Real)>& is_below) {
  for (int i = 0; i < 80; ++i) {
    const Real middle = (low + high) / 2;
    (is_below(middle) ? low : high) = middle;
  }
  return (low + high) / 2;
}
Real exact_erfcinv(Real y);
Real exact_erfinv(Real y) {
  if (!(std::fabs(y) <= 1)) return NAN;
  if (y < 0) return -exact_erfinv(-y);
  if (y == 0 || y == 1) return y == 0 ? y : INFINITY;
  if (y < 1e-12) return y * std::sqrt(std::acos(Real{-1})) / 2;
  return y <= 0.5 ? between(y * Real(0.88), y * Real(0.96), [y](Real x) { return std::erf(x) < y; })
                  : exact_erfcinv(1 - y);
}
Real exact_erfcinv(Real y) {
  if (!(y >= 0 && y <= 2)) return NAN;
  if (y == 0 || y == 2) return y == 0 ? INFINITY : -INFINITY;
  if (y > 1) return -exact_erfcinv(2 - y);
  return y <= 0.5 ? between(0, 40, [y](Real x) { return std::erfc(x) > y; }) : exact_erfinv(1 - y);
}
Real exact_normcdfinv(Real p) {
  return -std::sqrt(Real{2}) * exact_erfcinv(2 * p);
}

#define CHECK_1(f, exact, limit)                                                \
  check<float>(                                                                 \
      #f, device_##f<float>, [](Real x, Real) -> Real { return exact(x); }, 2); \
  check<double>(                                                                \
      #f, device_##f<double>, [](Real x, Real) -> Real { return exact(x); }, limit)
#define CHECK_2(f)                                                                    \
  check<float>(                                                                       \
      #f, device_##f<float>, [](Real x, Real y) -> Real { return std::f(x, y); }, 2); \
  check<double>(                                                                      \
      #f, device_##f<double>, [](Real x, Real y) -> Real { return std::f(x, y); }, 2)

}  // namespace

int main() {
  CHECK_1(exp, std::exp, 2);
  CHECK_1(exp2, std::exp2, 2);
  CHECK_1(exp10, exact_exp10, 2);
  CHECK_1(expm1, std::expm1, 2);
  CHECK_1(log, std::log, 2);
  CHECK_1(log2, std::log2, 2);
  CHECK_1(log10, std::log10, 2);
  CHECK_1(log1p, std::log1p, 2);
  CHECK_1(sin, std::sin, 2);
  CHECK_1(cos, std::cos, 2);
  CHECK_1(tan, std::tan, 2);
  CHECK_1(asin, std::asin, 2);
  CHECK_1(acos, std::acos, 2);
  CHECK_1(atan, std::atan, 2);
  CHECK_1(sinh, std::sinh, 2);
  CHECK_1(cosh, std::cosh, 2);
  CHECK_1(tanh, std::tanh, 2);
  CHECK_1(asinh, std::asinh, 2);
  CHECK_1(acosh, std::acosh, 2);
  CHECK_1(atanh, std::atanh, 2);
  CHECK_1(cbrt, std::cbrt, 2);
  CHECK_1(sqrt, std::sqrt, 2);
  CHECK_1(rsqrt, exact_rsqrt, 2);
  CHECK_1(erf, std::erf, 2);
  CHECK_1(erfc, std::erfc, 2);
  CHECK_1(tgamma, std::tgamma, 2);
  CHECK_1(erfcx, exact_erfcx, 2);
  CHECK_1(erfinv, exact_erfinv, 2);
  CHECK_1(erfcinv, exact_erfcinv, 2);
  CHECK_1(normcdfinv, exact_normcdfinv, 2);
  CHECK_1(floor, std::floor, 0);
  CHECK_1(ceil, std::ceil, 0);
  CHECK_1(trunc, std::trunc, 0);
  CHECK_1(round, std::round, 0);
  CHECK_1(rint, std::rint, 0);
  CHECK_2(pow);
  CHECK_2(atan2);
  CHECK_2(hypot);
  CHECK_2(fmod);
  CHECK_2(remainder);
  CHECK_2(fdim);
  return failures != 0;
}
