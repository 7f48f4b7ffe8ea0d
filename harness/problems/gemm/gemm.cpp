// Matrix products of row-major matrices. gemm: C [m][n] = A [m][k] B [k][n] in float32. gemm_bf16
// and gemm_fp8: C [m][n] = A [m][k] (B [n][k])^T, like a linear layer with its weights: both
// operands are contiguous along k, which tensor cores prefer (and fp8 requires). bfloat16 or e4m3
// operands, float32 accumulators, a bfloat16 result. gemm_whole_tiles: gemm with sizes that are
// multiples of 32. gemm_bf16_one_step: gemm_bf16 with k = 64. gemm_bias_gelu: C = gelu(A B^T + bias)
// of bfloat16, bias one number per column.
#include <cmath>

#include "harness/problems/fused/gelu.h"
#include "harness/problems/gemm/product.h"
#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

// True when row j of B is column j of the product's second factor.
bool b_along_k(Type type) {
  return type != Type::float32;
}

// Norms of the rows of A and the columns of B. Their product is an upper bound of the sum of |a b|
// of an element (Cauchy-Schwarz), at most a third too large for inputs uniform in [-1, 1].
std::vector<double> row_norms(std::span<const double> matrix, int64_t rows, int64_t cols) {
  std::vector<double> norms(static_cast<size_t>(rows));
  rows_in_parallel(rows, 16, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < cols; ++j)
        sum += matrix[static_cast<size_t>(i * cols + j)] * matrix[static_cast<size_t>(i * cols + j)];
      norms[static_cast<size_t>(i)] = std::sqrt(sum);
    }
  });
  return norms;
}
std::vector<double> column_norms(std::span<const double> matrix, int64_t rows, int64_t cols) {
  std::vector<double> norms(static_cast<size_t>(cols));
  rows_in_parallel(cols, 64, [&](int64_t first, int64_t last) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = first; j < last; ++j)
        norms[static_cast<size_t>(j)] +=
            matrix[static_cast<size_t>(i * cols + j)] * matrix[static_cast<size_t>(i * cols + j)];
  });
  for (double& norm : norms)
    norm = std::sqrt(norm);
  return norms;
}

// The additional error of accumulating k products. Hopper's tensor cores keep about 14 bits when
// they add products of fp8 (reported by DeepSeek-V3 in its section on accumulation precision), and
// truncate the rest at each instruction, 32 along k. If all products have one sign, the errors add
// up: an H200's sums of 272 were up to 0.6 of 275 too small, 2^-12 of the sum per instruction; we
// allow 2^-11. Missing products are still detected where signs differ.
double coarse_sums(Type operands, int64_t k, double value, double magnitude) {
  if (operands != Type::float8_e4m3) return 0;
  return 0x1p-11 * magnitude + 0x1p-11 * static_cast<double>(k) / 32 * std::fabs(value);
}

// The product C [m][n] of `a` [m][k], some rows of the case's A, and all of the case's B.
Expected product_with(std::span<const double> a, int64_t m, const Case& given) {
  const int64_t n = given.sizes[1], k = given.sizes[2];
  const Type type = given.buffers.back().type, operands = given.buffers[0].type;
  const LargeArray<double> b = doubles_of(given, 1);
  const bool along_k = b_along_k(operands);
  const std::vector<double> of_rows = row_norms(a, m, k),
                            of_columns = along_k ? row_norms(b, n, k) : column_norms(b, k, n);
  Expected c{given.buffers.size() - 1, multiply(a, b, along_k ? Factor::rows_of_k : Factor::rows_of_n, m, n, k),
             LargeArray<float>(static_cast<size_t>(m * n))};
  rows_in_parallel(m, 16, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const auto at = static_cast<size_t>(i * n + j);
        const double magnitude = of_rows[static_cast<size_t>(i)] * of_columns[static_cast<size_t>(j)];
        c.tolerance[at] = tolerance_of(Type::float32, k, magnitude) +
                          static_cast<float>(coarse_sums(operands, k, c.value[at], magnitude));
        // One more rounding, to the stored type.
        if (type != Type::float32)
          c.tolerance[at] +=
              static_cast<float>(unit_roundoff(type) * std::fabs(c.value[at]) + smallest_normal(type));
      }
  });
  return c;
}

