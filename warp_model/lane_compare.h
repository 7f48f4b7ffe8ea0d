// Compares every lane with every earlier lane, in vectors. The general functions of access.cpp find
// duplicates this way, without sorting or hashing. Internal to warp_model.
//
// The method: let k[0..31] be the lanes' addresses in units, and nearest[i] the minimum over j < i
// of (k[i] ^ k[j]). Two numbers differ only in bits below n if and only if they lie in one aligned
// block of 2^n. One minimum therefore answers several questions: it is 0 when an earlier lane has
// the same key, and below 2^n when an earlier lane is in the same block of 2^n. The distinct
// elements, sectors and lines of a warp are then three comparisons, without another loop over the
// lanes.
#pragma once

#include <cstdint>

namespace ridge::warp_model::detail {

struct DistinctCounts {
  uint32_t elements = 0, sectors = 0, lines = 0;
};

// For accesses of 1 << log2_bytes bytes, at most one sector. Returns false without a result when an
// active lane is not aligned to that, or when lanes are more than 2^29 elements apart.
bool distinct_counts(const uint64_t* addresses, uint32_t mask, uint32_t log2_bytes, DistinctCounts& counts);

// For shared accesses. The banks hold units of 1 << log2_unit bytes; a row has 128 >> log2_unit
// units, and a phase as many lanes. rank[lane] is the number of earlier active lanes of the lane's
// phase that access another word of its bank (each word counts once). The largest rank of a phase +
// 1 is its number of wavefronts. Lanes that share the word of an earlier lane, and inactive lanes,
// have rank 0. Returns false without a result when an active lane is not aligned to `alignment`, or
// when lanes are 2^23 units apart.
bool conflict_ranks(const uint64_t* addresses, uint32_t mask, uint32_t log2_unit, uint32_t alignment,
                    uint8_t* rank);

}  // namespace ridge::warp_model::detail
