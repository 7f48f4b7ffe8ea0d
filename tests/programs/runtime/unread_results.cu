// Padding of rows is added and never read; other modes read it (tests/harness/cli/exec_results_test.cpp).
#include <cstdio>

constexpr int kRows = 4, kColumns = 30, kPitch = 32, kElements = kRows * kPitch;

__global__ void add(const float* a, const float* b, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}

// By way of shared memory.
__global__ void add_in_tiles(const float* a, const float* b, float* c) {
  __shared__ float tile[kPitch];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = a[i] + b[i];
  __syncthreads();
  c[i] = tile[kPitch - 1 - threadIdx.x];
}

__global__ void scale(float* c) {
  c[threadIdx.x] *= 2;
}

__global__ void copy(const float* c, float* out) {
  out[threadIdx.x] = c[threadIdx.x];
}

__global__ void count(const float* c, float* out) {
  if (c[threadIdx.x] > 1) out[threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  const char mode = argc > 1 ? argv[1][0] : 'p';
  constexpr size_t kRowBytes = kColumns * sizeof(float), kPitchBytes = kPitch * sizeof(float);
  float host[kElements] = {}, *a, *b, *c, *d;
  for (int i = 0; i < kRows * kColumns; ++i)
    host[i] = static_cast<float>(i);
  cudaMalloc(&a, kElements * sizeof(float));
  cudaMalloc(&b, kElements * sizeof(float));
  cudaMalloc(&c, kElements * sizeof(float));
  cudaMalloc(&d, kElements * sizeof(float));
  cudaMemcpy2D(a, kPitchBytes, host, kRowBytes, kRowBytes, kRows, cudaMemcpyHostToDevice);
  cudaMemcpy2D(b, kPitchBytes, host, kRowBytes, kRowBytes, kRows, cudaMemcpyHostToDevice);
  if (mode != 'r') cudaMemset(d, 0, kElements * sizeof(float));
  if (mode == 's')  // tiles, and only what was read from them
    add_in_tiles<<<kRows, kPitch>>>(a, b, c);
  else
    add<<<kRows, kPitch>>>(a, b, c);
  if (mode == 'c' || mode == 'p') scale<<<1, kElements>>>(c);
  if (mode == 'u') count<<<1, kElements>>>(c, d);
  if (mode == 'k') copy<<<1, kElements>>>(c, d);
  if (mode == 'd') cudaMemcpy(d, c, kElements * sizeof(float), cudaMemcpyDeviceToDevice);
  if (mode == 'r')  // without the padding, whose place in `d` nobody writes
    cudaMemcpy2D(d, kPitchBytes, c, kPitchBytes, kRowBytes, kRows, cudaMemcpyDeviceToDevice);
  if (mode == 'o') cudaMemset(c, 0, kElements * sizeof(float));  // overwritten: nothing is left of it
  const bool reads_padding = mode != 'p' && mode != 's';
  const float* from = mode == 'k' || mode == 'd' || mode == 'r' ? d : c;
  const int columns = reads_padding ? kPitch : kColumns;
  const int first = mode == 's' ? kPitch - kColumns : 0;
  const cudaError_t error =
      cudaMemcpy2D(host, kPitchBytes, from + first, kPitchBytes, columns * sizeof(float), kRows, cudaMemcpyDeviceToHost);
  std::printf("%s %g %g\n", cudaGetErrorName(error), host[0], host[(kRows - 1) * kPitch + 29]);
}
