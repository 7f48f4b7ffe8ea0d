// Sparse matrices: a matrix-vector product that divides rows and elements evenly (merge path) with
// carries into the next thread, a product of two sparse matrices with a hash table per row in
// shared memory, and a triangular solve in which rows wait for the rows that they need.
#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "check.h"

struct Csr {
  int rows;
  const int *begin, *column, *value;
};

// The diagonal's point where a merge of row ends and of 0, 1, 2, ... stands.
__device__ int2 merge_point(int diagonal, const int* row_ends, int rows, int elements) {
  int low = max(diagonal - elements, 0), high = min(diagonal, rows);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (row_ends[middle] <= diagonal - middle - 1)
      low = middle + 1;
    else
      high = middle;
  }
  return {low, diagonal - low};
}

// Every thread has kItems steps: an element or the end of a row. What is left of its last row goes
// to a carry.
constexpr int kItems = 7;
__global__ void merge_product(Csr a, const int* x, int* y, int2* carries, int threads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= threads) return;
  const int elements = a.begin[a.rows], steps = a.rows + elements;
  int2 at = merge_point(min(i * kItems, steps), a.begin + 1, a.rows, elements);
  const int2 end = merge_point(min((i + 1) * kItems, steps), a.begin + 1, a.rows, elements);
  int sum = 0;
  for (; at.x < end.x; ++at.x, sum = 0) {
    for (; at.y < a.begin[at.x + 1]; ++at.y)
      sum += a.value[at.y] * x[a.column[at.y]];
    y[at.x] = sum;
  }
  for (; at.y < end.y; ++at.y)
    sum += a.value[at.y] * x[a.column[at.y]];
  carries[i] = {end.x, sum};
}
__global__ void add_carries(const int2* carries, int threads, int rows, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < threads && carries[i].x < rows && carries[i].y != 0)
    atomicAdd(&y[carries[i].x], carries[i].y);
}

// A block of two warps per row: keys enter a table by compare-and-swap; then the row is sorted by
// counting.
constexpr int kTable = 512;
template <bool kWrites>
__global__ void sparse_product(Csr a, Csr b, int* counts, const int* begin, int* column,
                               int* value) {
  __shared__ int keys[kTable], sums[kTable];
  __shared__ int used;
  const int row = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < kTable; i += blockDim.x)
    keys[i] = -1, sums[i] = 0;
  if (threadIdx.x == 0) used = 0;
  __syncthreads();
  for (int e = a.begin[row] + warp; e < a.begin[row + 1]; e += blockDim.x / 32) {
    const int k = a.column[e];
    for (int f = b.begin[k] + lane; f < b.begin[k + 1]; f += 32) {
      const int key = b.column[f];
      unsigned slot = key * 2654435761u % kTable;
      for (;; slot = (slot + 1) % kTable) {
        const int found = atomicCAS(&keys[slot], -1, key);
        if (found == -1) atomicAdd(&used, 1);
        if (found == -1 || found == key) break;
      }
      atomicAdd(&sums[slot], a.value[e] * b.value[f]);
    }
  }
  __syncthreads();
  if constexpr (!kWrites) {
    if (threadIdx.x == 0) counts[row] = used;
  } else {
    for (int i = threadIdx.x; i < kTable; i += blockDim.x) {
      if (keys[i] < 0) continue;
      int before = 0;
      for (int j = 0; j < kTable; ++j)
        before += keys[j] >= 0 && keys[j] < keys[i];
      column[begin[row] + before] = keys[i];
      value[begin[row] + before] = sums[i];
    }
  }
}

// L x = b with ones on the diagonal: a warp per row waits until the rows that it reads are done.
__global__ void solve(Csr l, const int* b, int* x, int* done) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= l.rows) return;
  unsigned sum = 0;
  for (int e = l.begin[row] + lane; e < l.begin[row + 1]; e += 32) {
    const int column = l.column[e];
    while (*static_cast<volatile int*>(&done[column]) == 0) {
    }
    __threadfence();
    sum += static_cast<unsigned>(l.value[e]) * static_cast<unsigned>(x[column]);
  }
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(~0u, sum, offset);
  if (lane != 0) return;
  x[row] = static_cast<int>(static_cast<unsigned>(b[row]) - sum);
  __threadfence();
  *static_cast<volatile int*>(&done[row]) = 1;
}

struct Matrix {
  std::vector<int> begin{0}, column, value;
  Csr on_device() const {
    int* parts[] = {device_array<int>(begin.size()), device_array<int>(column.size()),
                    device_array<int>(value.size())};
    to_device(parts[0], begin.data(), begin.size());
    to_device(parts[1], column.data(), column.size());
    to_device(parts[2], value.data(), value.size());
    return {static_cast<int>(begin.size()) - 1, parts[0], parts[1], parts[2]};
  }
};

