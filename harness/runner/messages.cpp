#include "harness/runner/messages.h"

namespace ridge::runner {

namespace {

// Reserves `bytes` at `offset`, which is advanced.
int64_t take(int64_t bytes, int64_t& offset) {
  const int64_t start = offset;
  offset = (offset + bytes + 255) / 256 * 256;
  return start;
}

BufferPlan plan_of(const problems::Buffer& buffer, int64_t guard) {
  return {buffer.bytes(), guard, buffer.read(), buffer.written(), 0, 0,
          buffer.role == problems::Role::signals, buffer.device};
}

}  // namespace

std::vector<BufferPlan> plan_buffers(const std::vector<problems::Buffer>& buffers, int64_t guard,
                                     int64_t& offset) {
  std::vector<BufferPlan> plans;
  for (const problems::Buffer& buffer : buffers) {
    BufferPlan& plan = plans.emplace_back(plan_of(buffer, guard));
    if (plan.read) plan.in_offset = take(plan.bytes, offset);
    plan.out_offset = take(plan.bytes + 2 * guard, offset);
  }
  return plans;
}

std::vector<std::vector<BufferPlan>> plan_sets(const std::vector<problems::Buffer>& buffers, int64_t guard,
                                               size_t count, int64_t& offset) {
  std::vector<BufferPlan> first;
  for (const problems::Buffer& buffer : buffers) {
    first.push_back(plan_of(buffer, guard));
    first.back().out_offset = take(first.back().bytes + 2 * guard, offset);
  }
  std::vector<std::vector<BufferPlan>> sets(count, first);
  for (std::vector<BufferPlan>& set : sets)
    for (BufferPlan& plan : set)
      if (plan.read) plan.in_offset = take(plan.bytes, offset);
  return sets;
}

}  // namespace ridge::runner
