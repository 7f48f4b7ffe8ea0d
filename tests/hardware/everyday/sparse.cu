// Sparse matrices and graphs.
#include "everyday.h"

constexpr int kRows = 2048, kThreads = 128;

__global__ void csr_scalar(const int* starts, const int* columns, const float* values, const float* x, float* y) {
  const int row = global_index();
  if (row >= kRows) return;
  float sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k)
    sum += values[k] * x[columns[k]];
  y[row] = sum;
}

__global__ void csr_vector(const int* starts, const int* columns, const float* values, const float* x, float* y) {
  const int warp = global_index() / 32, lane = threadIdx.x & 31;
  if (warp >= kRows) return;
  float sum = 0;
  for (int k = starts[warp] + lane; k < starts[warp + 1]; k += 32)
    sum += values[k] * x[columns[k]];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[warp] = sum;
}

__global__ void ell(int width, const int* columns, const float* values, const float* x, float* y) {
  const int row = global_index();
  if (row >= kRows) return;
  float sum = 0;
  for (int k = 0; k < width; ++k) {
    const int column = columns[k * kRows + row];
    if (column >= 0) sum += values[k * kRows + row] * x[column];
  }
  y[row] = sum;
}

__global__ void coo_atomic(int count, const int* rows, const int* columns, const float* values, const float* x, float* y) {
  const int k = global_index();
  if (k < count) atomicAdd(&y[rows[k]], values[k] * x[columns[k]]);
}

__global__ void csr_times_dense(const int* starts, const int* columns, const float* values, const float* dense,
                                float* out, int width) {
  const int row = blockIdx.x, c = threadIdx.x;
  float sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k)
    sum += values[k] * dense[columns[k] * width + c];
  out[row * width + c] = sum;
}

__global__ void bfs_level(const int* starts, const int* targets, int* levels, int level, int* changed) {
  const int node = global_index();
  if (node >= kRows || levels[node] != level) return;
  for (int k = starts[node]; k < starts[node + 1]; ++k) {
    const int next = targets[k];
    if (levels[next] < 0) {
      levels[next] = level + 1;
      *changed = 1;
    }
  }
}

__global__ void bfs_queue(const int* starts, const int* targets, int* levels, const int* frontier, int frontier_count,
                          int* next, int* next_count, int level) {
  const int i = global_index();
  if (i >= frontier_count) return;
  const int node = frontier[i];
  for (int k = starts[node]; k < starts[node + 1]; ++k)
    if (atomicCAS(&levels[targets[k]], -1, level + 1) == -1) next[atomicAdd(next_count, 1)] = targets[k];
}

__global__ void relax_edges(int count, const int* from, const int* to, const int* weights, int* distances) {
  const int k = global_index();
  if (k >= count) return;
  const int reach = distances[from[k]];
  if (reach < 1000000) atomicMin(&distances[to[k]], reach + weights[k]);
}

__device__ int root_of(const int* parents, int node) {
  while (parents[node] != node)
    node = parents[node];
  return node;
}

__global__ void compress_paths(int* parents) {
  const int node = global_index();
  if (node < kRows) parents[node] = root_of(parents, node);
}

__global__ void hook_roots(int count, const int* from, const int* to, int* parents) {
  const int k = global_index();
  if (k >= count) return;
  int a = root_of(parents, from[k]), b = root_of(parents, to[k]);
  while (a != b) {
    const int high = max(a, b), low = min(a, b);
    const int old = atomicCAS(&parents[high], high, low);
    if (old == high) break;
    a = root_of(parents, old);
    b = root_of(parents, low);
  }
}

__global__ void page_rank(const int* starts, const int* sources, const float* ranks, const int* degrees, float* out) {
  const int node = global_index();
  if (node >= kRows) return;
  float sum = 0;
  for (int k = starts[node]; k < starts[node + 1]; ++k) {
    const int source = sources[k];
    if (degrees[source] > 0) sum += ranks[source] / degrees[source];
  }
  out[node] = 0.15f / kRows + 0.85f * sum;
}

