// Work in streams overlaps: kernels that wait for the host, for a kernel of another stream, for a copy; the
// order that events and the default streams keep; what queries say meanwhile.
#include <chrono>
#include <thread>

#include "check.h"

__global__ void wait_for(volatile int* flag, int value, int* result) {
  while (*flag != value) {
  }
  if (result) atomicAdd(result, 1);
}
__global__ void set(volatile int* flag, int value) {
  *flag = value;
}
__global__ void add(int* counter, int value) {
  *counter = *counter * 10 + value;
}

int read_int(const int* device) {
  int value = 0;
  to_host(&value, device, 1);
  return value;
}

void host_sets_a_flag() {
  volatile int* flag = nullptr;
  check(cudaMallocHost(reinterpret_cast<void**>(const_cast<int**>(&flag)), sizeof(int)), "flag");
  *flag = 0;
  int* result = device_array<int>(1);
  check(cudaMemset(result, 0, sizeof(int)), "memset");
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  cudaEvent_t done;
  check(cudaEventCreate(&done), "event");
  wait_for<<<1, 32, 0, stream>>>(flag, 1, result);
  check(cudaEventRecord(done, stream), "record");
  printf("while it waits: stream %s, event %s\n", cudaGetErrorName(cudaStreamQuery(stream)),
         cudaGetErrorName(cudaEventQuery(done)));
  (void)cudaGetLastError();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  *flag = 1;
  check(cudaStreamSynchronize(stream), "synchronize");
  printf("after the host's flag: %d, event %s\n", read_int(result), cudaGetErrorName(cudaEventQuery(done)));

  // Another host thread sets it while this one waits.
  *flag = 0;
  wait_for<<<1, 32, 0, stream>>>(flag, 2, result);
  std::thread helper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    *flag = 2;
  });
  check(cudaStreamSynchronize(stream), "synchronize");
  helper.join();
  printf("after another thread's flag: %d\n", read_int(result));
  // The host only looks: a launch alone makes progress.
  set<<<1, 1, 0, stream>>>(flag, 7);
  while (*flag != 7) {
  }
  printf("seen without a call\n");
}

void streams_wait_for_each_other() {
  int* flag = device_array<int>(2);
  check(cudaMemset(flag, 0, 2 * sizeof(int)), "memset");
  cudaStream_t streams[3];
  for (cudaStream_t& stream : streams)
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  wait_for<<<1, 1, 0, streams[0]>>>(flag, 5, flag + 1);
  wait_for<<<2, 1, 0, streams[1]>>>(flag, 5, flag + 1);
  set<<<1, 1, 0, streams[2]>>>(flag, 5);
  check(cudaDeviceSynchronize(), "synchronize");
  printf("two kernels waited for a third: %d\n", read_int(flag + 1));

  int* host = nullptr;
  check(cudaMallocHost(reinterpret_cast<void**>(&host), sizeof(int)), "host");
  *host = 9;
  wait_for<<<1, 1, 0, streams[0]>>>(flag, 9, flag + 1);
  check(cudaMemcpyAsync(flag, host, sizeof(int), cudaMemcpyHostToDevice, streams[1]), "copy");
  check(cudaStreamSynchronize(streams[0]), "synchronize");
  printf("and for a copy: %d\n", read_int(flag + 1));
}

