// The definitions of warp_model/access.h written down literally, byte by byte with sets: the oracle of the
// tests.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <utility>

#include "warp_model/access.h"

namespace plain {

using Addresses = std::array<uint64_t, 32>;

inline Addresses strided(uint64_t base, int64_t stride) {
  Addresses addresses{};
  for (uint64_t lane = 0; lane < 32; ++lane)
    addresses[lane] = base + static_cast<uint64_t>(stride) * lane;
  return addresses;
}

inline ridge::warp_model::GlobalCost global_cost(const Addresses& addresses, uint32_t mask, uint32_t bytes) {
  std::set<uint64_t> touched, sectors, lines;
  uint32_t lanes = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1)) continue;
    ++lanes;
    for (uint64_t byte = addresses[lane]; byte < addresses[lane] + bytes; ++byte) {
      touched.insert(byte);
      sectors.insert(byte >> 5);
      lines.insert(byte >> 7);
    }
  }
  return {lanes > 0, static_cast<uint32_t>(sectors.size()), static_cast<uint32_t>((touched.size() + 31) / 32),
          static_cast<uint32_t>(lines.size()), lanes * bytes};
}

// As if every word of local memory were placed where the interleaving puts it.
inline ridge::warp_model::GlobalCost local_cost(const Addresses& offsets, uint32_t mask, uint32_t bytes) {
  std::set<uint64_t> sectors, lines;
  uint32_t lanes = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1)) continue;
    ++lanes;
    for (uint64_t byte = offsets[lane]; byte < offsets[lane] + bytes; ++byte) {
      const uint64_t address = byte / 4 * 128 + lane * 4 + byte % 4;
      sectors.insert(address >> 5);
      lines.insert(address >> 7);
    }
  }
  return {lanes > 0, static_cast<uint32_t>(sectors.size()), (lanes * bytes + 31) / 32,
          static_cast<uint32_t>(lines.size()), lanes * bytes};
}

inline ridge::warp_model::SharedCost shared_cost(const Addresses& addresses, uint32_t mask, uint32_t bytes) {
  uint32_t phase_lanes = 32;  // 128 bytes per phase
  for (uint32_t size = 4; size < bytes; size *= 2)
    phase_lanes /= 2;
  if (phase_lanes == 0) phase_lanes = 1;
  ridge::warp_model::SharedCost cost;
  for (uint32_t first = 0; first < 32; first += phase_lanes) {
    std::map<uint64_t, std::set<uint64_t>> words_of_bank;
    for (uint32_t lane = first; lane < first + phase_lanes; ++lane) {
      if (!(mask >> lane & 1)) continue;
      cost.requests = 1;
      cost.bytes += bytes;
      for (uint64_t byte = addresses[lane]; byte < addresses[lane] + bytes; ++byte) {
        words_of_bank[(byte >> 2) & 31].insert(byte >> 2);
      }
    }
    size_t most = 0;
    for (const auto& [bank, words] : words_of_bank)
      most = words.size() > most ? words.size() : most;
    cost.wavefronts += static_cast<uint32_t>(most);
    cost.ideal_wavefronts += most > 0;
  }
  return cost;
}

}  // namespace plain

namespace ridge::warp_model {

inline std::ostream& operator<<(std::ostream& out, const GlobalCost& cost) {
  return out << "{requests " << cost.requests << ", sectors " << cost.sectors << ", ideal "
             << cost.ideal_sectors << ", tags " << cost.tags << ", bytes " << cost.bytes << "}";
}
inline std::ostream& operator<<(std::ostream& out, const SharedCost& cost) {
  return out << "{requests " << cost.requests << ", wavefronts " << cost.wavefronts << ", ideal "
             << cost.ideal_wavefronts << ", bytes " << cost.bytes << "}";
}

}  // namespace ridge::warp_model
