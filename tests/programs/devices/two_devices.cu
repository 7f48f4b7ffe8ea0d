// Two devices (on the virtual GPU RIDGE_DEVICES=2, which this program asks for itself; elsewhere two GPUs
// with peer access): own memory and streams, peer copies, access to a peer's memory, kernels that wait for
// each other across devices.
#include <thread>

#include "check.h"

__global__ void fill(int* data, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value + i;
}
__global__ void sum_of(const int* data, int n, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, data[i]);
}
// Each side adds one in turn, on a counter in device 0's memory.
__global__ void take_turns(int* counter, int parity, int turns) {
  volatile int* seen = counter;
  for (int turn = 0; turn < turns; ++turn) {
    while (*seen % 2 != parity) {
    }
    __threadfence_system();
    atomicAdd_system(counter, 1);
  }
}

int main() {
  setenv("RIDGE_DEVICES", "2", 0);
  int count = 0, device = -1;
  check(cudaGetDeviceCount(&count), "count");
  if (count < 2) {
    printf("this program needs two devices\n");
    return 1;
  }
  constexpr int n = 1000;
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, 0, 1), "can access");
  printf("peer access is possible: %d\n", can);
  int* data[2];
  int* result[2];
  cudaStream_t streams[2];
  for (int own = 0; own < 2; ++own) {
    check(cudaSetDevice(own), "set device");
    data[own] = device_array<int>(n);
    result[own] = device_array<int>(1);
    check(cudaMemset(result[own], 0, sizeof(int)), "memset");
    check(cudaStreamCreate(&streams[own]), "stream");
    fill<<<4, 256, 0, streams[own]>>>(data[own], n, own * 10000);
    check(cudaGetLastError(), "launch");
  }
  std::thread([] {
    int own = -1;
    check(cudaGetDevice(&own), "get device");
    printf("another thread begins with device %d\n", own);
  }).join();
  check(cudaGetDevice(&device), "get device");
  printf("this one is at device %d\n", device);
  cudaPointerAttributes attributes;
  check(cudaPointerGetAttributes(&attributes, data[1]), "attributes");
  printf("data[1] is on device %d\n", attributes.device);

  // A stream belongs to its device, and so does what is launched into it, whichever device is current.
  fill<<<4, 256, 0, streams[0]>>>(data[0], n, 0);
  printf("launch into the other device's stream: %s\n", cudaGetErrorName(cudaGetLastError()));
  cudaEvent_t filled;
  check(cudaSetDevice(0), "set device");
  check(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming), "event");
  check(cudaEventRecord(filled, streams[0]), "record");
  check(cudaSetDevice(1), "set device");
  check(cudaStreamWaitEvent(streams[1], filled, 0), "wait across devices");
  check(cudaMemcpyPeerAsync(data[1], 1, data[0], 0, n / 2 * sizeof(int), streams[1]), "peer copy");
  sum_of<<<4, 256, 0, streams[1]>>>(data[1], n, result[1]);
  check(cudaStreamSynchronize(streams[1]), "synchronize");
  int sum = 0;
  to_host(&sum, result[1], 1);
  printf("sum of halves: %d\n", sum);

  printf("not enabled yet: %s\n", cudaGetErrorName(cudaDeviceDisablePeerAccess(0)));
  (void)cudaGetLastError();
  check(cudaDeviceEnablePeerAccess(0, 0), "enable");
  printf("enabled twice: %s\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(0, 0)));
  (void)cudaGetLastError();
  sum_of<<<4, 256, 0, streams[1]>>>(data[0], n, result[1]);
  check(cudaStreamSynchronize(streams[1]), "synchronize");
  to_host(&sum, result[1], 1);
  printf("with the peer's array: %d\n", sum);

  check(cudaMemset(result[1], 0, sizeof(int)), "memset");
  check(cudaSetDevice(0), "set device");
  check(cudaMemset(result[0], 0, sizeof(int)), "memset");
  check(cudaDeviceSynchronize(), "synchronize");
  take_turns<<<1, 1, 0, streams[0]>>>(result[0], 0, 50);
  check(cudaSetDevice(1), "set device");
  take_turns<<<1, 1, 0, streams[1]>>>(result[0], 1, 50);
  check(cudaDeviceSynchronize(), "synchronize 1");
  check(cudaSetDevice(0), "set device");
  check(cudaDeviceSynchronize(), "synchronize 0");
  to_host(&sum, result[0], 1);
  printf("took turns: %d\n", sum);

  // Device 0 was never given access to device 1.
  sum_of<<<1, 1>>>(data[1], 1, result[0]);
  printf("without access: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
