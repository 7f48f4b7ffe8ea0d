#include "virtual_gpu/observe/caches/combined_stores.h"

#include <bit>

namespace ridge::observe {

using warp_model::sector_count;
using warp_model::SectorMask;

SectorMask sent_to_l2(uint64_t& last_stored, uint64_t line, SectorMask stored, SectorMask before) {
  const uint64_t first = line * 4 + static_cast<uint64_t>(std::countr_zero(stored));
  const bool is_next = first == last_stored;
  last_stored = line * 4 + static_cast<uint64_t>(std::bit_width(stored)) - 1;
  return static_cast<SectorMask>((is_next ? stored & (stored - 1) : stored) & ~before);
}

bool joins(const AccessStream& stream, const std::vector<size_t>& joined, size_t at) {
  if (joined.empty() || stream.head(at).kind != StreamKind::store) return false;
  constexpr uint32_t kNearInstructions = 16;
  constexpr size_t kMostStores = 16;
  const uint32_t last = stream.head(joined.back()).instruction, here = stream.head(at).instruction;
  if (here <= last || here - last > kNearInstructions || joined.size() == kMostStores) return false;
  uint32_t stored = 0, again = 0;
  for (size_t k = at + 1; k <= at + stream.head(at).lines; ++k) {
    const SectorMask sectors = AccessStream::sectors_of(stream.word(k));
    stored += sector_count(sectors);
    again += sector_count(static_cast<SectorMask>(
        sectors & stored_by(stream, joined, AccessStream::line_of(stream.word(k)))));
  }
  return again * 2 > stored;
}

SectorMask stored_by(const AccessStream& stream, const std::vector<size_t>& joined, uint64_t line) {
  SectorMask stored = 0;
  for (const size_t at : joined)
    for (size_t k = at + 1; k <= at + stream.head(at).lines; ++k)
      if (AccessStream::line_of(stream.word(k)) == line)
        stored |= AccessStream::sectors_of(stream.word(k));
  return stored;
}

}  // namespace ridge::observe
