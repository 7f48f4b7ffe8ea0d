// Complex numbers (Julia sets, cuda::std::complex), 128-bit integers, and the integer intrinsics.
#include <cuComplex.h>

#include <cuda/std/complex>
#include <vector>

#include "check.h"

__global__ void julia(int* steps, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  cuDoubleComplex z = make_cuDoubleComplex((x - width / 2) / 32.0, (y - height / 2) / 32.0),
                  c = make_cuDoubleComplex(-0.75, 0.125);
  int step = 0;
  for (; step < 60; ++step) {
    double re = __dmul_rn(z.x, z.x), im = __dmul_rn(z.y, z.y);
    if (re + im > 4) break;
    z = make_cuDoubleComplex(__dadd_rn(re - im, c.x), __dadd_rn(__dmul_rn(2 * z.x, z.y), c.y));
  }
  steps[y * width + x] = step;
}

__global__ void polynomial_roots(cuda::std::complex<double>* roots, int degree) {
  // Durand and Kerner, one thread: z^degree = 1.
  using Complex = cuda::std::complex<double>;
  Complex z[8];
  for (int i = 0; i < degree; ++i)
    z[i] = cuda::std::pow(Complex(0.4, 0.9), static_cast<double>(i));
  for (int round = 0; round < 60; ++round)
    for (int i = 0; i < degree; ++i) {
      Complex value = Complex(1), divisor = Complex(1);
      for (int j = 0; j < degree; ++j) {
        value *= z[i];
        if (j != i) divisor *= z[i] - z[j];
      }
      z[i] -= (value - Complex(1)) / divisor;
    }
  for (int i = 0; i < degree; ++i)
    roots[i] = z[i];
}

__global__ void wide_integers(unsigned long long* out) {
  using Wide = unsigned __int128;
  unsigned t = threadIdx.x;
  Wide a = static_cast<Wide>(0x123456789abcdefull + t) << 37 | 0xfedcba987654321ull,
       b = static_cast<Wide>(t + 3) << 64 | 12345;
  Wide sum = a + b, product = a * b, quotient = a / (t + 7), remainder = a % (t + 7),
       shifted = (a << (t % 64)) ^ (b >> (t % 32));
  const Wide results[5] = {sum, product, quotient, remainder, shifted};
  for (int i = 0; i < 5; ++i) {
    out[t * 10 + 2 * i] = static_cast<unsigned long long>(results[i]);
    out[t * 10 + 2 * i + 1] = static_cast<unsigned long long>(results[i] >> 64);
  }
}

