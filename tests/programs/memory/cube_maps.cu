// Cube maps and layered cube maps: every direction reads the face and texel that the programming guide's table
// names, with and without filtering; faces are also written as layers of a surface.
#include <cmath>
#include <cstdio>
#include <vector>

#include "check.h"

constexpr int kSize = 8, kCubes = 3, kDirections = 240;

__device__ float3 direction_of(int i) {
  // No two coordinates have the same magnitude.
  return make_float3((i % 7 - 3) * 0.31f + 0.05f, (i / 7 % 5 - 2) * 0.43f + 0.08f, (i / 35 % 7 - 3) * 0.37f + 0.12f);
}

__global__ void fetch_cube(cudaTextureObject_t cube, float* out, float3* directions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kDirections) return;
  const float3 d = directions[i] = direction_of(i);
  out[i] = texCubemap<float>(cube, d.x, d.y, d.z);
}

__global__ void fetch_layers(cudaTextureObject_t cubes, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kDirections) return;
  const float3 d = direction_of(i);
  out[i] = texCubemapLayered<float>(cubes, d.x, d.y, d.z, i % kCubes);
}

__global__ void write_faces(cudaSurfaceObject_t cube) {
  surfCubemapwrite(float(1000 + threadIdx.z * 100 + threadIdx.y * 10 + threadIdx.x), cube, threadIdx.x * 4, threadIdx.y,
                   threadIdx.z);
}

float texel(int layer, int x, int y) { return float(layer * 100 + y * 10 + x); }

struct Place {
  int face;
  float s, t;
};

// The table of the CUDA C++ Programming Guide, "Cubemap Textures".
Place table(float3 d) {
  const float x = std::fabs(d.x), y = std::fabs(d.y), z = std::fabs(d.z);
  if (x > y && x > z) return d.x >= 0 ? Place{0, (-d.z / x + 1) / 2, (-d.y / x + 1) / 2} : Place{1, (d.z / x + 1) / 2, (-d.y / x + 1) / 2};
  if (y > z) return d.y >= 0 ? Place{2, (d.x / y + 1) / 2, (d.z / y + 1) / 2} : Place{3, (d.x / y + 1) / 2, (-d.z / y + 1) / 2};
  return d.z >= 0 ? Place{4, (d.x / z + 1) / 2, (-d.y / z + 1) / 2} : Place{5, (-d.x / z + 1) / 2, (-d.y / z + 1) / 2};
}

float expected(Place p, int cube, bool filtered) {
  const auto at = [&](int x, int y) {
    x = std::min(kSize - 1, std::max(0, x)), y = std::min(kSize - 1, std::max(0, y));
    return texel(cube * 6 + p.face, x, y);
  };
  const float x = p.s * kSize, y = p.t * kSize;
  if (!filtered) return at(int(std::floor(x)), int(std::floor(y)));
  const float fx = x - 0.5f - std::floor(x - 0.5f), fy = y - 0.5f - std::floor(y - 0.5f);
  const int x0 = int(std::floor(x - 0.5f)), y0 = int(std::floor(y - 0.5f));
  return (1 - fx) * (1 - fy) * at(x0, y0) + fx * (1 - fy) * at(x0 + 1, y0) + (1 - fx) * fy * at(x0, y0 + 1) +
         fx * fy * at(x0 + 1, y0 + 1);
}

cudaArray_t array_of(int faces, unsigned flags) {
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  check(cudaMalloc3DArray(&array, &format, make_cudaExtent(kSize, kSize, faces), flags), "cudaMalloc3DArray");
  std::vector<float> texels;
  for (int face = 0; face < faces; ++face)
    for (int i = 0; i < kSize * kSize; ++i) texels.push_back(texel(face, i % kSize, i / kSize));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), kSize * sizeof(float), kSize, kSize);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(kSize, kSize, faces);
  copy.kind = cudaMemcpyHostToDevice;
  check(cudaMemcpy3D(&copy), "cudaMemcpy3D");
  return array;
}

cudaTextureObject_t texture_of(cudaArray_t array, bool filtered) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  for (auto& mode : description.addressMode) mode = cudaAddressModeClamp;
  description.filterMode = filtered ? cudaFilterModeLinear : cudaFilterModePoint;
  description.normalizedCoords = 1;
  cudaTextureObject_t texture;
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr), "cudaCreateTextureObject");
  return texture;
}

int main() {
  float* out;
  float3* directions;
  check(cudaMalloc(&out, kDirections * sizeof(float)), "cudaMalloc");
  check(cudaMalloc(&directions, kDirections * sizeof(float3)), "cudaMalloc");
  std::vector<float> got(kDirections);
  std::vector<float3> asked(kDirections);
  const cudaArray_t cube = array_of(6, cudaArrayCubemap | cudaArraySurfaceLoadStore);
  const cudaArray_t cubes = array_of(6 * kCubes, cudaArrayCubemap | cudaArrayLayered);
  for (const bool filtered : {false, true}) {
    for (const bool layered : {false, true}) {
      const cudaTextureObject_t texture = texture_of(layered ? cubes : cube, filtered);
      fetch_cube<<<2, 128>>>(texture_of(cube, false), out, directions);
      if (layered)
        fetch_layers<<<2, 128>>>(texture, out);
      else
        fetch_cube<<<2, 128>>>(texture, out, directions);
      check(cudaMemcpy(got.data(), out, kDirections * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
      check(cudaMemcpy(asked.data(), directions, kDirections * sizeof(float3), cudaMemcpyDeviceToHost), "cudaMemcpy");
      int wrong = 0, faces = 0;
      for (int i = 0; i < kDirections; ++i) {
        const Place p = table(asked[i]);
        faces |= 1 << p.face;
        wrong += std::fabs(got[i] - expected(p, layered ? i % kCubes : 0, filtered)) > (filtered ? 0.1f : 0);
      }
      std::printf("%s%s: %d of %d directions wrong, faces %#x\n", layered ? "layered " : "", filtered ? "filtered" : "nearest",
                  wrong, kDirections, faces);
    }
  }
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = cube;
  cudaSurfaceObject_t surface;
  check(cudaCreateSurfaceObject(&surface, &resource), "cudaCreateSurfaceObject");
  write_faces<<<1, dim3(kSize, kSize, 6)>>>(surface);
  fetch_cube<<<2, 128>>>(texture_of(cube, false), out, directions);
  check(cudaMemcpy(got.data(), out, kDirections * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
  int wrong = 0;
  for (int i = 0; i < kDirections; ++i) wrong += got[i] != 1000 + expected(table(asked[i]), 0, false);
  std::printf("written faces: %d wrong\n", wrong);
  cudaArray_t bad;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  std::printf("not square: %s, five faces: %s\n",
              cudaGetErrorName(cudaMalloc3DArray(&bad, &format, make_cudaExtent(8, 4, 6), cudaArrayCubemap)),
              cudaGetErrorName(cudaMalloc3DArray(&bad, &format, make_cudaExtent(8, 8, 5), cudaArrayCubemap)));
}
