// How the banks of shared memory serve one PTX instruction: a load, a store, or one of the four
// ways in which an H200 performs an atomic. access.h computes the cost for given addresses,
// wavefronts.h the lanes of every wavefront.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "warp_model/access.h"

namespace ridge::warp_model {

// Measured on an H200 with Nsight Compute, 18 operations on 13 patterns of addresses
// (tests/warp_model/shared_atomic_test.cpp). Each kind names its SASS instruction.
enum class SharedAccess : uint8_t {
  load,   // LDS: lanes of 8 or 16 bytes with equal addresses can share a phase (shared_load_cost)
  store,  // STS, LDSM, STSM, LDGSTS: lanes with equal addresses share a wavefront within their phase
  // ATOMS: lanes that use one bank are served one after the other, even when they use one word.
  atomic,
  // ATOMS.POPC.INC: `+ 1` whose result is not used. The hardware counts the lanes per word and adds
  // once.
  atomic_increment,
  atomic_compare_swap,  // ATOMS.CAS: as `atomic`, but two wavefronts each
  // A loop of LDS and ATOMS.CAST.SPIN: floating-point atomics, and 64-bit ones other than exchange
  // and compare-and-swap. In each attempt all remaining lanes load, then one lane per bank swaps.
  atomic_loop,
};

// `instruction`: a PTX instruction that accesses shared memory, without its label. `uses_result`:
// some instruction reads the register in which an atomic returns the old value.
SharedAccess shared_access_of(std::string_view instruction, bool uses_result);

// The same for all instructions of a kernel; register names tell whether a result is used. Entries
// of instructions that do not access shared memory are meaningless.
std::vector<SharedAccess> shared_accesses(std::span<const std::string_view> instructions);

// The cost of the access; addresses, mask and bytes_per_lane as in access.h. For atomic_loop it
// includes the loads and swaps of all attempts; the ideal is one attempt without bank conflicts.
SharedCost shared_cost_of(SharedAccess access, const uint64_t* addresses, uint32_t mask,
                          uint32_t bytes_per_lane);

// The number of iterations of an atomic_loop for one access, and the cost of its loads and swaps.
struct AtomicLoopCost {
  uint32_t attempts = 0, load_wavefronts = 0, swap_wavefronts = 0;
  uint32_t first_attempt_wavefronts = 0;  // without bank conflicts of the loads
};
AtomicLoopCost atomic_loop_cost(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane);

// Copy engines and tensor cores (bulk and tensor copies, wgmma operands) take 128 bytes of shared
// memory per wavefront. No lane takes part.
constexpr uint64_t unit_wavefronts(uint64_t bytes) {
  return (bytes + kBanks * kBankBytes - 1) / (kBanks * kBankBytes);
}

// One attempt of an atomic_loop: the `pending` lanes load, then those lanes swap in the phases of a
// store. In each phase the lowest pending lane of each bank tries to swap; it succeeds unless an
// earlier phase of the attempt has changed its word. Calls `act(phase, candidates)` for each phase
// with pending lanes. Returns the lanes that succeeded: at least one.
template <typename Act>
uint32_t atomic_loop_attempt(const uint64_t* addresses, uint32_t pending, uint32_t bytes_per_lane, Act act) {
  const uint32_t lanes = lanes_per_phase(bytes_per_lane);
  uint32_t succeeded = 0;
  for (uint32_t first = 0, phase = 0; first < kWarpLanes; first += lanes, ++phase) {
    uint32_t candidates = 0, banks = 0, now = 0;
    for (uint32_t lane = first; lane < first + lanes; ++lane) {
      if (!(pending >> lane & 1)) continue;
      const uint32_t bank = 1u << (addresses[lane] / kBankBytes % kBanks);
      if (banks & bank) continue;
      banks |= bank;
      candidates |= 1u << lane;
      bool is_stale = false;
      for (uint32_t rest = succeeded; rest != 0; rest &= rest - 1)
        is_stale |= addresses[std::countr_zero(rest)] == addresses[lane];
      if (!is_stale) now |= 1u << lane;
    }
    if (candidates == 0) continue;
    act(phase, candidates);
    succeeded |= now;
  }
  return succeeded;
}

}  // namespace ridge::warp_model
