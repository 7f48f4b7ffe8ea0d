#include "harness/problems/inputs.h"

#include <cmath>

#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

constexpr int64_t kAscent = 40 * 2048;
constexpr int64_t kDrawnAtATime = 1 << 18;  // elements per thread and step

// 24 random bits: near 1 every float32 mantissa bit is used, so a conversion to a shorter type is
// detected.
double uniform(uint64_t bits) {
  return static_cast<double>(static_cast<int64_t>(bits >> 40) - (1 << 23)) * 0x1p-23;
}

double draw_value(Draw draw, int64_t index, uint64_t bits) {
  double value = uniform(bits);
  switch (draw) {
    case Draw::uniform:
      return value;
    case Draw::offset:
      return 1000 + value;
    case Draw::outliers:
      return bits % 89 == 0 ? 1e4 * value : value;
    case Draw::alternating:
      return (index % 2 == 0 ? 1 : -1) * (0.5 + std::fabs(value));
    case Draw::zeros:
      return bits % 2 == 0 ? value : (bits % 4 == 1 ? 0.0 : -0.0);
    case Draw::denormals:
      return bits % 3 == 0 ? value * 0x1p-130 : value;
    case Draw::ascending:
      return -20 + static_cast<double>(index % kAscent) / 2048 + value / 4096;
  }
  return value;
}

}  // namespace

std::string_view to_string(Draw draw) {
  constexpr std::string_view kNames[kDraws] = {"uniform in [-1, 1]", "around 1000",
                                               "with outliers",      "with alternating signs",
                                               "half of them zero",  "with denormals",
                                               "ascending"};
  return kNames[static_cast<int>(draw)];
}

uint64_t mix(uint64_t state) {
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
  return state ^ (state >> 31);
}

Case make_case(const Problem& problem, const Sizes& sizes, Draw draw, uint64_t seed) {
  Case made{&problem, sizes, draw, seed, problem.buffers(sizes), {}, {}};
  Random seeds(seed);
  for (size_t i = 0; i < problem.scalar_names.size(); ++i) {
    const double drawn = 0.25 + 2 * std::fabs(uniform(seeds.next()));
    made.scalars.push_back(static_cast<float>(problem.scalar ? problem.scalar(drawn) : drawn));
  }
  for (const Buffer& buffer : made.buffers) {
    LargeArray<std::byte>& data = made.initial.emplace_back();
    const uint64_t buffer_seed = seeds.next();
    if (!buffer.read()) continue;
    data.resize(static_cast<size_t>(buffer.bytes()));
    if (problem.fill && problem.fill({sizes, made.initial.size() - 1, draw, buffer_seed, data})) continue;
    const Random random(buffer_seed);
    rows_in_parallel(buffer.elements(), kDrawnAtATime, [&](int64_t first, int64_t last) {
      Random own = random;
      own.skip(first);
      for (int64_t i = first; i < last; ++i)
        store_element(buffer.type, data.data(), i, draw_value(draw, i, own.next()));
    });
  }
  if (problem.complete) problem.complete(made);
  return made;
}

double bytes_moved(const Case& given) {
  if (!given.problem->touched) return bytes_moved(*given.problem, given.sizes);
  const Touched touched = given.problem->touched(given);
  return touched.read_bytes + touched.written_bytes;
}

LargeArray<double> doubles_of(const Case& given, size_t buffer) {
  const Buffer& described = given.buffers[buffer];
  LargeArray<double> values(static_cast<size_t>(described.elements()));
  rows_in_parallel(described.elements(), 1 << 16, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      values[static_cast<size_t>(i)] = load_element(described.type, given.initial[buffer].data(), i);
  });
  return values;
}

}  // namespace ridge::problems