void events_order_streams() {
  volatile int* gate = nullptr;
  check(cudaMallocHost(reinterpret_cast<void**>(const_cast<int**>(&gate)), sizeof(int)), "gate");
  *gate = 0;
  int* digits = device_array<int>(1);
  check(cudaMemset(digits, 0, sizeof(int)), "memset");
  cudaStream_t first, second;
  check(cudaStreamCreate(&first), "stream");
  check(cudaStreamCreate(&second), "stream");
  cudaEvent_t between;
  check(cudaEventCreateWithFlags(&between, cudaEventDisableTiming), "event");
  wait_for<<<1, 1, 0, first>>>(gate, 1, nullptr);
  add<<<1, 1, 0, first>>>(digits, 1);
  check(cudaEventRecord(between, first), "record");
  check(cudaStreamWaitEvent(second, between, 0), "wait");
  add<<<1, 1, 0, second>>>(digits, 2);
  // The legacy default stream waits for both, and what is submitted later waits for it.
  add<<<1, 1>>>(digits, 3);
  add<<<1, 1, 0, first>>>(digits, 4);
  printf("nothing yet: %s\n", cudaGetErrorName(cudaStreamQuery(second)));
  (void)cudaGetLastError();
  *gate = 1;
  check(cudaDeviceSynchronize(), "synchronize");
  printf("order: %d\n", read_int(digits));
}

void host_functions() {
  struct Note {
    volatile int* gate;
    std::thread::id caller;
    bool other_thread;
    cudaError_t nested;
  } note{};
  check(cudaMallocHost(reinterpret_cast<void**>(const_cast<int**>(&note.gate)), sizeof(int)), "gate");
  *note.gate = 0;
  note.caller = std::this_thread::get_id();
  cudaStream_t stream;
  check(cudaStreamCreate(&stream), "stream");
  // The host function opens the gate of a kernel in another stream.
  cudaStream_t other;
  check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "stream");
  wait_for<<<1, 1, 0, other>>>(note.gate, 3, nullptr);
  check(cudaLaunchHostFunc(
            stream,
            [](void* data) {
              Note& own = *static_cast<Note*>(data);
              own.other_thread = std::this_thread::get_id() != own.caller;
              own.nested = cudaDeviceSynchronize();
              *own.gate = 3;
            },
            &note),
        "host function");
  check(cudaDeviceSynchronize(), "synchronize");
  printf("host function on another thread: %d, a call inside: %s\n", note.other_thread,
         cudaGetErrorName(note.nested));
}

void pageable_memory() {
  volatile int* gate = nullptr;
  check(cudaMallocHost(reinterpret_cast<void**>(const_cast<int**>(&gate)), sizeof(int)), "gate");
  *gate = 0;
  int* data = device_array<int>(4);
  int source[4] = {1, 2, 3, 4};
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  check(cudaMemcpyAsync(data, source, sizeof source, cudaMemcpyHostToDevice, stream), "copy");
  source[0] = 100;
  check(cudaStreamSynchronize(stream), "synchronize");
  printf("pageable memory was read before the call returned: %d\n", read_int(data));
}

void elapsed_time() {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreate(&end), "event");
  volatile int* gate = nullptr;
  check(cudaMallocHost(reinterpret_cast<void**>(const_cast<int**>(&gate)), sizeof(int)), "gate");
  *gate = 0;
  check(cudaEventRecord(begin), "record");
  wait_for<<<1, 1>>>(gate, 1, nullptr);
  check(cudaEventRecord(end), "record");
  float milliseconds = 0;
  printf("not yet: %s\n", cudaGetErrorName(cudaEventElapsedTime(&milliseconds, begin, end)));
  (void)cudaGetLastError();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  *gate = 1;
  check(cudaEventSynchronize(end), "synchronize");
  check(cudaEventElapsedTime(&milliseconds, begin, end), "elapsed");
  printf("the wait was timed: %d\n", milliseconds > 20 && milliseconds < 30000);
}

int main() {
  // Loaded before anything spins: the driver may wait for running kernels when it loads one.
  int* digits = device_array<int>(1);
  check(cudaMemset(digits, 0, sizeof(int)), "memset");
  add<<<1, 1>>>(digits, 0);
  set<<<1, 1>>>(digits, 0);
  wait_for<<<1, 1>>>(digits, 0, nullptr);
  finish("first launches");
  host_sets_a_flag();
  streams_wait_for_each_other();
  events_order_streams();
  host_functions();
  pageable_memory();
  elapsed_time();
}