int main() {
  constexpr int kRows = 600;
  uint32_t seed = 2;
  const auto draw = [&](int n) {
    return static_cast<int>((seed = seed * 1664525u + 1013904223u) >> 8) % n;
  };
  const auto random_matrix = [&](bool below_diagonal, int most) {
    Matrix m;
    for (int row = 0; row < kRows; ++row) {
      std::map<int, int> elements;
      const int count = row % 97 == 5  ? most
                        : draw(3) == 0 ? 0
                                       : draw(8);  // few long rows, many empty ones
      for (int i = 0; i < count && (row > 0 || !below_diagonal); ++i)
        elements[draw(below_diagonal ? row : kRows)] = draw(19) - 9;
      for (const auto& [column, value] : elements)
        m.column.push_back(column), m.value.push_back(value);
      m.begin.push_back(static_cast<int>(m.column.size()));
    }
    return m;
  };
  const Matrix a = random_matrix(false, 300), b = random_matrix(false, 6),
               l = random_matrix(true, 100);
  const Csr on_a = a.on_device(), on_b = b.on_device(), on_l = l.on_device();
  std::vector<int> x(kRows), y(kRows), got(kRows);
  for (int i = 0; i < kRows; ++i)
    x[i] = draw(100) - 50;
  int *device_x = device_array<int>(kRows), *device_y = device_array<int>(kRows);
  to_device(device_x, x.data(), kRows);
  const int threads = (kRows + a.begin[kRows] + kItems - 1) / kItems;
  int2* carries = device_array<int2>(threads);
  merge_product<<<(threads + 127) / 128, 128>>>(on_a, device_x, device_y, carries, threads);
  add_carries<<<(threads + 127) / 128, 128>>>(carries, threads, kRows, device_y);
  finish("merge product");
  to_host(got.data(), device_y, kRows);
  for (int row = 0; row < kRows; ++row)
    for (int e = a.begin[row]; e < a.begin[row + 1]; ++e)
      y[row] += a.value[e] * x[a.column[e]];
  printf("matrix times vector: %d elements, %s\n", a.begin[kRows], got == y ? "right" : "wrong");

  int* counts = device_array<int>(kRows);
  sparse_product<false><<<kRows, 64>>>(on_a, on_b, counts, nullptr, nullptr, nullptr);
  finish("counts");
  Matrix c;
  std::vector<int> host_counts(kRows);
  to_host(host_counts.data(), counts, kRows);
  for (int count : host_counts)
    c.begin.push_back(c.begin.back() + count);
  c.column.resize(c.begin.back());
  c.value.resize(c.begin.back());
  const Csr on_c = c.on_device();
  sparse_product<true><<<kRows, 64>>>(on_a, on_b, counts, on_c.begin, const_cast<int*>(on_c.column),
                                      const_cast<int*>(on_c.value));
  finish("sparse product");
  to_host(c.column.data(), on_c.column, c.column.size());
  to_host(c.value.data(), on_c.value, c.value.size());
  int wrong = 0;
  for (int row = 0; row < kRows; ++row) {
    std::map<int, int> sums;
    for (int e = a.begin[row]; e < a.begin[row + 1]; ++e)
      for (int f = b.begin[a.column[e]]; f < b.begin[a.column[e] + 1]; ++f)
        sums[b.column[f]] += a.value[e] * b.value[f];
    wrong += static_cast<int>(sums.size()) != host_counts[row];
    int at = c.begin[row];
    for (const auto& [column, value] : sums) {
      if (at == c.begin[row + 1]) break;
      wrong += c.column[at] != column || c.value[at] != value;
      ++at;
    }
  }
  printf("matrix times matrix: %d elements, %d wrong\n", c.begin.back(), wrong);

  int* done = device_array<int>(kRows);
  check(cudaMemset(done, 0, kRows * sizeof(int)), "memset");
  solve<<<(kRows + 3) / 4, 128>>>(on_l, device_x, device_y, done);
  finish("solve");
  to_host(got.data(), device_y, kRows);
  for (int row = 0; row < kRows; ++row) {
    unsigned sum = static_cast<unsigned>(x[row]);
    for (int e = l.begin[row]; e < l.begin[row + 1]; ++e)
      sum -= static_cast<unsigned>(l.value[e]) * static_cast<unsigned>(y[l.column[e]]);
    y[row] = static_cast<int>(sum);
  }
  printf("triangular solve: %s\n", got == y ? "right" : "wrong");
  return 0;
}
