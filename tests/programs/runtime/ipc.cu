// Two processes share an array and an event: the child maps the parent's memory, adds to it and waits for the
// parent's event; a spinning kernel of the parent sees what the child's kernel wrote.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "check.h"

__global__ void add(int* data, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
}
__global__ void wait_for(volatile int* flag, int value) {
  while (*flag != value) {
  }
}
__global__ void set(volatile int* flag, int value) {
  *flag = value;
}

constexpr int n = 10000;

template <typename T>
T received(int pipe) {
  T value;
  if (read(pipe, &value, sizeof value) != sizeof value) exit(2);
  return value;
}
template <typename T>
void send(int pipe, const T& value) {
  if (write(pipe, &value, sizeof value) != sizeof value) exit(2);
}

int child(int from_parent, int to_parent) {
  auto memory = received<cudaIpcMemHandle_t>(from_parent);
  auto handle = received<cudaIpcEventHandle_t>(from_parent);
  void* mapped = nullptr;
  check(cudaIpcOpenMemHandle(&mapped, memory, cudaIpcMemLazyEnablePeerAccess), "open memory");
  int* data = static_cast<int*>(mapped);
  cudaEvent_t event;
  check(cudaIpcOpenEventHandle(&event, handle), "open event");
  check(cudaStreamWaitEvent(nullptr, event, 0), "wait");
  add<<<(n + 255) / 256, 256>>>(data, n, 5);
  set<<<1, 1>>>(data + n, 1);
  finish("child");
  check(cudaIpcCloseMemHandle(mapped), "close");
  send(to_parent, 'd');
  return 0;
}

int main(int count, char** arguments) {
  if (count == 3) return child(atoi(arguments[1]), atoi(arguments[2]));
  int down[2], up[2];
  if (pipe(down) != 0 || pipe(up) != 0) return 1;
  // A process of its own: CUDA cannot be used in a child made by fork alone.
  const pid_t other = fork();
  if (other == 0) {
    const std::string in = std::to_string(down[0]), out = std::to_string(up[1]);
    execl("/proc/self/exe", arguments[0], in.c_str(), out.c_str(), nullptr);
    _exit(3);
  }
  int* data = device_array<int>(n + 1);
  check(cudaMemset(data, 0, (n + 1) * sizeof(int)), "memset");
  cudaEvent_t event;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess), "event");
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t handle;
  check(cudaIpcGetMemHandle(&memory, data), "memory handle");
  check(cudaIpcGetEventHandle(&handle, event), "event handle");
  void* own = nullptr;
  printf("opened by its owner: %d\n",
         cudaIpcOpenMemHandle(&own, memory, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess);
  (void)cudaGetLastError();
  add<<<(n + 255) / 256, 256>>>(data, n, 100);
  check(cudaEventRecord(event), "record");
  wait_for<<<1, 1>>>(data + n, 1);
  send(down[1], memory);
  send(down[1], handle);
  finish("parent");
  received<char>(up[0]);
  int values[2];
  to_host(values, data, 1);
  to_host(values + 1, data + n - 1, 1);
  int status = -1;
  waitpid(other, &status, 0);
  printf("both added: %d %d, the other process ended with %d\n", values[0], values[1], status);
  check(cudaFree(data), "free");
}
