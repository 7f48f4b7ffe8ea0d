// One decode step of a small transformer, for one token. For each layer:
//     q = w_query norm(x);  a = attention of q, head by head;  x += w_out a
//     u = gelu(w_up norm(x));  x += w_down u
// with norm(x) = x / sqrt(mean of x^2 + 1e-5). Weights and caches are bfloat16, all else is float32.
//
// The tolerance follows the values through the layers. Each value carries the error that float32
// roundings may have caused so far: those of a sum's terms are independent and add up as squares,
// those of softmax's scores share the query's error and add up as they are.
#include <cmath>
#include <numeric>

#include "harness/problems/fused/gelu.h"
#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"
#include "text/half_float.h"

namespace ridge::problems {

namespace {

constexpr int64_t kHeadWidth = 64;  // columns
constexpr double kNormEpsilon = 1e-5, kScoreScale = 0.125;
constexpr double kFunctionRoundings =
    8;  // of a function such as exp or a division, in units of roundoff
enum StepParameter : size_t {
  kStepInput,
  kQueryWeights,
  kOutWeights,
  kUpWeights,
  kDownWeights,
  kKeyCache,
  kValueCache,
  kStepResult
};

struct StepShape {
  int64_t layers, width, hidden, past;
  explicit StepShape(const Sizes& sizes)
      : layers(sizes[0]), width(sizes[1]), hidden(sizes[2]), past(sizes[3]) {}
  // {rows, columns} of a layer's part of a buffer.
  std::pair<int64_t, int64_t> extent_of(size_t buffer) const {
    switch (buffer) {
      case kQueryWeights:
      case kOutWeights:
        return {width, width};
      case kUpWeights:
        return {hidden, width};
      case kDownWeights:
        return {width, hidden};
      default:
        return {width / kHeadWidth * past, kHeadWidth};
    }
  }
};

// In [-1, 1).
double signed_unit(uint64_t bits) {
  return static_cast<double>(static_cast<int64_t>(bits >> 40) - (1 << 23)) * 0x1p-23;
}

// The squares of a row of a matrix add up to about 1, so that values stay of the order of 1. Scores
// have a variance of about 1; `row` counts within a layer.
double drawn_weight(const Fill& fill, const StepShape& shape, int64_t row, int64_t column,
                    uint64_t bits) {
  const double value = signed_unit(bits);
  if (fill.buffer < kKeyCache) {
    if (fill.draw == Draw::zeros && bits % 2 == 0) return bits % 4 == 0 ? 0.0 : -0.0;
    return value * std::sqrt(3 / static_cast<double>(shape.extent_of(fill.buffer).second));
  }
  const int64_t key = row % shape.past;
  if (fill.draw == Draw::ascending && fill.buffer == kKeyCache) {
    // Scores rise along the cache, or fall, from 0 to some tens.
    const uint64_t direction =
        mix(fill.seed ^ mix(static_cast<uint64_t>(row / shape.past * kHeadWidth + column)));
    return signed_unit(direction) * 40 * static_cast<double>(key + 1) /
           static_cast<double>(shape.past);
  }
  if (fill.draw == Draw::outliers && mix(fill.seed ^ static_cast<uint64_t>(row)) % 89 == 0)
    return 20 * value;
  if (fill.draw == Draw::alternating && fill.buffer == kKeyCache)
    return (key % 2 == 0 ? 1 : -1) * std::fabs(value);
  return std::sqrt(3) * value;
}

void draw_weight_rows(const Fill& fill) {
  const StepShape shape(fill.sizes);
  const auto [rows, columns] = shape.extent_of(fill.buffer);
  const Random random(fill.seed);
  const int64_t wide = columns, per_layer = rows;
  rows_in_parallel(shape.layers * rows, 64, [&](int64_t first, int64_t last) {
    Random own = random;
    own.skip(first * wide);
    for (int64_t row = first; row < last; ++row)
      for (int64_t column = 0; column < wide; ++column)
        store_element(Type::bfloat16, fill.data.data(), row * wide + column,
                      drawn_weight(fill, shape, row % per_layer, column, own.next()));
  });
}

// Values with the errors that roundings to float32 may have caused.
struct Rounded {
  std::vector<double> value, error;
  explicit Rounded(int64_t size) : value(static_cast<size_t>(size)), error(value.size()) {}
};

Rounded norm_of(const Rounded& x) {
  const auto size = static_cast<double>(x.value.size());
  double squares = 0, errors = 0;
  for (size_t i = 0; i < x.value.size(); ++i) {
    squares += x.value[i] * x.value[i];
    errors += std::pow(x.value[i] * x.error[i], 2);
  }
  const double mean = squares / size + kNormEpsilon, factor = 1 / std::sqrt(mean);
  const double of_factor =
      std::sqrt(errors) / size / mean + kFunctionRoundings * unit_roundoff(Type::float32);
  Rounded out(static_cast<int64_t>(x.value.size()));
  for (size_t i = 0; i < x.value.size(); ++i) {
    out.value[i] = x.value[i] * factor;
    out.error[i] = x.error[i] * factor + std::fabs(out.value[i]) * of_factor;
  }
  return out;
}

// matrix * x; `matrix` is one layer's.
Rounded multiplied(std::span<const uint16_t> matrix, const Rounded& x) {
  const size_t columns = x.value.size(), rows = matrix.size() / columns;
  Rounded out(static_cast<int64_t>(rows));
  rows_in_parallel(static_cast<int64_t>(rows), 16, [&](int64_t first, int64_t last) {
    for (auto row = static_cast<size_t>(first); row < static_cast<size_t>(last); ++row) {
      double sum = 0, magnitude = 0, errors = 0;
      for (size_t c = 0; c < columns; ++c) {
        const auto weight = static_cast<double>(text::bfloat_to_float(matrix[row * columns + c]));
        const double term = weight * x.value[c], error = weight * x.error[c];
        sum += term;
        magnitude += std::fabs(term);
        errors += error * error;
      }
      out.value[row] = sum;
      out.error[row] =
          std::sqrt(errors) + static_cast<double>(tolerance_of(
                                  Type::float32, static_cast<int64_t>(columns), magnitude));
    }
  });
  return out;
}

// One head: q has its 64 columns at `first`, keys and values are [past][64].
void attend_head(const Rounded& q, size_t first, std::span<const uint16_t> keys,
                 std::span<const uint16_t> values, Rounded& out) {
  const size_t past = keys.size() / kHeadWidth;
  std::vector<double> weight(past), error(past);
  double most = -HUGE_VAL, sum = 0;
  for (size_t p = 0; p < past; ++p) {
    double magnitude = 0, errors = 0;
    for (size_t c = 0; c < kHeadWidth; ++c) {
      const auto key = static_cast<double>(text::bfloat_to_float(keys[p * kHeadWidth + c]));
      const double term = key * q.value[first + c];
      weight[p] += term * kScoreScale;
      magnitude += std::fabs(term) * kScoreScale;
      errors += std::pow(key * q.error[first + c] * kScoreScale, 2);
    }
    error[p] = std::sqrt(errors) +
               static_cast<double>(tolerance_of(Type::float32, kHeadWidth, magnitude)) +
               kFunctionRoundings * unit_roundoff(Type::float32);
    most = std::max(most, weight[p]);
  }
  for (size_t p = 0; p < past; ++p)
    sum += weight[p] = std::exp(weight[p] - most);
  for (size_t c = 0; c < kHeadWidth; ++c) {
    double value = 0, magnitude = 0, errors = 0;
    const auto at = [&](size_t p) {
      return static_cast<double>(text::bfloat_to_float(values[p * kHeadWidth + c]));
    };
    for (size_t p = 0; p < past; ++p) {
      value += weight[p] / sum * at(p);
      magnitude += weight[p] / sum * std::fabs(at(p));
    }
    for (size_t p = 0; p < past; ++p)
      errors += weight[p] / sum * std::fabs(at(p) - value) * error[p];
    out.value[first + c] = value;
    out.error[first + c] = errors + static_cast<double>(tolerance_of(
                                        Type::float32, static_cast<int64_t>(past), magnitude));
  }
}

void add_to(Rounded& x, const Rounded& y) {
  for (size_t i = 0; i < x.value.size(); ++i) {
    x.value[i] += y.value[i];
    x.error[i] += y.error[i] + unit_roundoff(Type::float32) * std::fabs(x.value[i]);
  }
}

std::vector<Expected> stepped(const Case& given) {
  const StepShape shape(given.sizes);
  const auto of_layer = [&](size_t buffer, int64_t layer) {
    const auto [rows, columns] = shape.extent_of(buffer);
    return given.input<uint16_t>(buffer).subspan(static_cast<size_t>(layer * rows * columns),
                                                 static_cast<size_t>(rows * columns));
  };
  Rounded x(shape.width);
  const auto initial = given.input<float>(kStepInput);
  std::copy(initial.begin(), initial.end(), x.value.begin());
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    const Rounded q = multiplied(of_layer(kQueryWeights, layer), norm_of(x));
    const auto keys = of_layer(kKeyCache, layer), values = of_layer(kValueCache, layer);
    Rounded attended(shape.width);
    const auto of_head = static_cast<size_t>(shape.past * kHeadWidth);
    rows_in_parallel(shape.width / kHeadWidth, 1, [&](int64_t head, int64_t) {
      const size_t begin = static_cast<size_t>(head) * of_head;
      attend_head(q, static_cast<size_t>(head * kHeadWidth), keys.subspan(begin, of_head),
                  values.subspan(begin, of_head), attended);
    });
    add_to(x, multiplied(of_layer(kOutWeights, layer), attended));
    Rounded u = multiplied(of_layer(kUpWeights, layer), norm_of(x));
    for (size_t i = 0; i < u.value.size(); ++i) {
      u.error[i] *= std::fabs(gelu_slope(u.value[i])) + 0.05;  // the slope changes within the error
      u.value[i] = gelu(u.value[i]);
      u.error[i] += kFunctionRoundings * unit_roundoff(Type::float32) * std::fabs(u.value[i]);
    }
    add_to(x, multiplied(of_layer(kDownWeights, layer), u));
  }
  Expected out{kStepResult, LargeArray<double>(x.value.size()), LargeArray<float>(x.value.size())};
  for (size_t i = 0; i < x.value.size(); ++i) {
    out.value[i] = x.value[i];
    out.tolerance[i] = static_cast<float>(x.error[i]);
  }
  std::vector<Expected> all;
  all.push_back(std::move(out));
  return all;
}

// {layers, width, hidden, past}: around units of 16 keys, hidden sizes that are not a whole vector of a
// warp, one head and two.
std::vector<Sizes> shapes_of_steps() {
  return {{1, 64, 8, 1},   {1, 64, 16, 15}, {1, 64, 24, 16}, {1, 64, 8, 17}, {1, 64, 8, 31},
          {1, 64, 40, 3},  {1, 64, 8, 33},  {1, 64, 56, 1},  {1, 64, 8, 64}, {1, 64, 72, 5},
          {1, 64, 8, 100}, {1, 64, 16, 2},  {1, 64, 72, 7},  {2, 64, 8, 3},  {1, 128, 8, 20}};
}

}  // namespace

