// A hierarchy of bounding boxes: Morton codes, all inner nodes at once from common prefixes, boxes
// joined upwards by the second child to arrive, and searches with a stack per thread. Integer
// coordinates, so all answers are exact.
#include <algorithm>
#include <cstdint>
#include <cub/cub.cuh>
#include <vector>

#include "check.h"

struct Box {
  int3 low, high;
};
struct Inner {
  int left, right, parent;  // children below zero are leaves: ~index
};
__host__ __device__ long long square(long long x) {
  return x * x;
}
__host__ __device__ long long distance(int3 a, int3 b) {
  return square(a.x - b.x) + square(a.y - b.y) + square(a.z - b.z);
}

__device__ uint32_t spread(uint32_t x) {  // ten bits, two zeros between each
  x = (x * 0x00010001u) & 0xff0000ffu;
  x = (x * 0x00000101u) & 0x0f00f00fu;
  x = (x * 0x00000011u) & 0xc30c30c3u;
  return (x * 0x00000005u) & 0x49249249u;
}
__global__ void morton_codes(const int3* points, int n, uint32_t* codes, int* order) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int3 p = points[i];
  codes[i] = spread(p.x) * 4 + spread(p.y) * 2 + spread(p.z);
  order[i] = i;
}

// Length of the common prefix of two codes; equal codes are told apart by their places.
__device__ int prefix(const uint32_t* codes, int n, int i, int j) {
  if (j < 0 || j >= n) return -1;
  return codes[i] == codes[j] ? 32 + __clz(i ^ j) : __clz(codes[i] ^ codes[j]);
}

// T. Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", 2012.
__global__ void make_tree(const uint32_t* codes, int n, Inner* inner, int* leaf_parents) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1) return;
  const int d = prefix(codes, n, i, i + 1) > prefix(codes, n, i, i - 1) ? 1 : -1;
  const int least = prefix(codes, n, i, i - d);
  int bound = 2;
  while (prefix(codes, n, i, i + bound * d) > least)
    bound *= 2;
  int length = 0;
  for (int step = bound / 2; step >= 1; step /= 2)
    if (prefix(codes, n, i, i + (length + step) * d) > least) length += step;
  const int j = i + length * d, own = prefix(codes, n, i, j);
  int split = 0;
  for (int divisor = 2, step;; divisor *= 2) {
    step = (length + divisor - 1) / divisor;
    if (prefix(codes, n, i, i + (split + step) * d) > own) split += step;
    if (step <= 1) break;
  }
  const int cut = i + split * d + min(d, 0);
  const bool left_is_leaf = min(i, j) == cut, right_is_leaf = max(i, j) == cut + 1;
  inner[i].left = left_is_leaf ? ~cut : cut;
  inner[i].right = right_is_leaf ? ~(cut + 1) : cut + 1;
  (left_is_leaf ? leaf_parents[cut] : inner[cut].parent) = i;
  (right_is_leaf ? leaf_parents[cut + 1] : inner[cut + 1].parent) = i;
  if (i == 0) inner[0].parent = -1;
}

__device__ Box box_of(int child, const Box* boxes, const int3* points, const int* order) {
  if (child >= 0) {
    // Written by another thread, of this block or another.
    const volatile int* p = &boxes[child].low.x;
    return {make_int3(p[0], p[1], p[2]), make_int3(p[3], p[4], p[5])};
  }
  const int3 p = points[order[~child]];
  return {p, p};
}
__global__ void join_boxes(const Inner* inner, const int* leaf_parents, int n, const int3* points,
                           const int* order, Box* boxes, unsigned* visits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int at = leaf_parents[i]; at >= 0; at = inner[at].parent) {
    __threadfence();
    if (atomicAdd(&visits[at], 1u) == 0) return;  // the other child's thread goes on
    __threadfence();
    const Box a = box_of(inner[at].left, boxes, points, order),
              b = box_of(inner[at].right, boxes, points, order);
    boxes[at] = {
        make_int3(min(a.low.x, b.low.x), min(a.low.y, b.low.y), min(a.low.z, b.low.z)),
        make_int3(max(a.high.x, b.high.x), max(a.high.y, b.high.y), max(a.high.z, b.high.z))};
  }
}

