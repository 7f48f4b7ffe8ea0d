// A chain of small steps for each of several tokens; each step uses the result of the previous one:
//     x = token[t] + out[t - 1] / 2          (for token 0: x = token[0])
//     x[i] = (x[i] + weights[l][i] * x[(i + 97 (l + 1)) % width]) / 2      for each layer l
//     out[t] = x
// A step does very little work: the cost is the overhead between the steps.
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

constexpr int64_t kHop = 97;
constexpr double kRoundingsPerLayer = 3;

double uniform_value(uint64_t bits) {  // in [-1, 1)
  return static_cast<double>(static_cast<int64_t>(bits) >> 11) * 0x1p-52;
}

// With weights beyond 1 the values of a long chain could overflow, so every draw has the same
// range.
void draw_weights(std::span<float> weights, uint64_t seed) {
  Random random(seed);
  for (float& weight : weights)
    weight = static_cast<float>(uniform_value(random.next()));
}

// Computes the values and also their magnitudes: the same chain of absolute values, to which
// roundings are proportional.
std::vector<Expected> decoded(const Case& given) {
  const auto tokens = given.input<float>(0), weights = given.input<float>(1);
  const int64_t layers = given.sizes[1], width = given.sizes[2];
  const auto wide = static_cast<size_t>(width);
  Expected out{2, LargeArray<double>(tokens.size()), LargeArray<float>(tokens.size())};
  std::vector<double> x(wide), magnitude(wide), next_x(wide), next_magnitude(wide);
  for (size_t t = 0; t < static_cast<size_t>(given.sizes[0]); ++t) {
    for (size_t i = 0; i < wide; ++i) {
      const auto token = static_cast<double>(tokens[t * wide + i]);
      x[i] = token + x[i] / 2;
      magnitude[i] = std::fabs(token) + magnitude[i] / 2;
    }
    for (int64_t layer = 0; layer < layers; ++layer) {
      for (int64_t i = 0; i < width; ++i) {
        const auto own = static_cast<size_t>(i),
                   other = static_cast<size_t>((i + kHop * (layer + 1)) % width);
        const auto weight = static_cast<double>(weights[static_cast<size_t>(layer) * wide + own]);
        next_x[own] = (x[own] + weight * x[other]) / 2;
        next_magnitude[own] = (magnitude[own] + std::fabs(weight) * magnitude[other]) / 2;
      }
      x.swap(next_x);
      magnitude.swap(next_magnitude);
    }
    const double roundings =
        kRoundingsPerLayer * static_cast<double>(layers + 1) * static_cast<double>(t + 1);
    for (size_t i = 0; i < wide; ++i) {
      out.value[t * wide + i] = x[i];
      out.tolerance[t * wide + i] =
          tolerance_of(Type::float32, static_cast<int64_t>(roundings), magnitude[i]);
    }
  }
  return {std::move(out)};
}

// {tokens, layers, width}
std::vector<Sizes> shapes_of_chains() {
  return {{1, 1, 1},   {1, 1, 33},  {2, 1, 31},  {1, 2, 97},  {2, 2, 98},  {3, 1, 255},
          {1, 3, 256}, {2, 3, 257}, {3, 2, 100}, {1, 6, 511}, {2, 4, 513}, {4, 2, 64},
          {5, 1, 7},   {1, 7, 96},  {2, 2, 600}, {1, 5, 2},   {3, 3, 1009}};
}

}  // namespace

Problem decode_chain() {
  return {
      .id = "decode_chain",
      .signature =
          "(const float* tokens, const float* weights, float* out, int count, int layers, int width, "
          "cudaStream_t stream)",
      .size_names = {"count", "layers", "width"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"tokens", Role::input, {sizes[0], sizes[2]}},
                {"weights", Role::input, {sizes[1], sizes[2]}},
                {"out", Role::output, {sizes[0], sizes[2]}}};
      },
      // Two operations per element for the token, three for each layer.
      .operations =
          [](const Sizes& sizes) {
            return static_cast<double>(sizes[0]) * static_cast<double>(sizes[2]) *
                   (2 + 3 * static_cast<double>(sizes[1]));
          },
      .steps =
          [](const Sizes& sizes) {
            return static_cast<double>(sizes[0]) * static_cast<double>(sizes[1] + 1);
          },
      .fill =
          [](const Fill& fill) {
            if (fill.buffer != 1) return false;
            draw_weights(
                {reinterpret_cast<float*>(fill.data.data()), fill.data.size() / sizeof(float)},
                fill.seed);
            return true;
          },
      .reference = decoded,
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const float*, const float*, float*, int, int,
                                                      int, Stream)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.buffer<float>(2),
                     with.size(0), with.size(1), with.size(2), with.stream);
          },
      .edge_sizes = shapes_of_chains(),
      .hidden_limit = {4, 8, 3000},
  };
}

}  // namespace ridge::problems