// Common neighbours of the ends of an edge: rows are sorted, both are walked.
__global__ void count_triangles(const int* starts, const int* targets, unsigned* total) {
  const int node = global_index();
  if (node >= kRows) return;
  unsigned found = 0;
  for (int k = starts[node]; k < starts[node + 1]; ++k) {
    const int other = targets[k];
    int i = starts[node], j = starts[other];
    while (i < starts[node + 1] && j < starts[other + 1]) {
      if (targets[i] == targets[j]) {
        ++found;
        ++i;
        ++j;
      } else if (targets[i] < targets[j]) {
        ++i;
      } else {
        ++j;
      }
    }
  }
  if (found > 0) atomicAdd(total, found);
}

__global__ void degrees_of(const int* targets, int* degrees, int count) {
  for (int k = global_index(); k < count; k += blockDim.x * gridDim.x)
    atomicAdd(&degrees[targets[k]], 1);
}

int main() {
  std::vector<int> starts{0}, columns, rows;
  for (int r = 0; r < kRows; ++r) {
    const int count = number_at(r) % 13 + (r % 97 == 0 ? 50 : 0);
    for (int k = 0; k < count; ++k) {
      columns.push_back((k * (kRows / count) + number_at(r * 100 + k) % (kRows / count)) % kRows);
      rows.push_back(r);
    }
    starts.push_back(columns.size());
  }
  const int nonzeros = columns.size();
  int* d_starts = device_copy(starts);
  int* d_columns = device_copy(columns);
  int* d_rows = device_copy(rows);
  float* values = random_reals(nonzeros);
  float* x = random_reals(kRows * 64, 2);
  float* y = device_array<float>(kRows * 64);
  const int blocks = kRows / kThreads, edge_blocks = (nonzeros + kThreads - 1) / kThreads;
  csr_scalar<<<blocks, kThreads>>>(d_starts, d_columns, values, x, y);
  csr_vector<<<kRows / 4, kThreads>>>(d_starts, d_columns, values, x, y);
  int* ell_columns = device_values<int>(8 * kRows, [](size_t i) {
    return number_at(i, 3) % 5 == 0 ? -1 : static_cast<int>(number_at(i, 4) % kRows);
  });
  ell<<<blocks, kThreads>>>(8, ell_columns, random_reals(8 * kRows, 5), x, y);
  coo_atomic<<<edge_blocks, kThreads>>>(nonzeros, d_rows, d_columns, values, x, y);
  csr_times_dense<<<512, 64>>>(d_starts, d_columns, values, x, y, 64);
  int* levels = device_values<int>(kRows, [](size_t i) { return i % 7 == 0 ? 1 : i % 5 == 0 ? 0 : -1; });
  bfs_level<<<blocks, kThreads>>>(d_starts, d_columns, levels, 1, device_array<int>(1));
  int* queue_levels = device_values<int>(kRows, [](size_t i) { return i < 300 ? 0 : -1; });
  int* frontier = device_values<int>(300, [](size_t i) { return i; });
  bfs_queue<<<3, kThreads>>>(d_starts, d_columns, queue_levels, frontier, 300, device_array<int>(kRows),
                             device_array<int>(1), 0);
  int* distances = device_values<int>(kRows, [](size_t i) { return i % 3 == 0 ? number_at(i) % 50 : 1000000; });
  relax_edges<<<edge_blocks, kThreads>>>(nonzeros, d_rows, d_columns, random_integers(nonzeros, 20), distances);
  int* parents = device_values<int>(kRows, [](size_t i) { return i == 0 ? 0 : i - 1 - number_at(i, 6) % (i < 20 ? i : 20); });
  compress_paths<<<blocks, kThreads>>>(device_values<int>(kRows, [](size_t i) { return i / 3; }));
  hook_roots<<<edge_blocks, kThreads>>>(nonzeros, d_rows, d_columns, parents);
  page_rank<<<blocks, kThreads>>>(d_starts, d_columns, x, random_integers(kRows, 9), y);
  count_triangles<<<blocks, kThreads>>>(d_starts, d_columns, device_array<unsigned>(1));
  degrees_of<<<8, kThreads>>>(d_columns, device_array<int>(kRows), nonzeros);
  finish();
}
