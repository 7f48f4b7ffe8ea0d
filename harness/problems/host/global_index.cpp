// out[i] = i: the first kernel, which only has to find out which thread it is.
#include "harness/problems/inputs.h"

namespace ridge::problems {

Problem global_index() {
  return {
      .id = "global_index",
      .signature = "(float* out, int n, cudaStream_t stream)",
      .size_names = {"n"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"out", Role::output, {sizes[0]}}};
      },
      .operations = [](const Sizes&) { return 0.0; },
      .reference = [](const Case& given) -> std::vector<Expected> {
        Expected out{0, LargeArray<double>(static_cast<size_t>(given.sizes[0])), {}};
        for (size_t i = 0; i < out.value.size(); ++i)
          out.value[i] = static_cast<double>(i);
        return {std::move(out)};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(float*, int, Stream)>(entry);
            function(with.buffer<float>(0), with.size(0), with.stream);
          },
      .edge_sizes = edge_sizes_1d(),
      .hidden_limit = {6000},
  };
}

}  // namespace ridge::problems
