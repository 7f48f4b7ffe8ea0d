// Breadth-first search by frontier queues, and connected components by union-find with compare-and-swap.
#include <queue>
#include <vector>

#include "check.h"

__global__ void expand(const int* first_edge, const int* edges, const int* frontier, int frontier_size,
                       int* distance, int depth, int* next, int* next_size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= frontier_size) return;
  int node = frontier[i];
  for (int e = first_edge[node]; e < first_edge[node + 1]; ++e) {
    int to = edges[e];
    if (atomicCAS(&distance[to], -1, depth) == -1) next[atomicAdd(next_size, 1)] = to;
  }
}

__device__ int root_of(int* parent, int node) {
  int next = atomicAdd(&parent[node], 0);
  while (next != node) {
    node = next;
    next = atomicAdd(&parent[node], 0);
  }
  return node;
}

__global__ void unite(const int2* pairs, int count, int* parent) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int a = pairs[i].x, b = pairs[i].y;
  while (true) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a == b) return;
    if (a < b) {
      int swap = a;
      a = b;
      b = swap;
    }
    if (atomicCAS(&parent[a], a, b) == a) return;  // the larger root hangs below the smaller
  }
}

__global__ void flatten(int* parent, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicExch(&parent[i], root_of(parent, i));  // others are looking
}

int main() {
  constexpr int n = 4000;
  std::vector<std::vector<int>> neighbours(n);
  unsigned state = 1;
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  std::vector<int2> pairs;
  for (int i = 0; i < 5 * n / 4; ++i) {
    int a = static_cast<int>(next() % n), b = static_cast<int>((a + next() % 97) % n);
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
    pairs.push_back({a, b});
  }
  std::vector<int> first(n + 1), edges;
  for (int i = 0; i < n; ++i) {
    first[i] = static_cast<int>(edges.size());
    edges.insert(edges.end(), neighbours[i].begin(), neighbours[i].end());
  }
  first[n] = static_cast<int>(edges.size());

  int *dfirst = device_array<int>(n + 1), *dedges = device_array<int>(edges.size()),
      *distance = device_array<int>(n), *queue_a = device_array<int>(n), *queue_b = device_array<int>(n),
      *size = device_array<int>(1);
  to_device(dfirst, first.data(), n + 1);
  to_device(dedges, edges.data(), edges.size());
  check(cudaMemset(distance, 0xff, n * sizeof(int)), "cudaMemset");
  int start = 0, frontier = 1, depth = 0;
  to_device(distance + start, &depth, 1);
  to_device(queue_a, &start, 1);
  while (frontier > 0) {
    check(cudaMemset(size, 0, sizeof(int)), "cudaMemset");
    expand<<<(frontier + 127) / 128, 128>>>(dfirst, dedges, queue_a, frontier, distance, ++depth, queue_b,
                                            size);
    finish("expand");
    to_host(&frontier, size, 1);
    std::swap(queue_a, queue_b);
  }
  std::vector<int> got(n), expected(n, -1);
  to_host(got.data(), distance, n);
  std::queue<int> queue;
  queue.push(start);
  expected[start] = 0;
  int reached = 0;
  for (; !queue.empty(); queue.pop(), ++reached)
    for (int to : neighbours[queue.front()])
      if (expected[to] < 0) {
        expected[to] = expected[queue.front()] + 1;
        queue.push(to);
      }
  printf("bfs equal %d, reached %d of %d, depth %d\n", got == expected, reached, n, depth - 1);

  std::vector<int> parent(n), component(n);
  for (int i = 0; i < n; ++i)
    parent[i] = i;
  int* dparent = device_array<int>(n);
  int2* dpairs = device_array<int2>(pairs.size());
  to_device(dparent, parent.data(), n);
  to_device(dpairs, pairs.data(), pairs.size());
  unite<<<(static_cast<int>(pairs.size()) + 127) / 128, 128>>>(dpairs, static_cast<int>(pairs.size()),
                                                               dparent);
  flatten<<<(n + 127) / 128, 128>>>(dparent, n);
  finish("unite");
  to_host(component.data(), dparent, n);
  const auto find = [&](int i) {
    while (parent[i] != i)
      i = parent[i] = parent[parent[i]];
    return i;
  };
  for (int2 p : pairs) {
    int a = find(p.x), b = find(p.y);
    parent[std::max(a, b)] = std::min(a, b);
  }
  int wrong = 0, components = 0;
  for (int i = 0; i < n; ++i) {
    wrong += component[i] != find(i);
    components += component[i] == i;
  }
  printf("components %d, wrong %d\n", components, wrong);
}