Problem decode_step() {
  return {
      .id = "decode_step",
      .signature =
          "(const float* x, const __nv_bfloat16* w_query, const __nv_bfloat16* w_out, const __nv_bfloat16* w_up, "
          "const __nv_bfloat16* w_down, const __nv_bfloat16* keys, const __nv_bfloat16* values, float* out, "
          "int layers, int width, int hidden, int past, cudaStream_t stream)",
      .size_names = {"layers", "width", "hidden", "past"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        const StepShape s(sizes);
        const auto matrices = [&](const char* name, size_t buffer) {
          const auto [rows, columns] = s.extent_of(buffer);
          return Buffer{name, Role::input, {s.layers * rows, columns}, Type::bfloat16};
        };
        return {{"x", Role::input, {s.width}},    matrices("w_query", kQueryWeights),
                matrices("w_out", kOutWeights),   matrices("w_up", kUpWeights),
                matrices("w_down", kDownWeights), matrices("keys", kKeyCache),
                matrices("values", kValueCache),  {"out", Role::output, {s.width}}};
      },
      // A multiplication and an addition for each weight, key and value.
      .operations =
          [](const Sizes& sizes) {
            const StepShape s(sizes);
            return 4 * static_cast<double>(s.layers) * static_cast<double>(s.width) *
                   static_cast<double>(s.width + s.hidden + s.past);
          },
      // Five phases per layer.
      .steps = [](const Sizes& sizes) { return 5 * static_cast<double>(sizes[0]); },
      .fill =
          [](const Fill& fill) {
            if (fill.buffer == kStepInput) return false;
            draw_weight_rows(fill);
            return true;
          },
      .reference = stepped,
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(
                const float*, const uint16_t*, const uint16_t*, const uint16_t*, const uint16_t*,
                const uint16_t*, const uint16_t*, float*, int, int, int, int, Stream)>(entry);
            function(with.buffer<float>(kStepInput), with.buffer<uint16_t>(kQueryWeights),
                     with.buffer<uint16_t>(kOutWeights), with.buffer<uint16_t>(kUpWeights),
                     with.buffer<uint16_t>(kDownWeights), with.buffer<uint16_t>(kKeyCache),
                     with.buffer<uint16_t>(kValueCache), with.buffer<float>(kStepResult),
                     with.size(0), with.size(1), with.size(2), with.size(3), with.stream);
          },
      .edge_sizes = shapes_of_steps(),
      .hidden_limit = {3, 192, 300, 300},
      .hidden_step = {1, 64, 8, 1},
  };
}

}  // namespace ridge::problems
