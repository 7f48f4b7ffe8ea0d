// What the fat binary tests are made of: kernels that differ in registers, stack and shared memory.
__device__ int table[4] = {1, 2, 3, 4};

extern "C" __global__ void plain(float* data) {
  data[threadIdx.x] *= 2.0f;
}

extern "C" __global__ void with_shared(float* data) {
  __shared__ float tile[256];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[255 - threadIdx.x] + static_cast<float>(table[threadIdx.x % 4]);
}

extern "C" __global__ void with_stack(int* data, int n) {
  int copy[100];
  for (int i = 0; i < 100; ++i)
    copy[i] = data[i];
  data[0] = copy[n];
  if (n > 0) data[1] = copy[n - 1];
}
