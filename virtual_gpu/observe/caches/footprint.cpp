#include "virtual_gpu/observe/caches/footprint.h"

#include <algorithm>

#include "virtual_gpu/observe/caches/touched_sectors.h"

namespace ridge::observe {

double sectors_in(std::vector<AddressRange> sorted) {
  std::sort(sorted.begin(), sorted.end(),
            [](const AddressRange& a, const AddressRange& b) { return a.begin < b.begin; });
  uint64_t end = 0, bytes = 0;
  for (const AddressRange& range : sorted) {
    if (range.end <= std::max(end, range.begin)) continue;
    bytes += range.end - std::max(end, range.begin);
    end = range.end;
  }
  return static_cast<double>(bytes) / warp_model::kSectorBytes;
}

Footprint footprint_of(const SampledBlocks& given, const CacheLayout& layout, double scale) {
  const std::span<const BlockStreams> blocks = given.blocks;
  TouchedSectors touched, of_peers;
  std::vector<const BlockStreams*> by_sm;
  for (const BlockStreams& streams : blocks)
    by_sm.push_back(&streams);
  std::stable_sort(by_sm.begin(), by_sm.end(), [&](const BlockStreams* a, const BlockStreams* b) {
    return a->block % layout.multiprocessors < b->block % layout.multiprocessors;
  });
  uint64_t after_half = 0;
  for (size_t k = 0; k < by_sm.size(); ++k) {
    if (k == by_sm.size() / 2) after_half = touched.count();
    for (const AccessStream& stream : by_sm[k]->warps) {
      for (size_t at = 0; !stream.ends_at(at);) {
        const uint32_t lines = stream.head(at).lines;
        for (size_t word = at + 1; word <= at + lines; ++word) {
          const uint64_t line = AccessStream::line_of(stream.word(word));
          touched.touch(line, AccessStream::sectors_of(stream.word(word)));
          if (layout.is_peer(line * warp_model::kLineBytes))
            of_peers.touch(line, AccessStream::sectors_of(stream.word(word)));
        }
        at += 1 + lines;
      }
    }
  }
  Footprint footprint{touched.count(), static_cast<double>(touched.count()), of_peers.count()};
  if (given.all || footprint.followed == 0) return footprint;
  // Assume that each further half of this size adds as many sectors as the second half of the
  // sample did.
  const auto added = static_cast<double>(footprint.followed - after_half);
  const double halves_left = 2 * (scale - 1);
  const double most =
      std::max(footprint.whole, sectors_in({given.ranges.begin(), given.ranges.end()}));
  footprint.whole =
      std::min({footprint.whole * scale, footprint.whole + added * halves_left, most});
  return footprint;
}

}  // namespace ridge::observe
