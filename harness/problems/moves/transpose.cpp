// out[c][r] = in[r][c]. Bit for bit.
#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

Problem transpose() {
  return {
      .id = "transpose",
      .signature = "(const float* in, float* out, int rows, int cols, cudaStream_t stream)",
      .size_names = {"rows", "cols"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, {sizes[0], sizes[1]}}, {"out", Role::output, {sizes[1], sizes[0]}}};
      },
      .operations = [](const Sizes&) { return 0.0; },
      .reference = [](const Case& given) -> std::vector<Expected> {
        auto in = given.input<float>(0);
        auto rows = static_cast<size_t>(given.sizes[0]), cols = static_cast<size_t>(given.sizes[1]);
        Expected out{1, LargeArray<double>(in.size()), {}};
        // 16 columns at a time share cache lines of `in`.
        rows_in_parallel(given.sizes[1], 16, [&](int64_t first, int64_t last) {
          for (size_t r = 0; r < rows; ++r)
            for (auto c = static_cast<size_t>(first); c < static_cast<size_t>(last); ++c)
              out.value[c * rows + r] = in[r * cols + c];
        });
        return {std::move(out)};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const float*, float*, int, int, Stream)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.size(0), with.size(1), with.stream);
          },
      .edge_sizes = edge_sizes_2d(),
      .hidden_limit = {120, 120},
  };
}

}  // namespace ridge::problems
