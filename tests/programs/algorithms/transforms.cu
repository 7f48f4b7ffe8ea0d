// Fourier transforms: exact, in integers modulo a prime, and in single precision with sine tables; each there
// and back.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.h"

constexpr int kSize = 512, kLog = 9;
constexpr unsigned kPrime = 998244353, kGenerator = 3;

__host__ __device__ unsigned multiply(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b % kPrime);
}
__host__ __device__ unsigned power(unsigned base, unsigned exponent) {
  unsigned result = 1;
  for (; exponent > 0; exponent /= 2, base = multiply(base, base))
    if (exponent & 1) result = multiply(result, base);
  return result;
}

__global__ void transform_modular(const unsigned* in, unsigned* out, bool inverse) {
  __shared__ unsigned data[kSize];
  int t = threadIdx.x;
  for (int i = t; i < kSize; i += blockDim.x)
    data[__brev(i) >> (32 - kLog)] = in[i];
  for (int half = 1; half < kSize; half *= 2) {
    __syncthreads();
    unsigned step = power(kGenerator, (kPrime - 1) / (2 * half));
    if (inverse) step = power(step, kPrime - 2);
    int low = t / half * 2 * half + t % half;
    unsigned turned = multiply(data[low + half], power(step, t % half)), kept = data[low];
    data[low] = kept + turned >= kPrime ? kept + turned - kPrime : kept + turned;
    data[low + half] = kept >= turned ? kept - turned : kept + kPrime - turned;
  }
  __syncthreads();
  unsigned scale = inverse ? power(kSize, kPrime - 2) : 1;
  for (int i = t; i < kSize; i += blockDim.x)
    out[i] = multiply(data[i], scale);
}

__global__ void transform_float(const float2* in, float2* out, float direction) {
  __shared__ float2 data[kSize];
  int t = threadIdx.x;
  for (int i = t; i < kSize; i += blockDim.x)
    data[__brev(i) >> (32 - kLog)] = in[i];
  for (int half = 1; half < kSize; half *= 2) {
    __syncthreads();
    float s, c;
    sincospif(direction * static_cast<float>(t % half) / static_cast<float>(half), &s, &c);
    int low = t / half * 2 * half + t % half;
    float2 a = data[low], b = data[low + half];
    float2 turned{b.x * c - b.y * s, b.x * s + b.y * c};
    data[low] = {a.x + turned.x, a.y + turned.y};
    data[low + half] = {a.x - turned.x, a.y - turned.y};
  }
  __syncthreads();
  for (int i = t; i < kSize; i += blockDim.x)
    out[i] = data[i];
}

int main() {
  std::vector<unsigned> in(kSize), spectrum(kSize), back(kSize);
  for (int i = 0; i < kSize; ++i)
    in[i] = static_cast<unsigned>(i * i * 31) % kPrime;
  unsigned *a = device_array<unsigned>(kSize), *b = device_array<unsigned>(kSize);
  to_device(a, in.data(), kSize);
  transform_modular<<<1, kSize / 2>>>(a, b, false);
  finish("forward");
  to_host(spectrum.data(), b, kSize);
  transform_modular<<<1, kSize / 2>>>(b, a, true);
  finish("back");
  to_host(back.data(), a, kSize);
  unsigned root = power(kGenerator, (kPrime - 1) / kSize);
  int wrong = 0;
  for (int k = 0; k < kSize; k += 37) {
    unsigned sum = 0;
    for (int i = 0; i < kSize; ++i)
      sum = (sum + multiply(in[i], power(root, static_cast<unsigned>(i * k % kSize)))) % kPrime;
    wrong += sum != spectrum[k];
  }
  printf("modular: wrong %d, there and back %d, first %u\n", wrong, back == in, spectrum[1]);

  std::vector<float2> signal(kSize), frequencies(kSize), returned(kSize);
  for (int i = 0; i < kSize; ++i)
    signal[i] = {static_cast<float>(std::cos(2 * 3.14159265358979 * 5 * i / kSize)),
                 i % 7 == 0 ? 0.25f : 0.0f};
  float2 *fa = device_array<float2>(kSize), *fb = device_array<float2>(kSize);
  to_device(fa, signal.data(), kSize);
  transform_float<<<1, kSize / 2>>>(fa, fb, -1);
  finish("forward");
  to_host(frequencies.data(), fb, kSize);
  transform_float<<<1, kSize / 2>>>(fb, fa, 1);
  finish("back");
  to_host(returned.data(), fa, kSize);
  double worst = 0;
  for (int i = 0; i < kSize; ++i)
    worst = std::max({worst, std::fabs(returned[i].x / kSize - signal[i].x) + 0.0,
                      std::fabs(returned[i].y / kSize - signal[i].y) + 0.0});
  printf("float: peak near %d, there and back within 1e-5 %d\n",
         static_cast<int>(std::lround(frequencies[5].x)), worst < 1e-5);
}