std::vector<Expected> product(const Case& given) {
  std::vector<Expected> c;
  c.push_back(product_with(doubles_of(given, 0), given.sizes[0], given));
  return c;
}

Expected product_of_rows(const Case& given, std::span<const int64_t> rows) {
  const int64_t k = given.sizes[2];
  LargeArray<double> a(rows.size() * static_cast<size_t>(k));
  for (size_t i = 0; i < rows.size(); ++i)
    for (int64_t p = 0; p < k; ++p)
      a[i * static_cast<size_t>(k) + static_cast<size_t>(p)] =
          load_element(given.buffers[0].type, given.initial[0].data(), rows[i] * k + p);
  return product_with(a, static_cast<int64_t>(rows.size()), given);
}

// gelu(c + bias) for the rows of c. An error of the argument changes the result by at most 1.13
// times as much, the largest slope of GELU.
Expected activated(Expected c, const Case& given) {
  constexpr double kLargestSlope = 1.13;
  const auto bias = given.input<uint16_t>(2);
  elements_in_parallel(c.value.size(), [&](size_t i) {
    const double x = c.value[i] + static_cast<double>(text::bfloat_to_float(bias[i % bias.size()]));
    c.value[i] = gelu(x);
    c.tolerance[i] = static_cast<float>(kLargestSlope * static_cast<double>(c.tolerance[i]) + tolerance_of_gelu(x));
  });
  return c;
}

std::vector<Expected> activated_product(const Case& given) {
  std::vector<Expected> c;
  c.push_back(activated(product_with(doubles_of(given, 0), given.sizes[0], given), given));
  return c;
}

Expected activated_product_of_rows(const Case& given, std::span<const int64_t> rows) {
  return activated(product_of_rows(given, rows), given);
}

template <Type type>
std::vector<Buffer> matrices(const Sizes& sizes) {
  const int64_t m = sizes[0], n = sizes[1], k = sizes[2];
  const std::vector<int64_t> b = b_along_k(type) ? std::vector{n, k} : std::vector{k, n};
  return {{"a", Role::input, {m, k}, type},
          {"b", Role::input, b, type},
          {"c", Role::output, {m, n}, type == Type::float32 ? Type::float32 : Type::bfloat16}};
}

// One below, at and above tiles of 8 to 128, and shapes that are long in one dimension only.
std::vector<Sizes> shapes() {
  return {{1, 1, 1},     {1, 33, 7},   {33, 1, 65},   {31, 33, 32},  {32, 32, 32},  {33, 31, 1},
          {17, 19, 23},  {64, 64, 16}, {65, 63, 64},  {63, 65, 129}, {8, 128, 64},  {128, 8, 40},
          {129, 127, 9}, {1, 257, 1},  {100, 1, 257}, {96, 64, 64},  {96, 72, 48},  {130, 66, 34}, {5, 3, 301}};
}

// The same for tensor cores, whose loads are 16 bytes: rows of a, b and c are multiples of that.
std::vector<Sizes> shapes_of_16_bytes(int64_t k) {
  return {{1, 8, k},        {2, 16, 2 * k}, {33, 40, k},     {64, 64, 4 * k},   {63, 72, 8 * k},
          {65, 56, 7 * k},  {1, 264, k},    {129, 8, 3 * k}, {128, 128, 2 * k}, {127, 136, 3 * k},
          {129, 72, 9 * k}, {128, 256, k},  {33, 248, k},    {257, 24, 2 * k},  {5, 24, 41 * k}};
}

double multiply_adds(const Sizes& sizes) {
  return 2.0 * static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]) * static_cast<double>(sizes[2]);
}

template <typename Element, typename Result>
void call_product(void* entry, const Arguments& with) {
  auto function =
      reinterpret_cast<void (*)(const Element*, const Element*, Result*, int, int, int, Stream)>(entry);
  function(with.buffer<Element>(0), with.buffer<Element>(1), with.buffer<Result>(2), with.size(0),
           with.size(1), with.size(2), with.stream);
}

}  // namespace

