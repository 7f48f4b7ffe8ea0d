// The cost of one warp access: one warp executes one memory instruction. The access is described by
// the addresses of its 32 lanes, the mask of active lanes, and the bytes per lane (the whole
// vector: 16 for ld.v4.f32).
//
// These functions are the project's only definition of a sector, a tag, a wavefront and a bank
// conflict. They are pure and allocate nothing. The general functions are called for every
// scattered access of a launch and take 10 to 30 ns; strided_access.h has closed formulas for the
// other accesses. Each field names the Nsight Compute counter with the same meaning.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace ridge::warp_model {

inline constexpr uint32_t kWarpLanes = 32;
inline constexpr uint32_t kFullMask = 0xffffffffu;
inline constexpr uint32_t kSectorBytes = 32;  // the unit of transfer between L1, L2 and DRAM
inline constexpr uint32_t kLineBytes = 128;   // the unit of an L1 tag: four sectors
inline constexpr uint32_t kBanks = 32;        // of shared memory and of L1's data array
inline constexpr uint32_t kBankBytes = 4;

// Global memory.
//   requests       1 when any lane is active       l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
//   sectors        distinct address >> 5 over every byte touched, so a straddling lane counts two
//                                                  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
//   ideal_sectors  distinct bytes requested / 32, rounded up: the sectors of a perfect layout
//   tags           distinct address >> 7           one L1 tag lookup per line
//   bytes          active lanes * bytes per lane, duplicates included
struct GlobalCost {
  uint32_t requests = 0, sectors = 0, ideal_sectors = 0, tags = 0, bytes = 0;
  bool operator==(const GlobalCost&) const = default;
};

// addresses: 32 of them; those of inactive lanes are ignored. bytes_per_lane: 1 to 128.
GlobalCost global_cost(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane);

// Atomics: lanes with equal addresses are served one after the other, so a sector is requested as
// often as its most used address has lanes. The other fields are those of global_cost. Measured on
// an H200 (tests/hardware/everyday: coo_atomic, bloom_filter, ring_of_slots exact; global_bins 2%
// low).
GlobalCost global_atomic_cost(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane);

// Local memory is interleaved: consecutive 32-bit words of one thread lie 128 bytes apart, and the
// 32 lanes' copies of one word fill a line (CUDA C++ Programming Guide, "Local Memory":
// "consecutive 32-bit words are accessed by consecutive thread IDs"). `offsets` are the lanes'
// offsets in their own local memory; lanes with equal offsets are coalesced.
GlobalCost local_cost(const uint64_t* offsets, uint32_t mask, uint32_t bytes_per_lane);

// Shared memory: 32 banks of 4 bytes, bank = (address >> 2) & 31. An access is served in phases of at
// most 128 bytes; the bytes per lane decide how many:
//   up to 4  one phase, the whole warp
//   8        two phases, one per half-warp
//   16       four phases, one per quarter-warp
// A phase takes as many wavefronts as its most loaded bank has distinct words. Lanes that access the
// same word share a wavefront (broadcast); lanes that access different words of one bank do not.
//   wavefronts        summed over the phases with an active lane
//   ideal_wavefronts  one per phase with an active lane
//   conflicts()       the difference      l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum, _op_st
// ldmatrix .x1, .x2, .x4 is a 16-byte access of 8, 16, 32 lanes: 1, 2, 4 phases.
// A phase without an active lane costs nothing.
struct SharedCost {
  uint32_t requests = 0, wavefronts = 0, ideal_wavefronts = 0, bytes = 0;
  uint32_t conflicts() const { return wavefronts - ideal_wavefronts; }
  bool operator==(const SharedCost&) const = default;
};

// For stores, ldmatrix, stmatrix and cp.async, and for loads whose lanes use different addresses.
SharedCost shared_cost(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane);

// Loads: lanes of 8 or 16 bytes with equal addresses can share a phase, by the rule of
// lane_pairs.h.
SharedCost shared_load_cost(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane);

// Atomics that are served one lane per bank at a time, even when lanes use the same word.
// `ideal_wavefronts` is one per phase. shared_access.h classifies the instructions.
SharedCost shared_atomic_cost(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane);

// Constant memory serves one 32-bit address per wavefront and broadcasts it. The wavefronts are the
// distinct words over the active lanes; each word of a vector counts once (CUDA C++ Programming
// Guide, "Constant Memory").
uint32_t constant_wavefronts(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane);

// Lanes served together in one phase of a shared access: 32, 16, 8, ... for 4, 8, 16, ... bytes per
// lane.
constexpr uint32_t lanes_per_phase(uint32_t bytes_per_lane) {
  return std::max(1u, kBanks * kBankBytes / std::bit_ceil(std::max(bytes_per_lane, kBankBytes)));
}

// Counts the set bits without the popcnt instruction, which a plain x86-64 build may not use
// (std::popcount would be a function call there).
constexpr uint32_t active_lanes(uint32_t mask) {
  if (mask == kFullMask) return kWarpLanes;
  mask -= mask >> 1 & 0x55555555;
  mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
  return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

}  // namespace ridge::warp_model
