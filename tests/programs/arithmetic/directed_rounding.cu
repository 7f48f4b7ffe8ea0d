// Intervals by arithmetic rounded down and up, double-double numbers by error-free transformations,
// and conversions with each rounding. The CPU checks every bound with wider arithmetic; the sum of
// all bits must be a GPU's.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.h"

struct Interval {
  double low, high;
};
__host__ __device__ Interval around(double x) {
  return {x, x};
}
__device__ Interval operator+(Interval a, Interval b) {
  return {__dadd_rd(a.low, b.low), __dadd_ru(a.high, b.high)};
}
__device__ Interval operator-(Interval a, Interval b) {
  return {__dsub_rd(a.low, b.high), __dsub_ru(a.high, b.low)};
}
__device__ Interval operator*(Interval a, Interval b) {
  return {fmin(fmin(__dmul_rd(a.low, b.low), __dmul_rd(a.low, b.high)),
               fmin(__dmul_rd(a.high, b.low), __dmul_rd(a.high, b.high))),
          fmax(fmax(__dmul_ru(a.low, b.low), __dmul_ru(a.low, b.high)),
               fmax(__dmul_ru(a.high, b.low), __dmul_ru(a.high, b.high)))};
}
__device__ Interval operator/(Interval a, Interval b) {  // b does not contain zero
  const double lows[] = {__ddiv_rd(a.low, b.low), __ddiv_rd(a.low, b.high),
                         __ddiv_rd(a.high, b.low), __ddiv_rd(a.high, b.high)};
  const double highs[] = {__ddiv_ru(a.low, b.low), __ddiv_ru(a.low, b.high),
                          __ddiv_ru(a.high, b.low), __ddiv_ru(a.high, b.high)};
  Interval quotient = {lows[0], highs[0]};
  for (int i = 1; i < 4; ++i)
    quotient = {fmin(quotient.low, lows[i]), fmax(quotient.high, highs[i])};
  return quotient;
}

// Newton's method with intervals encloses the square root of each number; it ends when nothing gets
// narrower.
__global__ void roots(const double* x, Interval* root, int* steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Interval at = {fmin(x[i], 1.0), fmax(x[i], 1.0)};
  int count = 0;
  for (;; ++count) {
    const double middle = at.low + (at.high - at.low) / 2;
    const Interval m = around(middle);
    const Interval newton = m - (m * m - around(x[i])) / (around(2) * at);
    const Interval next = {fmax(at.low, newton.low), fmin(at.high, newton.high)};
    if (next.low == at.low && next.high == at.high) break;
    at = next;
  }
  root[i] = at;
  steps[i] = count;
}

struct Pair {
  double high, low;
};
__device__ Pair two_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
__device__ Pair two_product(double a, double b) {
  const double product = __dmul_rn(a, b);
  return {product, __fma_rn(a, b, -product)};
}
// A dot product as if in twice the precision, by one warp; the partial results are joined by
// shuffles.
__global__ void exact_dot(const double* a, const double* b, int n, Pair* result) {
  Pair sum = {0, 0};
  for (int i = threadIdx.x; i < n; i += 32) {
    const Pair product = two_product(a[i], b[i]), total = two_sum(sum.high, product.high);
    sum = {total.high, sum.low + (total.low + product.low)};
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    const double high = __shfl_xor_sync(~0u, sum.high, offset),
                 low = __shfl_xor_sync(~0u, sum.low, offset);
    const Pair total = two_sum(sum.high, high);
    sum = {total.high, (sum.low + low) + total.low};
  }
  if (threadIdx.x == 0) *result = two_sum(sum.high, sum.low);
}

constexpr int kResults = 30;

// Every operation that has a rounding, on one pair of numbers.
__global__ void all_roundings(const float* x, const float* y, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = x[i], b = y[i], c = fabsf(a) + 1;
  const float values[] = {__fadd_rd(a, b),
                          __fadd_ru(a, b),
                          __fadd_rz(a, b),
                          __fmul_rd(a, b),
                          __fmul_ru(a, b),
                          __fmul_rz(a, b),
                          __fdiv_rd(a, c),
                          __fdiv_ru(a, c),
                          __fdiv_rz(a, c),
                          __fsqrt_rd(c),
                          __fsqrt_ru(c),
                          __fsqrt_rz(c),
                          __frcp_rd(c),
                          __frcp_ru(c),
                          __frcp_rz(c),
                          __fmaf_rd(a, b, c),
                          __fmaf_ru(a, b, c),
                          __fmaf_rz(a, b, c),
                          __double2float_rd(1.0 / c),
                          __double2float_ru(1.0 / c),
                          __int2float_rd(i * 123456789),
                          __ll2float_ru(-(1ll << 40) - i)};
  constexpr int kFloats = sizeof values / sizeof *values;
  for (int k = 0; k < kFloats; ++k)
    out[i * kResults + k] = __float_as_uint(values[k]);
  const int whole[] = {__float2int_rd(a * 10),     __float2int_ru(a * 10),
                       __float2int_rn(a * 10),     __float2int_rz(a * 10),
                       static_cast<int>(rintf(b)), static_cast<int>(lroundf(b)),
                       __double2int_ru(a * 1e12),  static_cast<int>(__float2uint_rd(a - 2))};
  for (int k = 0; k < kResults - kFloats; ++k)
    out[i * kResults + kFloats + k] = static_cast<uint32_t>(whole[k]);
}

