// Stencils, filters and pictures.
#include "everyday.h"

constexpr int kWidth = 192, kHeight = 96, kThreads = 256;
constexpr int kRadius = 4;

__constant__ float filter_weights[2 * kRadius + 1];

__global__ void stencil_1d(const int* in, int* out) {
  __shared__ int line[kThreads + 2 * kRadius];
  const int g = global_index() + kRadius, l = threadIdx.x + kRadius;
  line[l] = in[g];
  if (threadIdx.x < kRadius) {
    line[l - kRadius] = in[g - kRadius];
    line[l + kThreads] = in[g + kThreads];
  }
  __syncthreads();
  int sum = 0;
  for (int offset = -kRadius; offset <= kRadius; ++offset)
    sum += line[l + offset];
  out[g] = sum;
}

__global__ void jacobi_2d(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
    out[y * width + x] = 0.25f * (in[y * width + x - 1] + in[y * width + x + 1] +
                                  in[(y - 1) * width + x] + in[(y + 1) * width + x]);
}

__global__ void heat_3d(const float* in, float* out, int nx, int ny, int nz, float c0, float c1) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;
  float below = in[i + nx * j], here = in[i + nx * (j + ny)];
  for (int k = 1; k < nz - 1; ++k) {
    const int at = i + nx * (j + ny * k);
    const float above = in[at + nx * ny];
    out[at] = c1 * (above + below + in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx]) - c0 * here;
    below = here;
    here = above;
  }
}

// Several time steps on a tile in shared memory; the halo shrinks by one cell per step.
__global__ void pyramid_2d(const float* temperature, const float* power, float* out, int steps) {
  __shared__ float tile[16][16], heat[16][16], next[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int inner = 16 - 2 * steps;
  const int x = blockIdx.x * inner + tx - steps, y = blockIdx.y * inner + ty - steps;
  const bool inside = x >= 0 && x < kWidth && y >= 0 && y < kHeight;
  if (inside) {
    tile[ty][tx] = temperature[y * kWidth + x];
    heat[ty][tx] = power[y * kWidth + x];
  }
  __syncthreads();
  const int first_x = x - tx < 0 ? -(x - tx) : 0, first_y = y - ty < 0 ? -(y - ty) : 0;
  const int last_x = min(15, kWidth - 1 - (x - tx)), last_y = min(15, kHeight - 1 - (y - ty));
  const int west = max(tx - 1, first_x), east = min(tx + 1, last_x);
  const int north = max(ty - 1, first_y), south = min(ty + 1, last_y);
  bool computed = false;
  for (int step = 0; step < steps; ++step) {
    computed = false;
    if (tx >= step + 1 && tx <= 14 - step && ty >= step + 1 && ty <= 14 - step && inside) {
      computed = true;
      next[ty][tx] = tile[ty][tx] + 0.1f * (heat[ty][tx] + (tile[south][tx] + tile[north][tx] - 2 * tile[ty][tx]) * 0.5f +
                                            (tile[ty][east] + tile[ty][west] - 2 * tile[ty][tx]) * 0.25f);
    }
    __syncthreads();
    if (step == steps - 1) break;
    if (computed) tile[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (computed) out[y * kWidth + x] = next[ty][tx];
}

__global__ void wave_1d(float* state, int count, int steps) {
  __shared__ float now[kThreads], before[kThreads];
  const int t = threadIdx.x;
  now[t] = t < count ? state[blockIdx.x * count + t] : 0;
  before[t] = now[t];
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    float value = now[t];
    if (t > 0 && t < count - 1) value = 2 * now[t] - before[t] + 0.2f * (now[t - 1] - 2 * now[t] + now[t + 1]);
    __syncthreads();
    before[t] = now[t];
    now[t] = value;
    __syncthreads();
  }
  if (t < count) state[blockIdx.x * count + t] = now[t];
}

__global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0)
        alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
  out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
}

__global__ void convolution_rows(const float* in, float* out, int pitch) {
  __shared__ float tile[4][16 * 6];
  const int base_x = (blockIdx.x * 4 - 1) * 16 + threadIdx.x, base_y = blockIdx.y * 4 + threadIdx.y;
  in += base_y * pitch + base_x;
  out += base_y * pitch + base_x;
#pragma unroll
  for (int i = 1; i < 5; ++i)
    tile[threadIdx.y][threadIdx.x + i * 16] = in[i * 16];
  tile[threadIdx.y][threadIdx.x] = base_x >= 0 ? in[0] : 0;
  tile[threadIdx.y][threadIdx.x + 80] = pitch - base_x > 80 ? in[80] : 0;
  __syncthreads();
#pragma unroll
  for (int i = 1; i < 5; ++i) {
    float sum = 0;
#pragma unroll
    for (int j = -kRadius; j <= kRadius; ++j)
      sum += filter_weights[kRadius - j] * tile[threadIdx.y][threadIdx.x + i * 16 + j];
    out[i * 16] = sum;
  }
}

__global__ void convolution_columns(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int k = -kRadius; k <= kRadius; ++k) {
    const int from = y + k;
    if (from >= 0 && from < height) sum += in[from * width + x] * filter_weights[k + kRadius];
  }
  out[y * width + x] = sum;
}

__global__ void bilateral(const float* in, float* out, int width, int height, int radius, float range) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float centre = in[y * width + x];
  float sum = 0, total = 0;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const int px = min(max(x + dx, 0), width - 1), py = min(max(y + dy, 0), height - 1);
      const float value = in[py * width + px], apart = value - centre;
      const float weight = expf(-(dx * dx + dy * dy) * 0.1f - apart * apart * range);
      sum += weight * value;
      total += weight;
    }
  out[y * width + x] = sum / total;
}

