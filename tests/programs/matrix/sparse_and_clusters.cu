// Sparse matrix-vector products (CSR, a thread or a warp a row) and k-means with integer coordinates.
#include <vector>

#include "check.h"

__global__ void spmv_scalar(const int* begin, const int* columns, const double* values, const double* x,
                            double* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = begin[row]; i < begin[row + 1]; ++i)
    sum += values[i] * x[columns[i]];
  y[row] = sum;
}

__global__ void spmv_vector(const int* begin, const int* columns, const double* values, const double* x,
                            double* y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  double sum = 0;
  for (int i = begin[row] + lane; i < begin[row + 1]; i += 32)
    sum += values[i] * x[columns[i]];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

constexpr int kClusters = 5;
struct Sums {
  long long x[kClusters], y[kClusters];
  int count[kClusters];
};
__constant__ int2 centres[kClusters];

__global__ void assign(const int2* points, int* cluster, Sums* sums, int n) {
  __shared__ Sums local;
  if (threadIdx.x < kClusters) {
    local.x[threadIdx.x] = local.y[threadIdx.x] = 0;
    local.count[threadIdx.x] = 0;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int2 p = points[i];
    long long best = 1ll << 62;
    int chosen = 0;
    for (int c = 0; c < kClusters; ++c) {
      long long dx = p.x - centres[c].x, dy = p.y - centres[c].y, distance = dx * dx + dy * dy;
      if (distance < best) {
        best = distance;
        chosen = c;
      }
    }
    cluster[i] = chosen;
    atomicAdd(reinterpret_cast<unsigned long long*>(&local.x[chosen]), static_cast<unsigned long long>(p.x));
    atomicAdd(reinterpret_cast<unsigned long long*>(&local.y[chosen]), static_cast<unsigned long long>(p.y));
    atomicAdd(&local.count[chosen], 1);
  }
  __syncthreads();
  if (threadIdx.x < kClusters) {
    atomicAdd(reinterpret_cast<unsigned long long*>(&sums->x[threadIdx.x]),
              static_cast<unsigned long long>(local.x[threadIdx.x]));
    atomicAdd(reinterpret_cast<unsigned long long*>(&sums->y[threadIdx.x]),
              static_cast<unsigned long long>(local.y[threadIdx.x]));
    atomicAdd(&sums->count[threadIdx.x], local.count[threadIdx.x]);
  }
}

int main() {
  unsigned state = 99;
  const auto next = [&](unsigned limit) {
    return static_cast<int>(((state = state * 1664525u + 1013904223u) >> 8) % limit);
  };
  constexpr int rows = 777;
  std::vector<int> begin{0}, columns;
  std::vector<double> values, x(rows), expected(rows), y(rows);
  for (int i = 0; i < rows; ++i) {
    x[i] = next(64) - 32;
    int length = i % 50 == 0 ? 100 : next(9);  // some rows are much longer
    for (int j = 0; j < length; ++j) {
      columns.push_back(next(rows));
      values.push_back(next(16) * 0.25);
    }
    begin.push_back(static_cast<int>(columns.size()));
  }
  for (int i = 0; i < rows; ++i)
    for (int j = begin[i]; j < begin[i + 1]; ++j)
      expected[i] += values[j] * x[columns[j]];
  int *dbegin = device_array<int>(rows + 1), *dcolumns = device_array<int>(columns.size());
  double *dvalues = device_array<double>(values.size()), *dx = device_array<double>(rows),
         *dy = device_array<double>(rows);
  to_device(dbegin, begin.data(), begin.size());
  to_device(dcolumns, columns.data(), columns.size());
  to_device(dvalues, values.data(), values.size());
  to_device(dx, x.data(), x.size());
  spmv_scalar<<<(rows + 127) / 128, 128>>>(dbegin, dcolumns, dvalues, dx, dy, rows);
  finish("scalar");
  to_host(y.data(), dy, rows);
  printf("scalar %d\n", y == expected);
  check(cudaMemset(dy, 0, rows * sizeof(double)), "cudaMemset");
  spmv_vector<<<(rows + 3) / 4, 128>>>(dbegin, dcolumns, dvalues, dx, dy, rows);
  finish("vector");
  to_host(y.data(), dy, rows);
  printf("vector %d, row 50: %g\n", y == expected, y[50]);

  constexpr int n = 6000;
  std::vector<int2> points(n);
  std::vector<int2> start(kClusters);
  for (int i = 0; i < n; ++i)
    points[i] = {(i % kClusters) * 1000 + next(900), (i * i % kClusters) * 800 + next(900)};
  for (int c = 0; c < kClusters; ++c)
    start[c] = points[c * 7];
  int2* dpoints = device_array<int2>(n);
  int* dcluster = device_array<int>(n);
  Sums* dsums = device_array<Sums>(1);
  to_device(dpoints, points.data(), n);
  std::vector<int> cluster(n), own(n);
  std::vector<int2> now = start, own_now = start;
  for (int round = 0; round < 8; ++round) {
    check(cudaMemcpyToSymbol(centres, now.data(), sizeof(int2) * kClusters), "cudaMemcpyToSymbol");
    check(cudaMemset(dsums, 0, sizeof(Sums)), "cudaMemset");
    assign<<<(n + 255) / 256, 256>>>(dpoints, dcluster, dsums, n);
    finish("assign");
    Sums sums, own_sums{};
    to_host(&sums, dsums, 1);
    for (int i = 0; i < n; ++i) {
      long long best = 1ll << 62;
      for (int c = 0; c < kClusters; ++c) {
        long long ex = points[i].x - own_now[c].x, ey = points[i].y - own_now[c].y;
        if (ex * ex + ey * ey < best) {
          best = ex * ex + ey * ey;
          own[i] = c;
        }
      }
      own_sums.x[own[i]] += points[i].x;
      own_sums.y[own[i]] += points[i].y;
      ++own_sums.count[own[i]];
    }
    for (int c = 0; c < kClusters; ++c) {
      if (sums.count[c] > 0)
        now[c] = {static_cast<int>(sums.x[c] / sums.count[c]), static_cast<int>(sums.y[c] / sums.count[c])};
      if (own_sums.count[c] > 0)
        own_now[c] = {static_cast<int>(own_sums.x[c] / own_sums.count[c]),
                      static_cast<int>(own_sums.y[c] / own_sums.count[c])};
    }
  }
  to_host(cluster.data(), dcluster, n);
  printf("k-means equal %d, centre 0 at %d %d\n", cluster == own, now[0].x, now[0].y);
}