int main() {
  constexpr int kCount = 500;
  std::vector<double> x(kCount), y(kCount);
  uint64_t seed = 5;
  const auto draw = [&] {
    return static_cast<double>((seed = seed * 6364136223846793005ull + 1) >> 11) * 0x1p-53;
  };
  for (double& value : x) {
    const int exponent = static_cast<int>(draw() * 20) - 10;
    value = std::ldexp(draw() + 0.5, exponent);
  }
  double *in = device_array<double>(kCount), *other = device_array<double>(kCount);
  to_device(in, x.data(), kCount);
  auto* root = device_array<Interval>(kCount);
  int* steps = device_array<int>(kCount);
  roots<<<4, 128>>>(in, root, steps, kCount);
  finish("roots");
  std::vector<Interval> intervals(kCount);
  std::vector<int> counts(kCount);
  to_host(intervals.data(), root, kCount);
  to_host(counts.data(), steps, kCount);
  int encloses = 0, narrow = 0, total = 0;
  for (int i = 0; i < kCount; ++i) {
    const auto [low, high] = intervals[i];
    encloses += static_cast<long double>(low) * low <= x[i] &&
                static_cast<long double>(high) * high >= x[i];
    narrow += high <= std::nextafter(std::nextafter(std::nextafter(low, 1e9), 1e9), 1e9);
    total += counts[i];
  }
  printf("roots: %d of %d enclosed, %d within three steps of a double, %d iterations\n", encloses,
         kCount, narrow, total);

  // Terms that cancel to a small sum: the plain sum has no right digit.
  for (int i = 0; i < kCount; ++i)
    y[i] = draw() - 0.5;
  for (int i = kCount / 2; i < kCount; ++i)
    x[i] = x[i - kCount / 2], y[i] = -y[i - kCount / 2] * (1 + 0x1p-40);
  to_device(in, x.data(), kCount);
  to_device(other, y.data(), kCount);
  auto* dot = device_array<Pair>(1);
  exact_dot<<<1, 32>>>(in, other, kCount, dot);
  finish("exact dot");
  Pair pair;
  to_host(&pair, dot, 1);
  __float128 sum = 0;
  for (int i = 0; i < kCount; ++i)
    sum += static_cast<__float128>(x[i]) * y[i];
  const double off = static_cast<double>((pair.high - sum + pair.low) / sum);
  printf("dot product: relative error below 2^-50: %s\n", std::fabs(off) < 0x1p-50 ? "yes" : "no");

  std::vector<float> a(kCount), b(kCount);
  for (int i = 0; i < kCount; ++i) {
    a[i] = static_cast<float>(std::ldexp(draw() - 0.5, i % 40 - 20));
    b[i] = static_cast<float>(std::ldexp(draw() - 0.5, i % 37 - 15));
  }
  float *first = device_array<float>(kCount), *second = device_array<float>(kCount);
  uint32_t* out = device_array<uint32_t>(kCount * kResults);
  to_device(first, a.data(), kCount);
  to_device(second, b.data(), kCount);
  all_roundings<<<4, 128>>>(first, second, out, kCount);
  finish("all roundings");
  std::vector<uint32_t> bits(kCount * kResults);
  to_host(bits.data(), out, bits.size());
  const auto value = [&](int i, int k) {
    float f;
    std::memcpy(&f, &bits[i * kResults + k], sizeof f);
    return f;
  };
  int brackets = 0;
  for (int i = 0; i < kCount; ++i) {
    const double exact = static_cast<double>(a[i]) * b[i];
    brackets +=
        value(i, 3) <= exact && value(i, 4) >= exact && std::fabs(value(i, 5)) <= std::fabs(exact);
  }
  uint32_t hash = 0;
  for (uint32_t word : bits)
    hash = hash * 31 + word;
  printf("products bracketed: %d of %d; all bits %08x\n", brackets, kCount, hash);
  return 0;
}