Problem gemm() {
  return {
      .id = "gemm",
      .signature = "(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream)",
      .size_names = {"m", "n", "k"},
      .buffers = matrices<Type::float32>,
      .operations = multiply_adds,
      .reference = product,
      .reference_of_rows = product_of_rows,
      .call = call_product<float, float>,
      .edge_sizes = shapes(),
      .hidden_limit = {160, 160, 160},
  };
}

Problem gemm_bf16() {
  return {
      .id = "gemm_bf16",
      .signature =
          "(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n, int k, "
          "cudaStream_t stream)",
      .size_names = {"m", "n", "k"},
      .buffers = matrices<Type::bfloat16>,
      .operations = multiply_adds,
      .reference = product,
      .reference_of_rows = product_of_rows,
      .call = call_product<uint16_t, uint16_t>,
      .edge_sizes = shapes_of_16_bytes(8),
      .hidden_limit = {300, 300, 300},
      .hidden_step = {1, 8, 8},
  };
}

// For the rung that multiplies tiles that are already there: one k-step of 64.
Problem gemm_bf16_one_step() {
  Problem problem = gemm_bf16();
  problem.id = "gemm_bf16_one_step";
  problem.edge_sizes = {{1, 8, 64},   {2, 16, 64},    {33, 40, 64},   {64, 64, 64},  {63, 72, 64},
                        {65, 56, 64}, {1, 264, 64},   {129, 8, 64},   {64, 128, 64}, {128, 128, 64},
                        {5, 24, 64},  {127, 136, 64}, {129, 72, 64},  {33, 248, 64}, {257, 24, 64}};
  problem.hidden_limit = {300, 300, 64};
  problem.hidden_step = {1, 8, 64};
  return problem;
}

Problem gemm_fp8() {
  return {
      .id = "gemm_fp8",
      .signature =
          "(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, __nv_bfloat16* c, int m, int n, int k, "
          "cudaStream_t stream)",
      .size_names = {"m", "n", "k"},
      .buffers = matrices<Type::float8_e4m3>,
      .operations = multiply_adds,
      .reference = product,
      .reference_of_rows = product_of_rows,
      .call = call_product<uint8_t, uint16_t>,
      .edge_sizes = shapes_of_16_bytes(16),
      .hidden_limit = {300, 300, 300},
      .hidden_step = {1, 8, 16},
  };
}

Problem gemm_bias_gelu() {
  return {
      .id = "gemm_bias_gelu",
      .signature =
          "(const __nv_bfloat16* a, const __nv_bfloat16* b, const __nv_bfloat16* bias, __nv_bfloat16* c, int m, "
          "int n, int k, cudaStream_t stream)",
      .size_names = {"m", "n", "k"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        std::vector<Buffer> buffers = matrices<Type::bfloat16>(sizes);
        buffers.insert(buffers.begin() + 2, {"bias", Role::input, {sizes[1]}, Type::bfloat16});
        return buffers;
      },
      .operations = multiply_adds,
      .reference = activated_product,
      .reference_of_rows = activated_product_of_rows,
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const uint16_t*, const uint16_t*, const uint16_t*, uint16_t*, int, int, int,
                                          Stream)>(entry);
            function(with.buffer<uint16_t>(0), with.buffer<uint16_t>(1), with.buffer<uint16_t>(2),
                     with.buffer<uint16_t>(3), with.size(0), with.size(1), with.size(2), with.stream);
          },
      .edge_sizes = shapes_of_16_bytes(8),
      .hidden_limit = {300, 300, 300},
      .hidden_step = {1, 8, 8},
  };
}

// For the rungs that teach tiles before partial tiles.
Problem gemm_whole_tiles() {
  Problem problem = gemm();
  problem.id = "gemm_whole_tiles";
  problem.edge_sizes = {{32, 32, 32}, {32, 64, 32}, {64, 32, 32},  {32, 32, 64},  {64, 64, 32},
                        {64, 32, 64}, {32, 64, 64}, {64, 64, 64},  {32, 32, 96},  {96, 32, 32},
                        {32, 96, 64}, {96, 64, 32}, {32, 64, 160}, {128, 32, 32}, {32, 128, 96}};
  problem.hidden_step = {32, 32, 32};
  return problem;
}

}  // namespace ridge::problems
