// fields[f][i] = particles[i][f]: an array of structs {x, y, z, w} to a struct of arrays. Bit for
// bit.
#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

Problem split_particles() {
  return {
      .id = "split_particles",
      .signature = "(const float* particles, float* fields, int n, cudaStream_t stream)",
      .size_names = {"n"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"particles", Role::input, {sizes[0], 4}}, {"fields", Role::output, {4, sizes[0]}}};
      },
      .operations = [](const Sizes&) { return 0.0; },
      .reference = [](const Case& given) -> std::vector<Expected> {
        auto particles = given.input<float>(0);
        size_t n = particles.size() / 4;
        Expected fields{1, LargeArray<double>(particles.size()), {}};
        elements_in_parallel(n, [&](size_t i) {
          for (size_t f = 0; f < 4; ++f)
            fields.value[f * n + i] = particles[i * 4 + f];
        });
        return {std::move(fields)};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const float*, float*, int, Stream)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.size(0), with.stream);
          },
      .edge_sizes = edge_sizes_1d(),
      .hidden_limit = {3000},
  };
}

}  // namespace ridge::problems
