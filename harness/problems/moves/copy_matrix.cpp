// out = in, a matrix of bfloat16 whose rows are multiples of 16 bytes. Bit for bit.
#include "harness/problems/fused/bfloat16_rows.h"
#include "harness/problems/inputs.h"

namespace ridge::problems {

Problem copy_matrix() {
  return {
      .id = "copy_matrix",
      .signature = "(const __nv_bfloat16* in, __nv_bfloat16* out, int rows, int cols, cudaStream_t stream)",
      .size_names = {"rows", "cols"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, sizes, Type::bfloat16}, {"out", Role::output, sizes, Type::bfloat16}};
      },
      .operations = [](const Sizes&) { return 0.0; },
      .reference = [](const Case& given) -> std::vector<Expected> {
        const auto in = given.input<uint16_t>(0);
        Expected out{1, LargeArray<double>(in.size()), {}};
        for (size_t i = 0; i < in.size(); ++i)
          out.value[i] = bfloat16_value(in[i]);
        return {std::move(out)};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const uint16_t*, uint16_t*, int, int, Stream)>(entry);
            function(with.buffer<uint16_t>(0), with.buffer<uint16_t>(1), with.size(0), with.size(1), with.stream);
          },
      .edge_sizes = edge_sizes_of_vectors(),
      .hidden_limit = {200, 600},
      .hidden_step = {1, 8},
  };
}

}  // namespace ridge::problems
