// Pitched memory: copies and fills of boxes, and the codes for pitches and ranges that are wrong.
#include <vector>

#include "check.h"

__global__ void add_column_number(char* data, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width && y < height) reinterpret_cast<int*>(data + y * pitch)[x] += x;
}

int main() {
  constexpr int width = 37, height = 11;
  std::vector<int> host(width * height), back(width * height, -1);
  for (int i = 0; i < width * height; ++i)
    host[i] = i * 10;
  char* device = nullptr;
  size_t pitch = 0;
  check(cudaMallocPitch(&device, &pitch, width * sizeof(int), height), "cudaMallocPitch");
  printf("pitch holds the row: %d, aligned: %d\n", pitch >= width * sizeof(int), pitch % 256 == 0);
  check(cudaMemcpy2D(device, pitch, host.data(), width * sizeof(int), width * sizeof(int), height,
                     cudaMemcpyHostToDevice),
        "to device");
  add_column_number<<<dim3(2, height), 32>>>(device, pitch, width, height);
  finish("add_column_number");
  check(cudaMemcpy2D(back.data(), width * sizeof(int), device, pitch, width * sizeof(int), height,
                     cudaMemcpyDeviceToHost),
        "to host");
  int wrong = 0;
  for (int i = 0; i < width * height; ++i)
    wrong += back[i] != i * 10 + i % width;
  printf("wrong %d\n", wrong);

  // A box inside: 5 columns, 3 rows, from (2, 4).
  check(cudaMemset2D(device + 4 * pitch + 2 * sizeof(int), pitch, 0xff, 5 * sizeof(int), 3), "fill");
  check(cudaMemcpy2D(back.data(), width * sizeof(int), device, pitch, width * sizeof(int), height,
                     cudaMemcpyDeviceToHost),
        "to host");
  int filled = 0;
  for (int value : back)
    filled += value == -1;
  printf("filled %d, corner %d %d\n", filled, back[4 * width + 2], back[3 * width + 2]);

  cudaPitchedPtr volume;
  check(cudaMalloc3D(&volume, make_cudaExtent(6 * sizeof(int), 5, 4)), "cudaMalloc3D");
  std::vector<int> cube(6 * 5 * 4), cube_back(6 * 5 * 4);
  for (size_t i = 0; i < cube.size(); ++i)
    cube[i] = static_cast<int>(i);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(cube.data(), 6 * sizeof(int), 6, 5);
  copy.dstPtr = volume;
  copy.extent = make_cudaExtent(6 * sizeof(int), 5, 4);
  copy.kind = cudaMemcpyHostToDevice;
  check(cudaMemcpy3D(&copy), "3D to device");
  std::swap(copy.srcPtr, copy.dstPtr);
  copy.dstPtr.ptr = cube_back.data();
  copy.kind = cudaMemcpyDeviceToHost;
  check(cudaMemcpy3D(&copy), "3D to host");
  printf("volume equal %d\n", cube == cube_back);

  printf("%s\n", cudaGetErrorName(cudaMemcpy2D(device, 16, host.data(), 16, 32, 2, cudaMemcpyHostToDevice)));
  printf("%s\n", cudaGetErrorName(cudaMemcpy2D(device, pitch, host.data(), width * sizeof(int),
                                               width * sizeof(int), height + 1, cudaMemcpyHostToDevice)));
  printf("%s\n", cudaGetErrorName(cudaMemcpy(device, host.data(), 4, static_cast<cudaMemcpyKind>(77))));
}