__global__ void median_3x3(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  unsigned char window[9];
  int n = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      window[n++] = in[(y + dy) * width + x + dx];
  for (int i = 0; i < 5; ++i)
    for (int j = i + 1; j < 9; ++j)
      if (window[j] < window[i]) {
        const unsigned char kept = window[i];
        window[i] = window[j];
        window[j] = kept;
      }
  out[y * width + x] = window[4];
}

__global__ void sobel(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x <= 0 || y <= 0 || x >= width - 1 || y >= height - 1) return;
  const unsigned char* at = in + y * width + x;
  const int gx = at[1 - width] + 2 * at[1] + at[1 + width] - at[-1 - width] - 2 * at[-1] - at[width - 1];
  const int gy = at[width - 1] + 2 * at[width] + at[width + 1] - at[-width - 1] - 2 * at[-width] - at[1 - width];
  out[y * width + x] = static_cast<unsigned char>(min(255, static_cast<int>(sqrtf(gx * gx + gy * gy))));
}

// Each thread writes four pixels of the picture of twice the size, two by two.
__global__ void upsample_nearest(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float value = in[y * width + x];
  for (int dy = 0; dy < 2; ++dy)
    for (int dx = 0; dx < 2; ++dx)
      out[(2 * y + dy) * 2 * width + 2 * x + dx] = value;
}

__global__ void upsample_bilinear(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= 2 * width || y >= 2 * height) return;
  const float fx = fmaxf((x + 0.5f) * 0.5f - 0.5f, 0.0f), fy = fmaxf((y + 0.5f) * 0.5f - 0.5f, 0.0f);
  const int x0 = static_cast<int>(fx), y0 = static_cast<int>(fy);
  const int x1 = x0 + (x0 < width - 1), y1 = y0 + (y0 < height - 1);
  const float ax = fx - x0, ay = fy - y0;
  out[y * 2 * width + x] = (1 - ay) * ((1 - ax) * in[y0 * width + x0] + ax * in[y0 * width + x1]) +
                           ay * ((1 - ax) * in[y1 * width + x0] + ax * in[y1 * width + x1]);
}

__global__ void downsample(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width / 2 || y >= height / 2) return;
  const float* at = in + 2 * y * width + 2 * x;
  out[y * (width / 2) + x] = 0.25f * (at[0] + at[1] + at[width] + at[width + 1]);
}

// 3-byte pixels: partial sectors everywhere.
__global__ void to_grey(const unsigned char* rgb, unsigned char* grey, int count) {
  const int i = global_index();
  if (i < count) grey[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}

__global__ void from_grey(const unsigned char* grey, unsigned char* rgb, int count) {
  const int i = global_index();
  if (i >= count) return;
  rgb[3 * i] = grey[i];
  rgb[3 * i + 1] = grey[i] / 2;
  rgb[3 * i + 2] = 255 - grey[i];
}

int main() {
  constexpr int count = kWidth * kHeight;
  const dim3 block(16, 16), grid(kWidth / 16, kHeight / 16), wide(32, 8), wide_grid(kWidth / 32, kHeight / 8);
  float* picture = random_reals(4 * count);
  float* out = device_array<float>(4 * count);
  unsigned char* bytes = random_integers<unsigned char>(3 * count, 256);
  unsigned char* bytes_out = device_array<unsigned char>(3 * count);
  float weights[2 * kRadius + 1];
  for (int k = 0; k <= 2 * kRadius; ++k)
    weights[k] = 0.1f * (1 + k % 3);
  require(cudaMemcpyToSymbol(filter_weights, weights, sizeof weights));
  stencil_1d<<<32, kThreads>>>(random_integers(8300, 100), reinterpret_cast<int*>(out));
  jacobi_2d<<<grid, block>>>(picture, out, kWidth, kHeight);
  heat_3d<<<dim3(2, 8), dim3(32, 4)>>>(picture, out, 64, 32, 20, 6.0f, 0.5f);
  pyramid_2d<<<dim3(kWidth / 12, kHeight / 12), block>>>(picture, picture + count, out, 2);
  wave_1d<<<8, kThreads>>>(random_reals(8 * 250), 250, 10);
  unsigned char* cells = random_integers<unsigned char>(count, 2);
  life<<<wide_grid, wide>>>(cells, bytes_out, kWidth, kHeight);
  convolution_rows<<<dim3(kWidth / 64, kHeight / 4), dim3(16, 4)>>>(picture, out, kWidth);
  convolution_columns<<<wide_grid, wide>>>(picture, out, kWidth, kHeight);
  bilateral<<<grid, block>>>(picture, out, kWidth, kHeight, 3, 2.0f);
  median_3x3<<<grid, block>>>(bytes, bytes_out, kWidth, kHeight);
  sobel<<<grid, block>>>(bytes, bytes_out, kWidth, kHeight);
  upsample_nearest<<<wide_grid, wide>>>(picture, out, kWidth, kHeight);
  upsample_bilinear<<<dim3(kWidth / 16, kHeight / 4), wide>>>(picture, out, kWidth, kHeight);
  downsample<<<dim3(kWidth / 32, kHeight / 32), block>>>(picture, out, kWidth, kHeight);
  to_grey<<<count / kThreads, kThreads>>>(bytes, bytes_out, count);
  from_grey<<<count / kThreads, kThreads>>>(cells, bytes_out, count);
  finish();
}
