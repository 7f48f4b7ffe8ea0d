// cudaMemcpyToArray and cudaMemcpyFromArray go on from row to row. A texture object that is destroyed behind an
// asynchronous launch lives until the kernel has ended.
#include "check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma nv_diag_suppress 1444

__global__ void read_all(cudaTextureObject_t texture, int* out, int width, int height, int delay) {
  const int x = threadIdx.x, y = threadIdx.y;
  for (int i = 0; i < delay; ++i)
    __nanosleep(1000);
  if (x < width && y < height) out[y * width + x] = tex2D<int>(texture, x + 0.5f, y + 0.5f);
}

int main() {
  constexpr int width = 12, height = 5, count = width * height;
  int host[count], back[count];
  for (int i = 0; i < count; ++i)
    host[i] = i * 3 + 1;
  const cudaChannelFormatDesc description = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  check(cudaMallocArray(&array, &description, width, height), "array");
  check(cudaMemcpyToArray(array, 0, 0, host, sizeof host, cudaMemcpyHostToDevice), "to array");
  check(cudaMemcpyFromArray(back, array, 0, 0, sizeof back, cudaMemcpyDeviceToHost), "from array");
  int wrong = 0;
  for (int i = 0; i < count; ++i)
    wrong += back[i] != host[i];
  printf("%d of %d elements are wrong\n", wrong, count);

  // From the middle of a row to the middle of another one.
  check(cudaMemcpyFromArray(back, array, 5 * sizeof(int), 1, 30 * sizeof(int), cudaMemcpyDeviceToHost), "part");
  printf("part: %d %d %d\n", back[0], back[7], back[29]);
  back[0] = -1, back[9] = -2;
  check(cudaMemcpyToArray(array, 8 * sizeof(int), 2, back, 10 * sizeof(int), cudaMemcpyHostToDevice), "part back");

  int* out = device_array<int>(count);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc sampling{};
  sampling.readMode = cudaReadModeElementType;
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  cudaTextureObject_t texture;
  check(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr), "texture");
  read_all<<<1, dim3(16, 8), 0, stream>>>(texture, out, width, height, 20);
  check(cudaDestroyTextureObject(texture), "destroy");
  check(cudaStreamSynchronize(stream), "read_all");
  to_host(back, out, count);
  printf("array: %d %d %d %d\n", back[2 * width + 7], back[2 * width + 8], back[3 * width + 5], back[count - 1]);
}
