// A case: one size of a problem with its inputs drawn from a seed. It exists in the parent; the
// child gets only the bytes.
#pragma once

#include "harness/problems/problem.h"

namespace ridge::problems {

// uniform: [-1, 1]. offset: 1000 more, so that a sum of terms with mixed signs cancels. outliers: 1
// in 89 is 10,000 times larger. alternating: signs change from element to element. zeros: half are
// zero, of both signs. denormals: a third is below the smallest normal number. ascending: from -20
// each element is 1/2048 larger than the one before, so that a running maximum always changes; it
// restarts after 81,920 elements.
enum class Draw : int { uniform, offset, outliers, alternating, zeros, denormals, ascending };
inline constexpr int kDraws = 7;
std::string_view to_string(Draw draw);

struct Case {
  const Problem* problem = nullptr;
  Sizes sizes;
  Draw draw = Draw::uniform;
  uint64_t seed = 0;
  std::vector<Buffer> buffers;
  std::vector<LargeArray<std::byte>> initial;  // one per buffer; empty for a pure output
  std::vector<double> scalars;                  // exactly representable in float

  template <typename T>
  std::span<const T> input(size_t buffer) const {
    return {reinterpret_cast<const T*>(initial[buffer].data()), initial[buffer].size() / sizeof(T)};
  }
};

Case make_case(const Problem& problem, const Sizes& sizes, Draw draw, uint64_t seed);

// Bytes that must cross the memory bus for this case.
double bytes_moved(const Case& given);

// The initial values of a buffer, in order.
LargeArray<double> doubles_of(const Case& given, size_t buffer);

// A stream of 64-bit numbers (splitmix64) from a seed; `mix` is its output function.
uint64_t mix(uint64_t state);
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() { return mix(state_ += kStep); }
  void skip(int64_t numbers) { state_ += kStep * static_cast<uint64_t>(numbers); }
  int64_t from_one_to(int64_t limit) {
    return 1 + static_cast<int64_t>(next() % static_cast<uint64_t>(limit));
  }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
  uint64_t state_;
};

}  // namespace ridge::problems