__global__ void intrinsics(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];
  unsigned* o = out + 12 * i;
  o[0] = __popc(a) + 100 * __clz(a) + 10000 * __ffs(a);
  o[1] = __brev(a) ^ __byte_perm(a, b, 0x3614);
  o[2] = __umulhi(a, b) + __mulhi(static_cast<int>(a), static_cast<int>(b));
  o[3] = __funnelshift_l(a, b, c) + __funnelshift_rc(a, b, c & 63);
  o[4] = __dp4a(a, b, c);
  o[5] = static_cast<unsigned>(__dp4a(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
  o[6] = __usad(a, b, c) + __uhadd(a, b);
  o[7] = __vadd4(a, b) ^ __vmaxs2(a, c);
  o[8] = __vabsdiffu4(a, b) + __vcmpgtu2(a, b);
  o[9] = __popcll(static_cast<unsigned long long>(a) << 32 | b) +
         1000 * __clzll(static_cast<unsigned long long>(a) << 7);
  o[10] = static_cast<unsigned>(
      __umul64hi(static_cast<unsigned long long>(a) << 32 | b, static_cast<unsigned long long>(c) << 20 | a));
  o[11] = __mul24(static_cast<int>(a), static_cast<int>(b)) + __umul24(a, c) +
          __rhadd(static_cast<int>(a), static_cast<int>(b));
}

int main() {
  constexpr int width = 96, height = 48;
  int* steps = device_array<int>(width * height);
  julia<<<dim3(width / 32, height), 32>>>(steps, width, height);
  finish("julia");
  std::vector<int> got(width * height);
  to_host(got.data(), steps, got.size());
  int wrong = 0;
  long long total = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double zr = (x - width / 2) / 32.0, zi = (y - height / 2) / 32.0;
      int step = 0;
      for (; step < 60; ++step) {
        double re = zr * zr, im = zi * zi;
        if (re + im > 4) break;
        zi = 2 * zr * zi + 0.125;
        zr = re - im + -0.75;
      }
      wrong += step != got[y * width + x];
      total += step;
    }
  printf("julia wrong %d, steps %lld\n", wrong, total);

  auto* roots = device_array<cuda::std::complex<double>>(8);
  polynomial_roots<<<1, 1>>>(roots, 5);
  finish("roots");
  double values[10];
  to_host(reinterpret_cast<cuda::std::complex<double>*>(values), roots, 5);
  double worst = 0, sum = 0;
  for (int i = 0; i < 5; ++i) {
    double re = values[2 * i], im = values[2 * i + 1], pr = 1, pi = 0;
    for (int j = 0; j < 5; ++j) {
      double next = pr * re - pi * im;
      pi = pr * im + pi * re;
      pr = next;
    }
    worst = std::max(worst, std::abs(pr - 1) + std::abs(pi));
    sum += re;
  }
  printf("roots of unity: %d, sum near 0 %d\n", worst < 1e-12, std::abs(sum) < 1e-12);

  auto* wide = device_array<unsigned long long>(320);
  wide_integers<<<1, 32>>>(wide);
  finish("wide");
  std::vector<unsigned long long> words(320);
  to_host(words.data(), wide, words.size());
  wrong = 0;
  for (unsigned t = 0; t < 32; ++t) {
    using Wide = unsigned __int128;
    Wide a = static_cast<Wide>(0x123456789abcdefull + t) << 37 | 0xfedcba987654321ull,
         b = static_cast<Wide>(t + 3) << 64 | 12345;
    const Wide results[5] = {a + b, a * b, a / (t + 7), a % (t + 7), (a << (t % 64)) ^ (b >> (t % 32))};
    for (int i = 0; i < 5; ++i)
      wrong += (static_cast<Wide>(words[t * 10 + 2 * i + 1]) << 64 | words[t * 10 + 2 * i]) != results[i];
  }
  printf("128 bits wrong %d\n", wrong);

  constexpr int n = 500;
  std::vector<unsigned> in(n), out(12 * n);
  unsigned state = 11, hash = 2166136261u;
  for (auto& value : in) {
    state = state * 1664525u + 1013904223u;
    value = state ^ state >> 13;
  }
  in[3] = 0;
  in[4] = 0xffffffffu;
  unsigned *din = device_array<unsigned>(n), *dout = device_array<unsigned>(12 * n);
  to_device(din, in.data(), n);
  intrinsics<<<(n + 63) / 64, 64>>>(din, dout, n);
  finish("intrinsics");
  to_host(out.data(), dout, out.size());
  for (unsigned value : out)
    hash = (hash ^ value) * 16777619u;
  wrong = 0;
  for (int i = 0; i < n; ++i) {
    unsigned a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];
    long long signed_product = static_cast<long long>(static_cast<int>(a)) * static_cast<int>(b);
    unsigned long long product = static_cast<unsigned long long>(a) * b;
    wrong += out[12 * i] != static_cast<unsigned>(__builtin_popcount(a) + 100 * (a ? __builtin_clz(a) : 32) +
                                                  10000 * __builtin_ffs(static_cast<int>(a)));
    wrong +=
        out[12 * i + 2] != static_cast<unsigned>(product >> 32) + static_cast<unsigned>(signed_product >> 32);
    unsigned dot = c;
    for (int byte = 0; byte < 32; byte += 8)
      dot += (a >> byte & 255) * (b >> byte & 255);
    wrong += out[12 * i + 4] != dot;
    wrong += out[12 * i + 6] != (a > b ? a - b : b - a) + c +
                                    static_cast<unsigned>((static_cast<unsigned long long>(a) + b) / 2);
  }
  printf("intrinsics wrong %d, hash %08x\n", wrong, hash);
}
