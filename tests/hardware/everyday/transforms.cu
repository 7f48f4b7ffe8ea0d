// Fourier and related transforms, fractals, polynomials.
#include "everyday.h"

constexpr float kPi = 3.14159265358979f;

// 256 points per block, radix 2, in shared memory; the input is in bit-reversed order.
__global__ void fft_radix2(float2* data) {
  __shared__ float2 s[256];
  const int t = threadIdx.x;
  float2* mine = data + blockIdx.x * 256;
  s[__brev(t) >> 24] = mine[t];
  s[__brev(t + 128) >> 24] = mine[t + 128];
  __syncthreads();
  for (int half = 1; half < 256; half *= 2) {
    const int k = t & (half - 1), at = ((t - k) << 1) + k;
    float sine, cosine;
    __sincosf(-kPi * k / half, &sine, &cosine);
    const float2 a = s[at], b = s[at + half];
    const float2 c = {b.x * cosine - b.y * sine, b.x * sine + b.y * cosine};
    s[at] = {a.x + c.x, a.y + c.y};
    s[at + half] = {a.x - c.x, a.y - c.y};
    __syncthreads();
  }
  mine[t] = s[t];
  mine[t + 128] = s[t + 128];
}

// One stage over global memory.
__global__ void fft_radix4_stage(const float2* in, float2* out, int points, int group) {
  const int i = global_index(), quarter = points / 4;
  if (i >= quarter) return;
  const int k = i % group;
  float2 v[4];
  for (int j = 0; j < 4; ++j) {
    const float angle = -2.0f * kPi * j * k / (4 * group);
    const float2 x = in[i + j * quarter];
    const float c = cosf(angle), s = sinf(angle);
    v[j] = {x.x * c - x.y * s, x.x * s + x.y * c};
  }
  const float2 a = {v[0].x + v[2].x, v[0].y + v[2].y}, b = {v[0].x - v[2].x, v[0].y - v[2].y};
  const float2 c = {v[1].x + v[3].x, v[1].y + v[3].y}, d = {v[1].y - v[3].y, v[3].x - v[1].x};
  const int to = (i / group) * group * 4 + k;
  out[to] = {a.x + c.x, a.y + c.y};
  out[to + group] = {b.x + d.x, b.y + d.y};
  out[to + 2 * group] = {a.x - c.x, a.y - c.y};
  out[to + 3 * group] = {b.x - d.x, b.y - d.y};
}

template <int points>
__global__ void fft_in_registers(float2* data) {
  float2 v[points];
  float2* mine = data + global_index() * points;
#pragma unroll
  for (int i = 0; i < points; ++i)
    v[i] = mine[i];
#pragma unroll
  for (int half = points / 2; half >= 1; half /= 2)
#pragma unroll
    for (int i = 0; i < points; ++i)
      if ((i & half) == 0) {
        const float2 a = v[i], b = v[i + half];
        const float angle = -kPi * (i & (half - 1)) / half;
        const float2 d = {a.x - b.x, a.y - b.y};
        v[i] = {a.x + b.x, a.y + b.y};
        v[i + half] = {d.x * cosf(angle) - d.y * sinf(angle), d.x * sinf(angle) + d.y * cosf(angle)};
      }
#pragma unroll
  for (int i = 0; i < points; ++i)
    mine[i] = v[i];
}

__global__ void dft_direct(const float* in, float2* out, int count) {
  const int k = global_index();
  if (k >= count) return;
  float re = 0, im = 0;
  for (int n = 0; n < count; ++n) {
    float s, c;
    sincosf(-2.0f * kPi * ((k * n) % count) / count, &s, &c);
    re += in[n] * c;
    im += in[n] * s;
  }
  out[k] = {re, im};
}

__global__ void walsh_hadamard(float* data) {
  extern __shared__ float s[];
  const int n = 2 * blockDim.x;
  float* mine = data + blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    s[i] = mine[i];
  int stride = 1;
  for (; stride <= n / 8; stride <<= 2) {
    __syncthreads();
    const int lo = threadIdx.x & (stride - 1);
    if (threadIdx.x < n / 4) {
      const int i0 = ((threadIdx.x - lo) << 2) + lo, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
      float d0 = s[i0], d1 = s[i1], d2 = s[i2], d3 = s[i3], t;
      t = d0; d0 = d0 + d2; d2 = t - d2;
      t = d1; d1 = d1 + d3; d3 = t - d3;
      t = d0; s[i0] = d0 + d1; s[i1] = t - d1;
      t = d2; s[i2] = d2 + d3; s[i3] = t - d3;
    }
  }
  for (; stride < n; stride *= 2) {
    __syncthreads();
    const int lo = threadIdx.x & (stride - 1), i = 2 * (threadIdx.x - lo) + lo;
    const float a = s[i], b = s[i + stride];
    s[i] = a + b;
    s[i + stride] = a - b;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    mine[i] = s[i];
}

__global__ void hadamard_shuffles(float* data) {
  float v = data[global_index()];
#pragma unroll
  for (int bit = 1; bit < 32; bit *= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, v, bit);
    v = (threadIdx.x & bit) ? other - v : v + other;
  }
  data[global_index()] = v * 0.17677669f;
}

