// The lanes of every wavefront of an access to shared memory, for drawing. The number of wavefronts
// and of ideal ones equals that of shared_cost_of(); a test compares them over random patterns.
#pragma once

#include <array>
#include <vector>

#include "warp_model/shared_memory/shared_access.h"

namespace ridge::warp_model {

struct BankService {
  uint32_t lanes = 0;  // lanes that use the bank in this wavefront; 0: the bank is idle
  uint64_t word = 0;   // address / 4
  bool operator==(const BankService&) const = default;
};

struct Wavefront {
  uint32_t phase = 0;    // from 0; one phase is one wavefront unless its lanes conflict
  uint32_t attempt = 0;  // iteration of an atomic_loop, from 0
  // False: the wavefront exists because lanes of a phase use different words of one bank or, in an
  // atomic, the same bank.
  bool is_ideal = true;
  uint32_t lanes = 0;  // lanes whose words it serves, completely or partly
  std::array<BankService, kBanks> banks{};
};

// Allocates; addresses, mask and bytes_per_lane as in access.h.
std::vector<Wavefront> wavefronts_of(SharedAccess access, const uint64_t* addresses, uint32_t mask,
                                     uint32_t bytes_per_lane);

uint32_t ideal_wavefronts(const std::vector<Wavefront>& wavefronts);
// Lanes with at least one word in a wavefront that is not ideal.
uint32_t delayed_lanes(const std::vector<Wavefront>& wavefronts);

}  // namespace ridge::warp_model
