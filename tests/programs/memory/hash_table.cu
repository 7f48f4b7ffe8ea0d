// An open-addressing hash table filled with compare-and-swap, then looked up and counted; and linked lists of
// nodes made by malloc and new in kernels, freed by other kernels.
#include <algorithm>
#include <map>
#include <vector>

#include "check.h"

constexpr unsigned kEmpty = 0xffffffffu, kSlots = 1u << 13;
struct Slot {
  unsigned key, count;
};

__device__ unsigned slot_of(unsigned key) {
  key ^= key >> 16;
  key *= 0x85ebca6bu;
  key ^= key >> 13;
  return key & (kSlots - 1);
}

__global__ void count_keys(Slot* table, const unsigned* keys, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned slot = slot_of(keys[i]);
    while (true) {
      unsigned found = atomicCAS(&table[slot].key, kEmpty, keys[i]);
      if (found == kEmpty || found == keys[i]) break;
      slot = (slot + 1) & (kSlots - 1);
    }
    atomicAdd(&table[slot].count, 1u);
  }
}

__global__ void look_up(const Slot* table, const unsigned* keys, unsigned* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned slot = slot_of(keys[i]);
  while (table[slot].key != keys[i] && table[slot].key != kEmpty)
    slot = (slot + 1) & (kSlots - 1);
  counts[i] = table[slot].key == kEmpty ? 0 : table[slot].count;
}

struct Node {
  int value;
  Node* next;
};
constexpr int kLists = 64;
__device__ Node* heads[kLists];

__global__ void build(int each) {
  int list = blockIdx.x * blockDim.x + threadIdx.x;
  Node* head = nullptr;
  for (int i = 0; i < each; ++i) {
    Node* node = list % 2 ? new Node{list + i, head} : static_cast<Node*>(malloc(sizeof(Node)));
    if (node == nullptr) return;
    node->value = list + i;
    node->next = head;
    head = node;
  }
  heads[list] = head;
}

__global__ void drop_odd(long long* sum) {
  int list = blockIdx.x * blockDim.x + threadIdx.x;
  long long own = 0;
  for (Node** link = &heads[list]; *link != nullptr;) {
    Node* node = *link;
    if (node->value % 2 != 0) {
      *link = node->next;
      if (list % 2)
        delete node;
      else
        free(node);
    } else {
      own += node->value;
      link = &node->next;
    }
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(own));
}

__global__ void clear_lists() {
  int list = blockIdx.x * blockDim.x + threadIdx.x;
  while (Node* node = heads[list]) {
    heads[list] = node->next;
    if (list % 2)
      delete node;
    else
      free(node);
  }
}

int main() {
  constexpr int n = 20000;
  std::vector<unsigned> keys(n);
  std::map<unsigned, unsigned> expected;
  unsigned state = 77;
  for (auto& key : keys) {
    state = state * 1664525u + 1013904223u;
    key = (state >> 16) % 5000 * 2654435761u;
    ++expected[key];
  }
  unsigned *dkeys = device_array<unsigned>(n), *dcounts = device_array<unsigned>(n);
  Slot* table = device_array<Slot>(kSlots);
  std::vector<Slot> empty(kSlots, Slot{kEmpty, 0}), got(kSlots);
  to_device(table, empty.data(), kSlots);
  to_device(dkeys, keys.data(), n);
  count_keys<<<20, 128>>>(table, dkeys, n);
  look_up<<<(n + 127) / 128, 128>>>(table, dkeys, dcounts, n);
  finish("table");
  std::vector<unsigned> counts(n);
  to_host(counts.data(), dcounts, n);
  to_host(got.data(), table, kSlots);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += counts[i] != expected[keys[i]];
  auto used = std::count_if(got.begin(), got.end(), [](const Slot& s) { return s.key != kEmpty; });
  printf("wrong %d, distinct %d %s\n", wrong, static_cast<int>(used),
         static_cast<size_t>(used) == expected.size() ? "right" : "WRONG");

  long long* sum = device_array<long long>(1);
  check(cudaMemset(sum, 0, sizeof *sum), "cudaMemset");
  build<<<2, kLists / 2>>>(20);
  drop_odd<<<2, kLists / 2>>>(sum);
  clear_lists<<<2, kLists / 2>>>();
  finish("lists");
  long long total = 0, wanted = 0;
  to_host(&total, sum, 1);
  for (int list = 0; list < kLists; ++list)
    for (int i = 0; i < 20; ++i)
      wanted += (list + i) % 2 == 0 ? list + i : 0;
  printf("lists: %lld %s\n", total, total == wanted ? "right" : "WRONG");
}
