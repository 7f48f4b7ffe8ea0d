// Persistent blocks that take work from a queue, and add to it; a producer and its consumers joined by
// release and acquire; libcu++'s atomics and semaphores.
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/optional>
#include <vector>

#include "check.h"

// Each task splits its range until it is short, then sums it: a quicksort's shape without the recursion.
struct Task {
  int begin, end;
};
struct Queue {
  unsigned head, tail;
  int open;  // tasks not finished yet
  Task tasks[4096];
  unsigned ready[4096];
};

__global__ void work(Queue* queue, const int* values, long long* sum) {
  __shared__ Task task;
  __shared__ bool has_task, is_done;
  while (true) {
    if (threadIdx.x == 0) {
      has_task = false;
      cuda::atomic_ref<unsigned, cuda::thread_scope_device> head(queue->head), tail(queue->tail);
      unsigned at = head.load(cuda::memory_order_relaxed);
      if (at < tail.load(cuda::memory_order_relaxed) && head.compare_exchange_strong(at, at + 1)) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> ready(queue->ready[at]);
        while (ready.load(cuda::memory_order_acquire) == 0)
          __nanosleep(20);
        task = queue->tasks[at];
        has_task = true;
      }
      cuda::atomic_ref<int, cuda::thread_scope_device> open(queue->open);
      is_done = !has_task && open.load(cuda::memory_order_acquire) == 0;
    }
    __syncthreads();
    if (is_done) return;
    const bool works = has_task;  // before thread 0 looks for the next
    if (works) {
      if (task.end - task.begin > 64) {
        if (threadIdx.x < 2) {
          int middle = (task.begin + task.end) / 2;
          atomicAdd(&queue->open, 1);
          unsigned place = atomicAdd(&queue->tail, 1u);
          queue->tasks[place] = threadIdx.x == 0 ? Task{task.begin, middle} : Task{middle, task.end};
          cuda::atomic_ref<unsigned, cuda::thread_scope_device>(queue->ready[place])
              .store(1, cuda::memory_order_release);
        }
      } else {
        int value =
            task.begin + static_cast<int>(threadIdx.x) < task.end ? values[task.begin + threadIdx.x] : 0;
        value = __reduce_add_sync(0xffffffffu, value);
        if (threadIdx.x % 32 == 0)
          atomicAdd(reinterpret_cast<unsigned long long*>(sum),
                    static_cast<unsigned long long>(static_cast<long long>(value)));
      }
    }
    __syncthreads();
    if (threadIdx.x == 0 && works) atomicSub(&queue->open, 1);
  }
}

__global__ void relay(cuda::atomic<int, cuda::thread_scope_device>* flags, int* message) {
  int block = blockIdx.x;
  if (threadIdx.x == 0) {
    if (block > 0)
      while (flags[block - 1].load(cuda::memory_order_acquire) == 0)
        __nanosleep(50);
    *message = *message * 3 + block;
    flags[block].store(1, cuda::memory_order_release);
  }
}

__global__ void atomics(cuda::atomic<unsigned long long>* total, cuda::atomic<int>* largest, double* sum,
                        unsigned* order) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  total->fetch_add(static_cast<unsigned long long>(i), cuda::memory_order_relaxed);
  largest->fetch_max((i * 7919) % 4001);
  cuda::atomic_ref<double, cuda::thread_scope_device>(*sum).fetch_add(0.5);
  atomicInc(order, 99);
  atomicXor(order + 1, 1u << i % 31);
  atomicMin(reinterpret_cast<int*>(order + 2), -i);
  cuda::std::array<int, 3> numbers{i, i + 1, i + 2};
  cuda::std::optional<int> odd = i % 2 ? cuda::std::optional<int>(numbers[1]) : cuda::std::nullopt;
  atomicAdd(order + 3, static_cast<unsigned>(odd.value_or(1)));
}

int main() {
  constexpr int n = 10000;
  std::vector<int> values(n);
  long long expected = 0;
  for (int i = 0; i < n; ++i)
    expected += values[i] = (i * 7919) % 1009 - 300;
  int* device = device_array<int>(n);
  auto* sum = device_array<long long>(1);
  Queue* queue = device_array<Queue>(1);
  std::vector<Queue> host(1);
  host[0] = {};
  host[0].tail = host[0].ready[0] = 1;
  host[0].open = 1;
  host[0].tasks[0] = {0, n};
  to_device(device, values.data(), n);
  to_device(queue, host.data(), 1);
  check(cudaMemset(sum, 0, sizeof *sum), "cudaMemset");
  work<<<6, 64>>>(queue, device, sum);
  finish("work");
  long long got = 0;
  to_host(&got, sum, 1);
  to_host(host.data(), queue, 1);
  printf("queue: %lld %s, %u tasks\n", got, got == expected ? "right" : "WRONG", host[0].tail);

  auto* flags = device_array<cuda::atomic<int, cuda::thread_scope_device>>(10);
  int* message = device_array<int>(1);
  check(cudaMemset(flags, 0, 10 * sizeof(int)), "cudaMemset");
  check(cudaMemset(message, 0, sizeof(int)), "cudaMemset");
  relay<<<10, 32>>>(flags, message);
  finish("relay");
  int relayed = 0, wanted = 0;
  to_host(&relayed, message, 1);
  for (int block = 0; block < 10; ++block)
    wanted = wanted * 3 + block;
  printf("relay: %d %s\n", relayed, relayed == wanted ? "right" : "WRONG");

  auto* total = device_array<cuda::atomic<unsigned long long>>(1);
  auto* largest = device_array<cuda::atomic<int>>(1);
  double* halves = device_array<double>(1);
  unsigned* order = device_array<unsigned>(4);
  check(cudaMemset(total, 0, 8), "cudaMemset");
  check(cudaMemset(largest, 0, 4), "cudaMemset");
  check(cudaMemset(halves, 0, 8), "cudaMemset");
  check(cudaMemset(order, 0, 16), "cudaMemset");
  atomics<<<8, 128>>>(total, largest, halves, order);
  finish("atomics");
  unsigned long long host_total = 0;
  int host_largest = 0;
  double host_halves = 0;
  unsigned host_order[4];
  check(cudaMemcpy(&host_total, total, 8, cudaMemcpyDeviceToHost), "copy");
  check(cudaMemcpy(&host_largest, largest, 4, cudaMemcpyDeviceToHost), "copy");
  to_host(&host_halves, halves, 1);
  to_host(host_order, order, 4);
  int most = 0;
  unsigned bits = 0, odd = 0;
  for (int i = 0; i < 1024; ++i) {
    most = std::max(most, (i * 7919) % 4001);
    bits ^= 1u << i % 31;
    odd += static_cast<unsigned>(i % 2 ? i + 1 : 1);
  }
  printf("atomics: %d %d %d %d %d %d %d\n", host_total == 1023 * 512, host_largest == most,
         host_halves == 512, host_order[0] == 1024 % 100, host_order[1] == bits,
         static_cast<int>(host_order[2]) == -1023, host_order[3] == odd);
}
