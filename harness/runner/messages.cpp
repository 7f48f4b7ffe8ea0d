#include "harness/runner/messages.h"

namespace ridge::runner {

std::vector<BufferPlan> plan_buffers(const std::vector<problems::Buffer>& buffers, int64_t guard,
                                     int64_t& offset) {
  auto take = [&](int64_t bytes) {
    int64_t start = offset;
    offset = (offset + bytes + 255) / 256 * 256;
    return start;
  };
  std::vector<BufferPlan> plans;
  for (const problems::Buffer& buffer : buffers) {
    BufferPlan& plan =
        plans.emplace_back(BufferPlan{buffer.bytes(), guard, buffer.read(), buffer.written(), 0, 0});
    if (plan.read) plan.in_offset = take(plan.bytes);
    plan.out_offset = take(plan.bytes + 2 * guard);
  }
  return plans;
}

}  // namespace ridge::runner
