// Comparing every lane with every earlier lane, in vectors: how the general functions of access.cpp find duplicates
// without sorting or hashing. Internal to warp_model.
//
// The trick: for lanes' keys k[0..31], nearest_earlier() gives min over j < i of (k[i] ^ k[j]). The bits in which two
// numbers of one aligned block of 2^n differ all lie below n, and conversely, so that one minimum answers three questions:
// it is 0 when an earlier lane has the same key, below 2^n when an earlier lane is in the same block of 2^n keys.
// Distinct keys, sectors and lines of a warp are then three comparisons and no further pass over the lanes.
#pragma once

#include <cstdint>

namespace ridge::warp_model::detail {

inline constexpr int32_t kKeyLimit = 1 << 30;  // keys are 0 to kKeyLimit - 1

// keys[32 + lane] are the keys; keys[0..31] must be kKeyLimit (no key: lane 0 has no earlier lane).
// nearest[lane] is kKeyLimit or more for a lane with nothing earlier in common.
void nearest_earlier(const int32_t* keys, int32_t* nearest);

// For bytes groups[32 + lane] (groups[0..31] must be 0xff, which is no lane's group): how many earlier lanes are in the
// lane's group.
void rank_in_group(const uint8_t* groups, uint8_t* rank);

}  // namespace ridge::warp_model::detail
