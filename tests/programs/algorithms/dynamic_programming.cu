// The longest common subsequence, one anti-diagonal after the other: a launch each, then in one block with
// barriers. And all shortest paths (Floyd and Warshall).
#include <algorithm>
#include <string>
#include <vector>

#include "check.h"

__global__ void diagonal(const char* a, const char* b, int* table, int n, int m, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = d - i;
  if (i > n || j < 1 || j > m) return;
  int width = m + 1;
  table[i * width + j] = a[i - 1] == b[j - 1] ? table[(i - 1) * width + j - 1] + 1
                                              : max(table[(i - 1) * width + j], table[i * width + j - 1]);
}

// Three diagonals in shared memory are enough.
__global__ void whole(const char* a, const char* b, int* length, int n, int m) {
  extern __shared__ int diagonals[];
  int size = n + 1;
  for (int i = threadIdx.x; i < 3 * size; i += blockDim.x)
    diagonals[i] = 0;
  __syncthreads();
  for (int d = 2; d <= n + m; ++d) {
    int *now = diagonals + d % 3 * size, *one = diagonals + (d + 2) % 3 * size,
        *two = diagonals + (d + 1) % 3 * size;
    for (int i = threadIdx.x; i <= n; i += blockDim.x) {
      int j = d - i;
      if (i == 0 || j < 1 || j > m)
        now[i] = 0;
      else
        now[i] = a[i - 1] == b[j - 1] ? two[i - 1] + 1 : max(one[i - 1], one[i]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *length = diagonals[(n + m) % 3 * size + n];
}

__global__ void relax(int* distance, int n, int through) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n) return;
  int by_way = distance[i * n + through] + distance[through * n + j];
  // Row and column `through`, which all others read, are never shorter by way of themselves: nobody writes
  // them.
  if (by_way < distance[i * n + j]) distance[i * n + j] = by_way;
}

int main() {
  std::string a, b;
  unsigned state = 5;
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 16; };
  for (int i = 0; i < 300; ++i)
    a += "ACGT"[next() % 4];
  for (int i = 0; i < 260; ++i)
    b += "ACGT"[next() % 4];
  int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  char *da = device_array<char>(n), *db = device_array<char>(m);
  to_device(da, a.data(), n);
  to_device(db, b.data(), m);
  int *table = device_array<int>((n + 1) * (m + 1)), *length = device_array<int>(1);
  check(cudaMemset(table, 0, (n + 1) * (m + 1) * sizeof(int)), "cudaMemset");
  for (int d = 2; d <= n + m; ++d)
    diagonal<<<(n + 127) / 128, 128>>>(da, db, table, n, m, d);
  whole<<<1, 128, 3 * (n + 1) * sizeof(int)>>>(da, db, length, n, m);
  finish("lcs");
  std::vector<int> expected((n + 1) * (m + 1)), got((n + 1) * (m + 1));
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= m; ++j)
      expected[i * (m + 1) + j] =
          a[i - 1] == b[j - 1] ? expected[(i - 1) * (m + 1) + j - 1] + 1
                               : std::max(expected[(i - 1) * (m + 1) + j], expected[i * (m + 1) + j - 1]);
  to_host(got.data(), table, got.size());
  int of_block = 0;
  to_host(&of_block, length, 1);
  printf("lcs table %d, length %d, in one block %d\n", got == expected, got.back(), of_block);

  constexpr int nodes = 60;
  std::vector<int> distance(nodes * nodes, 1000000), result(nodes * nodes);
  for (int i = 0; i < nodes; ++i) {
    distance[i * nodes + i] = 0;
    for (int e = 0; e < 4; ++e)
      distance[i * nodes + next() % nodes] = static_cast<int>(next() % 90 + 10);
    distance[i * nodes + i] = 0;
  }
  int* dd = device_array<int>(distance.size());
  to_device(dd, distance.data(), distance.size());
  for (int through = 0; through < nodes; ++through) {
    relax<<<dim3(1, nodes), 64>>>(dd, nodes, through);
    for (int i = 0; i < nodes; ++i)
      for (int j = 0; j < nodes; ++j)
        distance[i * nodes + j] =
            std::min(distance[i * nodes + j], distance[i * nodes + through] + distance[through * nodes + j]);
  }
  finish("paths");
  to_host(result.data(), dd, result.size());
  printf("paths %d, longest %d\n", result == distance, *std::max_element(result.begin(), result.end()));
}
