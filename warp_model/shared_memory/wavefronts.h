// The lanes of every wavefront of an access to shared memory: what pictures draw. There are as many
// wavefronts as shared_cost_of() says, and as many ideal ones; a test compares the two over random patterns.
#pragma once

#include <array>
#include <vector>

#include "warp_model/shared_memory/shared_access.h"

namespace ridge::warp_model {

struct BankService {
  uint32_t lanes = 0;  // that use the bank in this wavefront; 0: the bank is idle
  uint64_t word = 0;   // address / 4
  bool operator==(const BankService&) const = default;
};

struct Wavefront {
  uint32_t phase = 0;    // from 0: lanes of one phase are served together where no two need one bank
  uint32_t attempt = 0;  // of an atomic_loop, from 0
  // False: it is there because lanes of a phase use different words of one bank, or, of an atomic, one bank.
  bool is_ideal = true;
  uint32_t lanes = 0;  // whose words it serves, in whole or in part
  std::array<BankService, kBanks> banks{};
};

// Allocates; addresses, mask and bytes_per_lane as in access.h.
std::vector<Wavefront> wavefronts_of(SharedAccess access, const uint64_t* addresses, uint32_t mask,
                                     uint32_t bytes_per_lane);

uint32_t ideal_wavefronts(const std::vector<Wavefront>& wavefronts);
// Lanes of which some word comes in a wavefront that is not ideal.
uint32_t delayed_lanes(const std::vector<Wavefront>& wavefronts);

}  // namespace ridge::warp_model
