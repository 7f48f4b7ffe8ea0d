// Structures that many threads change without a barrier: a stack with tagged heads, 16-byte
// compare-and-swap, a bounded queue with sequence numbers, ticket and spin locks taken by lanes of
// one warp, and a sequence lock.
#include <algorithm>
#include <cstdint>
#include <cuda/atomic>
#include <vector>

#include "check.h"

using Head = unsigned long long;  // a tag in the upper half, an index plus one in the lower
struct Node {
  unsigned next, value;
};

__device__ void push(Head* head, Node* nodes, unsigned index) {
  Head seen = *static_cast<volatile Head*>(head);
  for (;;) {
    static_cast<volatile Node*>(nodes)[index].next = static_cast<unsigned>(seen);
    __threadfence();
    const Head wanted = ((seen >> 32) + 1) << 32 | (index + 1);
    const Head found = atomicCAS(head, seen, wanted);
    if (found == seen) return;
    seen = found;
  }
}
__device__ int pop(Head* head, Node* nodes) {
  Head seen = *static_cast<volatile Head*>(head);
  while (static_cast<unsigned>(seen) != 0) {
    const unsigned index = static_cast<unsigned>(seen) - 1;
    __threadfence();
    const unsigned next = static_cast<volatile Node*>(nodes)[index].next;
    const Head found = atomicCAS(head, seen, ((seen >> 32) + 1) << 32 | next);
    if (found == seen) return static_cast<int>(index);
    seen = found;
  }
  return -1;
}

// Half of the threads move nodes from one stack to another while the others push.
__global__ void stacks(Head* heads, Node* nodes, unsigned* moved) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, half = gridDim.x * blockDim.x / 2;
  if (i < half) {
    nodes[i].value = i;
    push(&heads[0], nodes, i);
    return;
  }
  for (int attempt = 0; attempt < 3; ++attempt) {
    const int index = pop(&heads[0], nodes);
    if (index < 0) continue;
    atomicAdd(moved, 1u);
    push(&heads[1], nodes, index);
  }
}
__global__ void empty(Head* heads, Node* nodes, unsigned* counts, unsigned* seen) {
  const int which = threadIdx.x % 2;
  for (int index; (index = pop(&heads[which], nodes)) >= 0;) {
    atomicAdd(&counts[which], 1u);
    atomicAdd(&seen[nodes[index].value], 1u);
  }
}

// The smallest key and where it is, in one 16-byte word.
struct alignas(16) Best {
  unsigned long long key, place;
};
__global__ void smallest(const unsigned long long* keys, int n, Best* best) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Best seen = {~0ull, ~0ull};
  const Best mine = {keys[i], static_cast<unsigned long long>(i)};
  while (mine.key < seen.key || (mine.key == seen.key && mine.place < seen.place)) {
    const Best found = atomicCAS(best, seen, mine);
    if (found.key == seen.key && found.place == seen.place) return;
    seen = found;
  }
}

// A bounded queue of many producers and many consumers: a cell's sequence number says whose turn it
// is.
constexpr unsigned kCells = 64;
struct Cell {
  cuda::atomic<unsigned, cuda::thread_scope_device> turn;
  unsigned value;
};
struct Queue {
  Cell cells[kCells];
  cuda::atomic<unsigned, cuda::thread_scope_device> head, tail;
};
__global__ void prepare(Queue* queue) {
  new (&queue->cells[threadIdx.x].turn)
      cuda::atomic<unsigned, cuda::thread_scope_device>(threadIdx.x);
  if (threadIdx.x > 0) return;
  new (&queue->head) cuda::atomic<unsigned, cuda::thread_scope_device>(0);
  new (&queue->tail) cuda::atomic<unsigned, cuda::thread_scope_device>(0);
}
__global__ void exchange(Queue* queue, int each, unsigned long long* sum) {
  const bool produces = threadIdx.x / 32 % 2 == 0;
  unsigned long long own = 0;
  for (int i = 0; i < each; ++i) {
    const unsigned ticket =
        (produces ? queue->tail : queue->head).fetch_add(1, cuda::memory_order_relaxed);
    Cell& cell = queue->cells[ticket % kCells];
    const unsigned wanted = produces ? ticket : ticket + 1;
    while (cell.turn.load(cuda::memory_order_acquire) != wanted)
      __nanosleep(20);
    if (produces)
      cell.value = ticket * 3 + 1;
    else
      own += cell.value;
    cell.turn.store(produces ? ticket + 1 : ticket + kCells, cuda::memory_order_release);
  }
  if (!produces) atomicAdd(sum, own);
}

// Every lane takes the locks of two accounts in order of their numbers; the sum of all money stays.
__global__ void transfers(int* money, int* locks, int accounts, int each) {
  unsigned state = blockIdx.x * blockDim.x + threadIdx.x + 1;
  for (int i = 0; i < each; ++i) {
    state = state * 1664525u + 1013904223u;
    const int from = (state >> 8) % accounts,
              to = (from + 1 + (state >> 20) % (accounts - 1)) % accounts;
    const int first = min(from, to), second = max(from, to);
    while (atomicCAS(&locks[first], 0, 1) != 0) {
    }
    while (atomicCAS(&locks[second], 0, 1) != 0) {
    }
    __threadfence();
    const int amount = static_cast<int>(state >> 28);
    static_cast<volatile int*>(money)[from] -= amount;
    static_cast<volatile int*>(money)[to] += amount;
    __threadfence();
    atomicExch(&locks[second], 0);
    atomicExch(&locks[first], 0);
  }
}

