// The cells of the shared shadow, and predicates on accesses that its parts use.
#pragma once

#include <cstdint>

#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

// stamp 27 | byte mask 4 | strong 1 | site 11 | thread 10 | other 10
struct Cell {
  uint64_t bits = 0;
  static constexpr uint32_t kUnknownSite = (1u << 11) - 1;
  static constexpr int kStampShift = 36;
  static Cell make(uint32_t stamp, uint32_t bytes, bool strong, uint32_t site, uint32_t thread,
                   uint32_t other) {
    return {uint64_t{stamp} << kStampShift | uint64_t{bytes} << 32 | uint64_t{strong} << 31 |
            uint64_t{site} << 20 | uint64_t{thread} << 10 | other};
  }
  uint32_t stamp() const { return static_cast<uint32_t>(bits >> kStampShift); }
  uint32_t bytes() const { return bits >> 32 & 15; }
  bool strong() const { return bits >> 31 & 1; }
  uint32_t site() const { return bits >> 20 & kUnknownSite; }
  uint32_t thread() const { return bits >> 10 & 1023; }
  // Readers: the one before `thread`; equal when there is none.
  uint32_t other() const { return bits & 1023; }
};

// The lowest cell with this stamp.
inline uint64_t at_stamp(uint32_t stamp) {
  return uint64_t{stamp} << Cell::kStampShift;
}

inline uint32_t thread_of(const machine::Access& access, int lane) {
  return access.warp * 32 + static_cast<uint32_t>(lane);
}

inline uint64_t address_of(const machine::Access& access, int lane) {
  return access.shape == machine::AccessShape::scattered
             ? access.addresses[lane]
             : access.base + static_cast<uint64_t>(access.stride) * static_cast<uint64_t>(lane);
}

inline bool is_strong(const machine::Access& access) {
  return access.kind == machine::AccessKind::atomic || access.kind == machine::AccessKind::reduction ||
         access.ordering != machine::Ordering::weak;
}

// Visits the words of [offset, offset + bytes): visit(word, mask of its bytes, bytes before it).
template <class Visit>
bool for_words(uint64_t offset, uint32_t bytes, Visit visit) {
  if (bytes < 4) return visit(offset / 4, ((1u << bytes) - 1) << (offset & 3) & 15, 0u);
  for (uint32_t done = 0; done < bytes; done += 4) {
    if (visit((offset + done) / 4, 15u, done)) return true;
  }
  return false;
}

}  // namespace ridge::observe