// Blocks of eight by eight, one row per thread, then one column.
__global__ void dct_8x8(const float* in, float* out, int pitch) {
  __shared__ float tile[8][9 * 8];
  const int x = threadIdx.x, y = threadIdx.y;
  const int left = blockIdx.x * 64, top = blockIdx.y * 8;
  tile[y][x] = in[(top + y) * pitch + left + x];
  __syncthreads();
  float sum = 0;
  const int block = x & ~7, u = x & 7;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    sum += tile[y][block + k] * __cosf((2 * k + 1) * u * kPi / 16);
  __syncthreads();
  tile[y][x] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    sum += tile[k][x] * __cosf((2 * k + 1) * y * kPi / 16);
  out[(top + y) * pitch + left + x] = sum * 0.25f;
}

__global__ void mandelbrot(unsigned char* out, int width, int height, int limit) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  const float cx = -2.2f + 3.2f * px / width, cy = -1.2f + 2.4f * py / height;
  float x = 0, y = 0;
  int i = 0;
  while (x * x + y * y < 4.0f && i < limit) {
    const float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    ++i;
  }
  out[py * width + px] = i;
}

struct Complex {
  double re, im;
  __device__ Complex operator*(Complex o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  __device__ Complex operator+(Complex o) const { return {re + o.re, im + o.im}; }
  __device__ double norm() const { return re * re + im * im; }
};

__device__ int julia_steps(int x, int y, int size) {
  Complex z{1.5 * (size / 2 - x) / (size / 2), 1.5 * (size / 2 - y) / (size / 2)};
  const Complex c{-0.8, 0.156};
  for (int i = 0; i < 60; ++i) {
    z = z * z + c;
    if (z.norm() > 1000) return i;
  }
  return 0;
}

__global__ void julia(uchar4* out, int size) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= size) return;
  const int steps = julia_steps(x, y, size);
  out[y * size + x] = make_uchar4(4 * steps, 0, 0, 255);
}

template <typename T, int degree>
__global__ void horner(const T* in, T* out, int count) {
  for (int i = global_index(); i < count; i += gridDim.x * blockDim.x) {
    const T x = in[i];
    T sum = T(1);
#pragma unroll
    for (int k = degree; k > 0; --k)
      sum = sum * x / T(k) + T(1);
    out[i] = sum;
  }
}

__global__ void transcendental(const float* in, float* out, int count) {
  const int i = global_index();
  if (i >= count) return;
  const float x = in[i];
  out[i] = tanhf(x) + powf(fabsf(x) + 0.5f, 1.7f) + erff(x) - log1pf(x * x) + atan2f(x, 2.0f) + rsqrtf(1 + x * x);
}

__global__ void transcendental_double(const double* in, double* out, int count) {
  const int i = global_index();
  if (i >= count) return;
  const double x = in[i];
  out[i] = exp(x) * sin(x) + log(2 + x) / sqrt(1 + x * x);
}

int main() {
  float* reals = random_reals(1 << 15);
  float* out = device_array<float>(1 << 16);
  float2* points = reinterpret_cast<float2*>(reals);
  float2* pairs_out = reinterpret_cast<float2*>(out);
  fft_radix2<<<32, 128>>>(points);
  fft_radix4_stage<<<8, 128>>>(points, pairs_out, 4096, 16);
  fft_in_registers<8><<<8, 64>>>(points);
  fft_in_registers<4><<<16, 128>>>(points);
  dft_direct<<<2, 128>>>(reals, pairs_out, 200);
  walsh_hadamard<<<16, 256, 512 * sizeof(float)>>>(random_reals(16 * 512));
  hadamard_shuffles<<<32, 256>>>(random_reals(8192));
  dct_8x8<<<dim3(2, 16), dim3(64, 8)>>>(random_reals(128 * 128), out, 128);
  mandelbrot<<<dim3(8, 12), dim3(16, 8)>>>(reinterpret_cast<unsigned char*>(out), 120, 90, 100);
  julia<<<dim3(2, 60), 64>>>(reinterpret_cast<uchar4*>(out), 100);
  horner<float, 6><<<8, 128>>>(random_reals(4000), out, 4000);
  horner<double, 5><<<8, 128>>>(random_reals<double>(2000), reinterpret_cast<double*>(out), 2000);
  transcendental<<<16, 128>>>(random_reals(2000), out, 2000);
  transcendental_double<<<16, 128>>>(random_reals<double>(2000), reinterpret_cast<double*>(out), 2000);
  finish();
}
