// Stencils in one, two and three dimensions: a halo in shared memory, a tile with corners, and planes carried
// in registers. Integers times a power of two, so that sums are exact in any order.
#include <vector>

#include "check.h"

constexpr int kRadius = 3, kBlock = 128;

__global__ void stencil_1d(const int* in, int* out, int n) {
  __shared__ int tile[kBlock + 2 * kRadius];
  int i = blockIdx.x * kBlock + threadIdx.x, t = threadIdx.x + kRadius;
  const auto at = [&](int j) { return j >= 0 && j < n ? in[j] : 0; };
  tile[t] = at(i);
  if (threadIdx.x < kRadius) {
    tile[t - kRadius] = at(i - kRadius);
    tile[t + kBlock] = at(i + kBlock);
  }
  __syncthreads();
  int sum = 0;
#pragma unroll
  for (int offset = -kRadius; offset <= kRadius; ++offset)
    sum += (kRadius + 1 - abs(offset)) * tile[t + offset];
  if (i < n) out[i] = sum;
}

constexpr int kTile = 16;
__global__ void blur_2d(const float* in, float* out, int width, int height) {
  __shared__ float tile[kTile + 2][kTile + 2];
  int x0 = blockIdx.x * kTile, y0 = blockIdx.y * kTile;
  for (int i = threadIdx.y * kTile + threadIdx.x; i < (kTile + 2) * (kTile + 2); i += kTile * kTile) {
    int x = min(max(x0 + i % (kTile + 2) - 1, 0), width - 1),
        y = min(max(y0 + i / (kTile + 2) - 1, 0), height - 1);
    tile[i / (kTile + 2)][i % (kTile + 2)] = in[y * width + x];
  }
  __syncthreads();
  const float weights[3] = {1, 2, 1};
  float sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx)
      sum += weights[dy] * weights[dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
  int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = sum / 16;
}

__global__ void laplace_3d(const int* in, int* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const auto at = [&](int i, int j, int k) {
    bool inside = i >= 0 && i < nx && j >= 0 && j < ny && k >= 0 && k < nz;
    return inside ? in[(k * ny + j) * nx + i] : 0;
  };
  int below = 0, here = at(x, y, 0);
  for (int z = 0; z < nz; ++z) {
    int above = at(x, y, z + 1);
    out[(z * ny + y) * nx + x] =
        at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) + below + above - 6 * here;
    below = here;
    here = above;
  }
}

int main() {
  constexpr int n = 5000;
  std::vector<int> in(n), got(n);
  for (int i = 0; i < n; ++i)
    in[i] = (i * 37) % 101 - 50;
  int *a = device_array<int>(n), *b = device_array<int>(n);
  to_device(a, in.data(), n);
  stencil_1d<<<(n + kBlock - 1) / kBlock, kBlock>>>(a, b, n);
  finish("1d");
  to_host(got.data(), b, n);
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int o = -kRadius; o <= kRadius; ++o)
      if (i + o >= 0 && i + o < n) sum += (kRadius + 1 - std::abs(o)) * in[i + o];
    wrong += got[i] != sum;
  }
  printf("1-D: wrong %d, middle %d\n", wrong, got[n / 2]);

  constexpr int width = 75, height = 61;
  std::vector<float> image(width * height), blurred(width * height);
  for (int i = 0; i < width * height; ++i)
    image[i] = static_cast<float>((i * 131) % 256);
  float *fa = device_array<float>(image.size()), *fb = device_array<float>(image.size());
  to_device(fa, image.data(), image.size());
  blur_2d<<<dim3((width + kTile - 1) / kTile, (height + kTile - 1) / kTile), dim3(kTile, kTile)>>>(
      fa, fb, width, height);
  finish("2d");
  to_host(blurred.data(), fb, image.size());
  wrong = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float sum = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          int sx = std::min(std::max(x + dx, 0), width - 1), sy = std::min(std::max(y + dy, 0), height - 1);
          sum += static_cast<float>((2 - std::abs(dx)) * (2 - std::abs(dy))) * image[sy * width + sx];
        }
      wrong += blurred[y * width + x] != sum / 16;
    }
  printf("2-D: wrong %d, middle %g\n", wrong, blurred[height / 2 * width + width / 2]);

  constexpr int nx = 33, ny = 20, nz = 11;
  std::vector<int> volume(nx * ny * nz), curved(nx * ny * nz);
  for (size_t i = 0; i < volume.size(); ++i)
    volume[i] = static_cast<int>(i * i % 97);
  int *va = device_array<int>(volume.size()), *vb = device_array<int>(volume.size());
  to_device(va, volume.data(), volume.size());
  laplace_3d<<<dim3((nx + 15) / 16, (ny + 7) / 8), dim3(16, 8)>>>(va, vb, nx, ny, nz);
  finish("3d");
  to_host(curved.data(), vb, volume.size());
  const auto at = [&](int i, int j, int k) {
    bool inside = i >= 0 && i < nx && j >= 0 && j < ny && k >= 0 && k < nz;
    return inside ? volume[(k * ny + j) * nx + i] : 0;
  };
  wrong = 0;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        wrong += curved[(z * ny + y) * nx + x] != at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) +
                                                      at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1) -
                                                      6 * at(x, y, z);
  printf("3-D: wrong %d, middle %d\n", wrong, curved[curved.size() / 2]);
}