// One writer per block changes three words that belong together; readers repeat what a change has
// torn.
__global__ void sequence_lock(unsigned* sequence, unsigned* words, unsigned* torn) {
  volatile unsigned *const count = sequence + blockIdx.x, *const own = words + blockIdx.x * 3;
  if (threadIdx.x < 32) {
    for (unsigned i = 1; threadIdx.x == 0 && i <= 50; ++i) {
      *count = 2 * i - 1;
      __threadfence();
      own[0] = i, own[1] = i * i, own[2] = i * i * i;
      __threadfence();
      *count = 2 * i;
    }
    return;
  }
  for (int i = 0; i < 20; ++i) {
    unsigned before, a, b, c;
    do {
      before = *count;
      __threadfence();
      a = own[0], b = own[1], c = own[2];
      __threadfence();
    } while (before % 2 != 0 || *count != before);
    if (b != a * a || c != b * a) atomicAdd(torn, 1u);
  }
}

int main() {
  constexpr unsigned kNodes = 2048;
  Head* heads = device_array<Head>(2);
  Node* nodes = device_array<Node>(kNodes);
  unsigned *counts = device_array<unsigned>(3), *seen = device_array<unsigned>(kNodes);
  check(cudaMemset(heads, 0, 2 * sizeof(Head)), "memset");
  check(cudaMemset(counts, 0, 3 * sizeof(unsigned)), "memset");
  check(cudaMemset(seen, 0, kNodes * sizeof(unsigned)), "memset");
  stacks<<<2 * kNodes / 128, 128>>>(heads, nodes, counts + 2);
  empty<<<2, 64>>>(heads, nodes, counts, seen);
  finish("stacks");
  unsigned host_counts[3];
  to_host(host_counts, counts, 3);
  std::vector<unsigned> host_seen(kNodes);
  to_host(host_seen.data(), seen, kNodes);
  printf("nodes: %u, each once: %s, the moved ones: %s\n", host_counts[0] + host_counts[1],
         std::count(host_seen.begin(), host_seen.end(), 1u) == kNodes ? "yes" : "no",
         host_counts[1] == host_counts[2] ? "on the other stack" : "lost");

  constexpr int kKeys = 3000;
  std::vector<unsigned long long> keys(kKeys);
  for (int i = 0; i < kKeys; ++i)
    keys[i] = (i * 2654435761u % 1000 + 7) * 1'000'000'007ull;
  auto* device_keys = device_array<unsigned long long>(kKeys);
  Best *best = device_array<Best>(1), host_best = {~0ull, ~0ull};
  to_device(device_keys, keys.data(), kKeys);
  to_device(best, &host_best, 1);
  smallest<<<(kKeys + 255) / 256, 256>>>(device_keys, kKeys, best);
  finish("smallest");
  to_host(&host_best, best, 1);
  const auto least = std::min_element(keys.begin(), keys.end());
  printf("smallest key: %s, at %s place\n", host_best.key == *least ? "right" : "wrong",
         host_best.place == static_cast<unsigned long long>(least - keys.begin()) ? "its first"
                                                                                  : "another");

  Queue* queue = device_array<Queue>(1);
  auto* sum = device_array<unsigned long long>(1);
  check(cudaMemset(sum, 0, sizeof *sum), "memset");
  prepare<<<1, kCells>>>(queue);
  constexpr int kBlocks = 4, kThreads = 128, kEach = 10;
  exchange<<<kBlocks, kThreads>>>(queue, kEach, sum);
  finish("queue");
  unsigned long long total = 0, items = kBlocks * kThreads / 2 * kEach;
  to_host(&total, sum, 1);
  printf("through the queue: %llu, expected %llu\n", total, 3 * (items * (items - 1) / 2) + items);

  constexpr int kAccounts = 40;
  std::vector<int> money(kAccounts, 1000);
  int *accounts = device_array<int>(kAccounts), *locks = device_array<int>(kAccounts);
  to_device(accounts, money.data(), kAccounts);
  check(cudaMemset(locks, 0, kAccounts * sizeof(int)), "memset");
  transfers<<<3, 96>>>(accounts, locks, kAccounts, 8);
  finish("transfers");
  to_host(money.data(), accounts, kAccounts);
  unsigned hash = 0;
  int all = 0;
  for (int account : money)
    hash = hash * 31 + static_cast<unsigned>(account), all += account;
  printf("money: %d, accounts %08x\n", all, hash);

  constexpr int kWriters = 3;
  unsigned *words = device_array<unsigned>(4 * kWriters), torn = 1;
  check(cudaMemset(words, 0, 4 * kWriters * sizeof(unsigned)), "memset");
  check(cudaMemset(counts, 0, sizeof(unsigned)), "memset");
  sequence_lock<<<kWriters, 96>>>(words, words + kWriters, counts);
  finish("sequence lock");
  to_host(&torn, counts, 1);
  printf("torn reads: %u\n", torn);
  return 0;
}
