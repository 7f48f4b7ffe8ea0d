// Comparing every lane with every earlier lane, in vectors: how the general functions of access.cpp find
// duplicates without sorting or hashing. Internal to warp_model.
//
// The trick: let k[0..31] be the lanes' addresses in units, and nearest[i] the minimum over j < i of (k[i] ^
// k[j]). Two numbers of one aligned block of 2^n differ in bits below n only, and conversely, so that one
// minimum answers several questions: it is 0 when an earlier lane has the same key, below 2^n when an earlier
// lane is in the same block of 2^n. Distinct elements, sectors and lines of a warp are then three comparisons
// and no further pass over the lanes.
#pragma once

#include <cstdint>

namespace ridge::warp_model::detail {

struct DistinctCounts {
  uint32_t elements = 0, sectors = 0, lines = 0;
};

// For accesses of 1 << log2_bytes (up to a sector) bytes. False, and no answer, when an active lane is not
// aligned to that, or lanes are more than 2^29 elements apart.
bool distinct_counts(const uint64_t* addresses, uint32_t mask, uint32_t log2_bytes, DistinctCounts& counts);

// For shared accesses, whose banks hold units of 1 << log2_unit bytes, 128 >> log2_unit of them a row, as
// many as lanes per phase: rank[lane] = earlier active lanes of the lane's phase that ask for another word of
// its bank (each word once). The largest rank of a phase + 1 is its number of wavefronts. Lanes that share an
// earlier lane's word, and inactive lanes, have rank 0. False, and no answer, when an active lane is not
// aligned to `alignment`, or lanes are 2^23 units apart.
bool conflict_ranks(const uint64_t* addresses, uint32_t mask, uint32_t log2_unit, uint32_t alignment,
                    uint8_t* rank);

}  // namespace ridge::warp_model::detail
