// out[r][c] = weight[c] * in[r][c] / sqrt((in[r][0]^2 + ... + in[r][cols - 1]^2) / cols + epsilon)
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/rows/row_sizes.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

// The sum of squares has only positive terms; its error grows like the root of their number and is
// halved by the square root. The root, the mean and two products add some units.
float tolerance_of_rms_norm(int64_t cols, double value) {
  const double roundings = 10 + 2 * std::sqrt(static_cast<double>(cols));
  return static_cast<float>(roundings * unit_roundoff(Type::float32) * std::fabs(value) +
                            smallest_normal(Type::float32));
}

}  // namespace

Problem rms_norm() {
  return {
      .id = "rms_norm",
      .signature =
          "(const float* in, const float* weight, float epsilon, float* out, int rows, int cols, "
          "cudaStream_t stream)",
      .size_names = {"rows", "cols"},
      .scalar_names = {"epsilon"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, {sizes[0], sizes[1]}},
                {"weight", Role::input, {sizes[1]}},
                {"out", Role::output, {sizes[0], sizes[1]}}};
      },
      // A square, an addition and two products per element.
      .operations =
          [](const Sizes& sizes) {
            return 4 * static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]);
          },
      .reference = [](const Case& given) -> std::vector<Expected> {
        const auto in = given.input<float>(0), weight = given.input<float>(1);
        const int64_t cols = given.sizes[1];
        const double epsilon = given.scalars[0];
        Expected out{2, LargeArray<double>(in.size()), LargeArray<float>(in.size())};
        rows_in_parallel(given.sizes[0], 1, [&](int64_t row, int64_t) {
          const auto begin = static_cast<size_t>(row * cols), length = static_cast<size_t>(cols);
          double squares = 0;
          for (size_t i = begin; i < begin + length; ++i)
            squares += static_cast<double>(in[i]) * in[i];
          const double factor = 1 / std::sqrt(squares / static_cast<double>(cols) + epsilon);
          for (size_t c = 0; c < length; ++c) {
            out.value[begin + c] = weight[c] * (in[begin + c] * factor);
            out.tolerance[begin + c] = tolerance_of_rms_norm(cols, out.value[begin + c]);
          }
        });
        return {std::move(out)};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const float*, const float*, float, float*, int, int, Stream)>(
                    entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.scalar(0), with.buffer<float>(2),
                     with.size(0), with.size(1), with.stream);
          },
      .edge_sizes = edge_sizes_of_rows(),
      .hidden_limit = {40, 3000},
  };
}

}  // namespace ridge::problems
