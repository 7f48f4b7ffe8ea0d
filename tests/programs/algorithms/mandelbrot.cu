// The Mandelbrot set: threads of a warp leave the loop at different times. In float, double and fixed point.
#include <vector>

#include "check.h"

constexpr int kWidth = 96, kHeight = 64, kLimit = 100;

template <typename Real>
struct Rounded;
template <>
struct Rounded<float> {
  __host__ __device__ static float mul(float a, float b) {
#ifdef __CUDA_ARCH__
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
  }
  __host__ __device__ static float add(float a, float b) {
    return a + b;
  }
};
template <>
struct Rounded<double> {
  __host__ __device__ static double mul(double a, double b) {
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
  }
  __host__ __device__ static double add(double a, double b) {
    return a + b;
  }
};
struct Fixed {
  int bits;  // 8.24
  __host__ __device__ Fixed(double value) : bits(static_cast<int>(value * 16777216)) {}
  __host__ __device__ static Fixed of(int bits) {
    Fixed f(0);
    f.bits = bits;
    return f;
  }
  __host__ __device__ friend Fixed operator-(Fixed a, Fixed b) { return of(a.bits - b.bits); }
  __host__ __device__ friend bool operator>(Fixed a, Fixed b) { return a.bits > b.bits; }
};
template <>
struct Rounded<Fixed> {
  __host__ __device__ static Fixed mul(Fixed a, Fixed b) {
    return Fixed::of(static_cast<int>(static_cast<long long>(a.bits) * b.bits >> 24));
  }
  __host__ __device__ static Fixed add(Fixed a, Fixed b) { return Fixed::of(a.bits + b.bits); }
};

template <typename Real>
__host__ __device__ int escape_time(int px, int py) {
  using R = Rounded<Real>;
  Real cx(-2.0 + px * (1.0 / 32)), cy(-1.0 + py * (1.0 / 32)), x(0), y(0);
  for (int step = 0; step < kLimit; ++step) {
    Real xx = R::mul(x, x), yy = R::mul(y, y);
    if (R::add(xx, yy) > Real(4.0)) return step;
    y = R::add(R::mul(R::add(x, x), y), cy);
    x = R::add(xx - yy, cx);
  }
  return kLimit;
}

template <typename Real>
__global__ void mandelbrot(int* steps) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < kWidth && y < kHeight) steps[y * kWidth + x] = escape_time<Real>(x, y);
}

template <typename Real>
void compare(const char* name) {
  int* device = device_array<int>(kWidth * kHeight);
  mandelbrot<Real><<<dim3(kWidth / 32, kHeight / 4), dim3(32, 4)>>>(device);
  finish(name);
  std::vector<int> got(kWidth * kHeight);
  to_host(got.data(), device, got.size());
  int wrong = 0, inside = 0;
  long long total = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      int steps = got[y * kWidth + x];
      wrong += steps != escape_time<Real>(x, y);
      inside += steps == kLimit;
      total += steps;
    }
  printf("%s: wrong %d, inside %d, steps %lld\n", name, wrong, inside, total);
}

int main() {
  compare<float>("float");
  compare<double>("double");
  compare<Fixed>("fixed");
}
