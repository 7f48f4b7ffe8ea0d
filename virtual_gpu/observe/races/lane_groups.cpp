#include "virtual_gpu/observe/races/lane_groups.h"

#include <algorithm>
#include <bit>

namespace ridge::observe {

void LaneGroups::find(const machine::Access& access) {
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  const auto words = access.bytes / 4;
  const auto word_of = [&](int lane) { return static_cast<int64_t>(addresses[lane] - access.first) / 4; };
  groups.clear();
  is_known = true;
  is_simple = false;
  lowest = highest = 0;
  for (uint32_t rest = access.mask; rest != 0;) {
    const int lane = std::countr_zero(rest);
    const int64_t word = word_of(lane);
    int next = lane + 1;
    while (next < 32 && (rest >> next & 1) && word_of(next) == word + (next - lane) * int64_t{words})
      ++next;
    const int lanes = next - lane;
    for (int done = lane; done < next; ++done)
      rest &= ~(1u << done);
    lowest = std::min(lowest, word);
    highest = std::max(highest, word + lanes * int64_t{words} - 1);
    if (lanes > 1) {
      groups.push_back({word, static_cast<uint32_t>(lanes) * words, static_cast<uint8_t>(lane),
                        static_cast<uint8_t>(lane), true});
      continue;
    }
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const LaneGroup& group) {
      return !group.is_run && group.word == word;
    });
    if (same != groups.end())
      same->other_lane = static_cast<uint8_t>(lane);
    else
      groups.push_back({word, words, static_cast<uint8_t>(lane), static_cast<uint8_t>(lane), false});
  }
  are_runs = std::all_of(groups.begin(), groups.end(), [](const LaneGroup& group) { return group.is_run; });
}

}  // namespace ridge::observe