__device__ long long distance_to(const Box& box, int3 p) {
  return distance(
      p, make_int3(min(max(p.x, box.low.x), box.high.x), min(max(p.y, box.low.y), box.high.y),
                   min(max(p.z, box.low.z), box.high.z)));
}
// The nearest point of each query, by depth first search with the nearer child first.
__global__ void nearest(const Inner* inner, const Box* boxes, const int3* points, const int* order,
                        const int3* queries, int count, long long* best, unsigned* steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int3 query = queries[i];
  struct Entry {
    int node;
    long long distance;
  } stack[64];
  int depth = 0;
  long long least = 1ll << 60;
  unsigned visited = 0;
  stack[depth++] = {0, 0};
  while (depth > 0) {
    const Entry top = stack[--depth];
    if (top.distance >= least) continue;
    ++visited;
    if (top.node < 0) {
      least = min(least, distance(query, points[order[~top.node]]));
      continue;
    }
    const auto reach = [&](int child) {
      return child < 0 ? distance(query, points[order[~child]]) : distance_to(boxes[child], query);
    };
    const int left = inner[top.node].left, right = inner[top.node].right;
    const long long to_left = reach(left), to_right = reach(right);
    const bool left_first = to_left <= to_right;
    stack[depth++] = left_first ? Entry{right, to_right} : Entry{left, to_left};
    stack[depth++] = left_first ? Entry{left, to_left} : Entry{right, to_right};
  }
  best[i] = least;
  atomicAdd(steps, visited);
}

int main() {
  constexpr int kPoints = 3000, kQueries = 700;
  uint32_t seed = 11;
  const auto draw = [&] { return static_cast<int>((seed = seed * 1664525u + 1013904223u) >> 22); };
  std::vector<int3> points(kPoints), queries(kQueries);
  for (int3& p : points) {
    p.z = draw() & draw();
    p.y = draw() / 4;
    p.x = draw();
  }
  for (int i = 0; i < 40; ++i)
    points[100 + i] = points[50];  // many equal codes
  for (int3& p : queries) {
    p.z = draw();
    p.y = draw();
    p.x = draw();
  }
  int3 *device_points = device_array<int3>(kPoints), *device_queries = device_array<int3>(kQueries);
  to_device(device_points, points.data(), kPoints);
  to_device(device_queries, queries.data(), kQueries);
  uint32_t *codes = device_array<uint32_t>(kPoints), *sorted = device_array<uint32_t>(kPoints);
  int *places = device_array<int>(kPoints), *order = device_array<int>(kPoints);
  const int blocks = (kPoints + 127) / 128;
  morton_codes<<<blocks, 128>>>(device_points, kPoints, codes, places);
  size_t bytes = 0;
  check(
      cub::DeviceRadixSort::SortPairs(nullptr, bytes, codes, sorted, places, order, kPoints, 0, 30),
      "size");
  check(cub::DeviceRadixSort::SortPairs(device_array<char>(bytes), bytes, codes, sorted, places,
                                        order, kPoints, 0, 30),
        "sort");
  Inner* inner = device_array<Inner>(kPoints - 1);
  Box* boxes = device_array<Box>(kPoints - 1);
  int* leaf_parents = device_array<int>(kPoints);
  unsigned *visits = device_array<unsigned>(kPoints), *steps = device_array<unsigned>(1);
  check(cudaMemset(visits, 0, kPoints * sizeof(unsigned)), "memset");
  check(cudaMemset(steps, 0, sizeof(unsigned)), "memset");
  make_tree<<<blocks, 128>>>(sorted, kPoints, inner, leaf_parents);
  join_boxes<<<blocks, 128>>>(inner, leaf_parents, kPoints, device_points, order, boxes, visits);
  auto* best = device_array<long long>(kQueries);
  nearest<<<(kQueries + 63) / 64, 64>>>(inner, boxes, device_points, order, device_queries,
                                        kQueries, best, steps);
  finish("kernels");
  Box root;
  to_host(&root, boxes, 1);
  printf("root: %d %d %d to %d %d %d\n", root.low.x, root.low.y, root.low.z, root.high.x,
         root.high.y, root.high.z);
  std::vector<long long> got(kQueries);
  to_host(got.data(), best, kQueries);
  unsigned visited = 0;
  to_host(&visited, steps, 1);
  int right = 0;
  for (int i = 0; i < kQueries; ++i) {
    long long least = 1ll << 60;
    for (const int3& p : points)
      least = std::min(least, distance(queries[i], p));
    right += got[i] == least;
  }
  printf("nearest points: %d of %d right, %u nodes visited\n", right, kQueries, visited);
  return 0;
}
