// Two streams that an event orders, asynchronous copies, a host function, a callback, priorities and elapsed
// time.
#include "check.h"

__global__ void fill(int* data, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;
}
__global__ void accumulate(int* data, const int* other, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += other[i] * 2;
}

int main() {
  constexpr int n = 4096;
  int* host = nullptr;
  check(cudaMallocHost(reinterpret_cast<void**>(&host), n * sizeof(int)), "cudaMallocHost");
  int *a = device_array<int>(n), *b = device_array<int>(n);
  int least = 9, greatest = 9, priority = 9;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "priority range");
  cudaStream_t first, second;
  check(cudaStreamCreate(&first), "stream");
  check(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, greatest), "stream with priority");
  check(cudaStreamGetPriority(second, &priority), "priority");
  printf("priority is the greatest: %d, least is %d\n", priority == greatest, least);
  cudaEvent_t begin, filled, end;
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming), "event");
  check(cudaEventCreate(&end), "event");

  check(cudaEventRecord(begin, first), "record");
  fill<<<n / 256, 256, 0, first>>>(a, n, 20);
  check(cudaEventRecord(filled, first), "record");
  fill<<<n / 256, 256, 0, second>>>(b, n, 1);
  check(cudaStreamWaitEvent(second, filled, 0), "wait");
  accumulate<<<n / 256, 256, 0, second>>>(b, a, n);
  check(cudaMemcpyAsync(host, b, n * sizeof(int), cudaMemcpyDeviceToHost, second), "copy");
  check(cudaLaunchHostFunc(
            second, [](void* data) { printf("host function sees %d\n", static_cast<int*>(data)[7]); }, host),
        "host function");
  check(cudaStreamAddCallback(
            second,
            [](cudaStream_t, cudaError_t error, void*) { printf("callback: %s\n", cudaGetErrorName(error)); },
            nullptr, 0),
        "callback");
  check(cudaStreamSynchronize(second), "synchronize");
  check(cudaEventRecord(end, second), "record");
  check(cudaEventSynchronize(end), "synchronize event");
  float milliseconds = -1;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "elapsed");
  printf("sum %d, time passed: %d\n", host[n - 1], milliseconds > 0);
  printf("without timing: %s\n", cudaGetErrorName(cudaEventElapsedTime(&milliseconds, begin, filled)));
  (void)cudaGetLastError();
  fill<<<n / 256, 256, 0, cudaStreamPerThread>>>(a, n, 5);
  check(cudaStreamSynchronize(cudaStreamPerThread), "per-thread stream");
  printf("queries: %s %s\n", cudaGetErrorName(cudaStreamQuery(first)), cudaGetErrorName(cudaEventQuery(end)));
  check(cudaStreamDestroy(first), "destroy");
  check(cudaEventDestroy(begin), "destroy event");
}
