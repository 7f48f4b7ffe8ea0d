#include "harness/runner/child/baselines/equal_lengths.h"

#include <algorithm>
#include <cmath>

#include "harness/problems/attention/attention.h"
#include "harness/runner/child/device_error.h"

namespace ridge::runner {

namespace {

constexpr int64_t kLongest = 8192, kShortest = 128, kFewestHeads = 64, kColumns = 128;
constexpr size_t kMask = 5;  // of the sizes of varlen_attention

// How many heads of this length have so many operations.
double heads_for(double operations, int64_t length, int64_t mask) {
  const problems::AttentionShape one({1, length, length, kColumns, mask});
  return operations / (4 * static_cast<double>(kColumns) * one.visible_pairs());
}

}  // namespace

EqualLengths with_equal_lengths(const Work& ragged, const Slot& trial) {
  const double operations = ragged.problem->operations(ragged.sizes);
  const int64_t mask = ragged.sizes[kMask];
  int64_t length = kLongest;
  while (length > kShortest && heads_for(operations, length, mask) < kFewestHeads)
    length /= 2;
  const int64_t heads = std::max<int64_t>(std::llround(heads_for(operations, length, mask)), 1);
  EqualLengths equal{ragged, {}, trial};
  equal.work.sizes = {heads, length, length, kColumns, mask};
  equal.slot.pointers.clear();
  const int64_t bytes = heads * length * kColumns * problems::bytes_of(problems::Type::bfloat16);
  const std::vector<problems::Buffer> buffers = ragged.problem->buffers(ragged.sizes);
  for (const size_t buffer : {problems::kQueries, problems::kKeys, problems::kValues}) {
    std::byte* to = equal.memory.emplace_back(bytes).start();
    const int64_t period = buffers[buffer].bytes();
    for (int64_t done = 0; done < bytes; done += period)
      check(cudaMemcpyAsync(to + done, trial.pointers[buffer],
                            static_cast<size_t>(std::min(period, bytes - done)),
                            cudaMemcpyDeviceToDevice, ragged.stream),
            "filling the baseline's inputs");
    equal.slot.pointers.push_back(to);
  }
  equal.slot.pointers.push_back(equal.memory.emplace_back(bytes).start());
  return equal;
}

}  // namespace ridge::runner
