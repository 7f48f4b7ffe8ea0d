#include "virtual_gpu/observe/races/devices/peer_clock.h"

#include <algorithm>

namespace ridge::observe {
namespace {

bool contains(const WarpStamps& stamps, const WarpStamps& other) {
  for (uint32_t warp = 0; warp < kWarpsPerBlock; ++warp)
    if (stamps[warp] < other[warp]) return false;
  return true;
}

std::shared_ptr<const WarpStamps> joined(const std::shared_ptr<const WarpStamps>& one,
                                         const std::shared_ptr<const WarpStamps>& other) {
  if (one == other || contains(*one, *other)) return one;
  if (contains(*other, *one)) return other;
  auto both = std::make_shared<WarpStamps>(*one);
  raise(*both, *other);
  return both;
}

}  // namespace

void raise(WarpStamps& stamps, const WarpStamps& other) {
  for (uint32_t warp = 0; warp < kWarpsPerBlock; ++warp)
    stamps[warp] = std::max(stamps[warp], other[warp]);
}

bool PeerPast::covers(BlockKey block, uint32_t warp, uint32_t stamp) const {
  const auto at =
      std::lower_bound(blocks.begin(), blocks.end(), block,
                       [](const auto& entry, BlockKey key) { return entry.first < key; });
  return at != blocks.end() && at->first == block && (*at->second)[warp] > stamp;
}

PastRef joined(const PastRef& one, const PastRef& other) {
  if (other == nullptr || one == other) return one;
  if (one == nullptr) return other;
  auto both = std::make_shared<PeerPast>();
  both->tasks = one->tasks;
  both->tasks.join(other->tasks);
  auto left = one->blocks.begin();
  auto right = other->blocks.begin();
  while (left != one->blocks.end() || right != other->blocks.end()) {
    if (right == other->blocks.end() || (left != one->blocks.end() && left->first < right->first)) {
      both->blocks.push_back(*left++);
    } else if (left == one->blocks.end() || right->first < left->first) {
      both->blocks.push_back(*right++);
    } else {
      both->blocks.emplace_back(left->first, joined(left->second, right->second));
      ++left, ++right;
    }
  }
  // A warp that learns nothing new keeps its own object, so that the next comparison is one of
  // pointers.
  if (both->blocks == one->blocks && both->tasks.last == one->tasks.last) return one;
  return both;
}

PastRef joined(const PastRef& one, BlockKey block,
               const std::shared_ptr<const WarpStamps>& stamps) {
  if (one != nullptr) {
    const auto at =
        std::lower_bound(one->blocks.begin(), one->blocks.end(), block,
                         [](const auto& entry, BlockKey key) { return entry.first < key; });
    if (at != one->blocks.end() && at->first == block && contains(*at->second, *stamps)) return one;
  }
  auto single = std::make_shared<PeerPast>();
  single->blocks.emplace_back(block, stamps);
  return joined(one, PastRef(std::move(single)));
}

}  // namespace ridge::observe
