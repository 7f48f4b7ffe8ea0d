// The math library of device code in float and double, held against the CPU's: errors in units of the last
// place stay below what the programming guide lists. Prints no digit that two libraries could round
// differently.
#include <cmath>
#include <functional>
#include <vector>

#include "check.h"

constexpr int kFunctions = 24;

template <typename Real>
__device__ void evaluate(Real x, Real y, Real* o) {
  o[0] = exp(x);
  o[1] = exp2(x);
  o[2] = log(fabs(x) + Real(0.25));
  o[3] = log2(fabs(x) + Real(0.25));
  o[4] = log1p(fabs(x));
  o[5] = sin(x);
  o[6] = cos(x);
  o[7] = tan(x);
  o[8] = atan2(y, x);
  o[9] = asin(x / Real(64));
  o[10] = sinh(x / 8);
  o[11] = tanh(x);
  o[12] = pow(fabs(x), y / 16);
  o[13] = cbrt(x);
  o[14] = hypot(x, y);
  o[15] = fmod(x, Real(1.75));
  o[16] = erf(x / 8);
  o[17] = lgamma(fabs(x) + Real(1.5));
  o[18] = rint(x) + floor(y) + ceil(x) + trunc(y) + round(x);
  o[19] = fma(x, y, Real(1));
  o[20] = sqrt(fabs(x)) + rsqrt(fabs(y) + Real(1));
  o[21] = remainder(x, Real(0.75));
  o[22] = ldexp(x, 3) + fdim(x, y);
  o[23] = copysign(expm1(x / 4), y);
}

template <typename Real>
__global__ void functions(const Real* x, const Real* y, Real* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) evaluate(x[i], y[i], out + kFunctions * i);
}

std::vector<double> expected(double x, double y) {
  const double a = std::fabs(x);
  return {std::exp(x),
          std::exp2(x),
          std::log(a + 0.25),
          std::log2(a + 0.25),
          std::log1p(a),
          std::sin(x),
          std::cos(x),
          std::tan(x),
          std::atan2(y, x),
          std::asin(x / 64),
          std::sinh(x / 8),
          std::tanh(x),
          std::pow(a, y / 16),
          std::cbrt(x),
          std::hypot(x, y),
          std::fmod(x, 1.75),
          std::erf(x / 8),
          std::lgamma(a + 1.5),
          std::rint(x) + std::floor(y) + std::ceil(x) + std::trunc(y) + std::round(x),
          std::fma(x, y, 1),
          std::sqrt(a) + 1 / std::sqrt(std::fabs(y) + 1),
          std::remainder(x, 0.75),
          std::ldexp(x, 3) + std::fdim(x, y),
          std::copysign(std::expm1(x / 4), y)};
}

template <typename Real>
void compare(const char* name, double step) {
  constexpr int n = 400;
  std::vector<Real> x(n), y(n), out(n * kFunctions);
  for (int i = 0; i < n; ++i) {  // few digits, so that float and double see the same number
    x[i] = static_cast<Real>((i * 37 % 401 - 200) / 16.0);
    y[i] = static_cast<Real>((i * 53 % 397 - 198) / 32.0);
  }
  Real *dx = device_array<Real>(n), *dy = device_array<Real>(n), *dout = device_array<Real>(out.size());
  to_device(dx, x.data(), n);
  to_device(dy, y.data(), n);
  functions<<<(n + 63) / 64, 64>>>(dx, dy, dout, n);
  finish(name);
  to_host(out.data(), dout, out.size());
  printf("%s:", name);
  for (int f = 0; f < kFunctions; ++f) {
    int bad = 0;
    for (int i = 0; i < n; ++i) {
      double truth = expected(x[i], y[i])[f];
      // 8 units in the last place of the result, and of 0.01 where that is smaller.
      double allowed = 8 * step * std::max(std::fabs(truth), 0.01);
      const double got = out[i * kFunctions + f];
      bad +=
          !(got == truth || std::fabs(got - truth) <= allowed);  // equal: 0 to a negative power is infinite
    }
    printf(" %d", bad);
  }
  printf("\n");
}

__global__ void fast(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  out[6 * i] = __expf(v);
  out[6 * i + 1] = __logf(fabsf(v) + 1);
  out[6 * i + 2] = __sinf(v);
  out[6 * i + 3] = __cosf(v);
  out[6 * i + 4] = __fdividef(v, 3.0f);
  out[6 * i + 5] = __powf(fabsf(v), 0.3f);
}

int main() {
  compare<float>("float", 0x1p-23);
  compare<double>("double", 0x1p-52);
  constexpr int n = 200;
  std::vector<float> x(n), out(6 * n);
  for (int i = 0; i < n; ++i)
    x[i] = static_cast<float>(i - 100) / 32 + 0.01f;
  float *dx = device_array<float>(n), *dout = device_array<float>(6 * n);
  to_device(dx, x.data(), n);
  fast<<<1, 256>>>(dx, dout, n);
  finish("fast");
  to_host(out.data(), dout, out.size());
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    double v = x[i];
    const double truth[6] = {std::exp(v), std::log(std::fabs(v) + 1),
                             std::sin(v), std::cos(v),
                             v / 3,       std::pow(std::fabs(v), static_cast<double>(0.3f))};
    for (int f = 0; f < 6; ++f)
      worst = std::max(worst, std::fabs(out[6 * i + f] - truth[f]) / std::max(1.0, std::fabs(truth[f])));
  }
  printf("fast functions within 2e-6: %d\n", worst < 2e-6);
}
