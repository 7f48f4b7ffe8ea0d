// The wmma API with each element type, shapes and layouts mixed: alpha A B + beta C, element-wise on
// fragments.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <vector>

#include "check.h"

using namespace nvcuda;

// One warp, one tile; A row-major, B column-major unless said otherwise.
template <class In, class Out, int M, int N, int K, class ALayout, class BLayout, class Stored = In>
__global__ void tile(const Stored* a, const Stored* b, const Out* c, Out* d) {
  wmma::fragment<wmma::matrix_a, M, N, K, In, ALayout> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, In, BLayout> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Out> fc, sum;
  constexpr bool a_rows = std::is_same_v<ALayout, wmma::row_major>,
                 b_rows = std::is_same_v<BLayout, wmma::row_major>;
  wmma::load_matrix_sync(fa, a, a_rows ? K : M);
  wmma::load_matrix_sync(fb, b, b_rows ? N : K);
  wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
  wmma::fill_fragment(sum, static_cast<Out>(0));
  wmma::mma_sync(sum, fa, fb, sum);
  // Accumulators of the same shape may be mixed element by element.
  for (int i = 0; i < sum.num_elements; ++i)
    sum.x[i] = static_cast<Out>(2) * sum.x[i] + static_cast<Out>(3) * fc.x[i];
  wmma::store_matrix_sync(d, sum, N, wmma::mem_row_major);
}

int pattern(int i, int seed) {
  return (i * 37 + i / 7 * 11 + seed) % 9 - 4;
}

template <class In, class Out, int M, int N, int K, class ALayout, class BLayout, class Stored = In>
void run(const char* name, bool is_unsigned = false) {
  std::vector<Stored> a(M * K), b(K * N);
  std::vector<Out> c(M * N), d(M * N);
  const auto value = [&](int i, int seed) { return pattern(i, seed) + (is_unsigned ? 4 : 0); };
  for (int i = 0; i < M * K; ++i)
    a[i] = static_cast<Stored>(static_cast<float>(value(i, 1)));
  for (int i = 0; i < K * N; ++i)
    b[i] = static_cast<Stored>(static_cast<float>(value(i, 5)));
  for (int i = 0; i < M * N; ++i)
    c[i] = static_cast<Out>(static_cast<float>(pattern(i, 3)));
  auto* da = device_array<Stored>(a.size());
  auto* db = device_array<Stored>(b.size());
  auto *dc = device_array<Out>(c.size()), *dd = device_array<Out>(d.size());
  to_device(da, a.data(), a.size());
  to_device(db, b.data(), b.size());
  to_device(dc, c.data(), c.size());
  tile<In, Out, M, N, K, ALayout, BLayout, Stored><<<1, 32>>>(da, db, dc, dd);
  finish(name);
  to_host(d.data(), dd, d.size());
  constexpr bool a_rows = std::is_same_v<ALayout, wmma::row_major>,
                 b_rows = std::is_same_v<BLayout, wmma::row_major>;
  int wrong = 0;
  double total = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += static_cast<double>(value(a_rows ? m * K + k : k * M + m, 1)) *
               value(b_rows ? k * N + n : n * K + k, 5);
      const double expected = 2 * sum + 3 * pattern(m * N + n, 3), got = static_cast<double>(d[m * N + n]);
      wrong += got != expected;
      total += got * (1 + (m * N + n) % 5);
    }
  }
  std::printf("%-28s %d wrong, weighted sum %.0f\n", name, wrong, total);
}

int main() {
  using Row = wmma::row_major;
  using Col = wmma::col_major;
  run<half, float, 16, 16, 16, Row, Col>("half 16x16x16 row col");
  run<half, float, 32, 8, 16, Col, Row>("half 32x8x16 col row");
  run<half, float, 8, 32, 16, Row, Row>("half 8x32x16 row row");
  run<half, half, 16, 16, 16, Col, Col>("half to half 16x16x16");
  run<half, half, 8, 32, 16, Col, Row>("half to half 8x32x16");
  run<__nv_bfloat16, float, 16, 16, 16, Row, Row>("bfloat16 16x16x16 row row");
  run<__nv_bfloat16, float, 32, 8, 16, Row, Col>("bfloat16 32x8x16 row col");
  run<wmma::precision::tf32, float, 16, 16, 8, Row, Col, float>("tf32 16x16x8 row col");
  run<wmma::precision::tf32, float, 16, 16, 8, Col, Row, float>("tf32 16x16x8 col row");
  run<signed char, int, 16, 16, 16, Row, Col>("signed char 16x16x16");
  run<signed char, int, 8, 32, 16, Col, Row>("signed char 8x32x16");
  run<unsigned char, int, 32, 8, 16, Row, Row>("unsigned char 32x8x16", true);
  run<double, double, 8, 8, 4, Row, Col>("double 8x8x4 row col");
  run<double, double, 8, 8, 4, Col, Row>("double 8x8x4 col row");
  return 0;
}
