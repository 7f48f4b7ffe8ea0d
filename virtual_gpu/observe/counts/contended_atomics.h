// Shared atomics that the GPU makes in a loop of load and compare-and-swap: what warps of a block cost each other.
//
// The swap of a lane fails when another warp has changed the word since the lane's load. How often that happens is
// a matter of time: on an H200 the same kernel needs up to 40% more attempts in one run than in another
// (course/measured/nvidia-h200/everyday.md). Modelled are warps that make the same atomic of a phase between
// barriers together, attempt by attempt. Of the warps that try a word in an attempt the first succeeds; the order is
// that of the warps in every second attempt, and begins at another warp in the others, which gives the attempts
// that an H200 made in sum_of_block and sum_doubles of tests/hardware/everyday.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

// What contention adds to the cost of one instruction.
struct ContentionCost {
  uint64_t attempts = 0, failed_attempts = 0;  // failed: in which no lane succeeded
  uint64_t load_wavefronts = 0, swap_wavefronts = 0;
};

class ContendedAtomics {
 public:
  // An atomic of a warp of the running block that is made in a loop.
  void note(const machine::Access& access);
  // A warp has arrived at a barrier of its block.
  void barrier(uint32_t warp);
  // By instruction, of the block that ends; nothing is kept.
  std::map<uint32_t, ContentionCost> end_block();

 private:
  struct Atomic {
    uint32_t instruction = 0, phase = 0,
             index = 0;  // among those of the warp by this instruction in the phase
    uint32_t warp = 0, mask = 0, bytes = 0;
    std::array<uint32_t, 32> offsets{};
  };
  // With more atomics per block, the others are assumed to cost as much as the first ones.
  static constexpr size_t kMostKept = 2048;

  static ContentionCost cost_of(const Atomic* first, const Atomic* last);

  std::vector<Atomic> atomics_;
  std::map<uint32_t, uint64_t> noted_;  // by instruction
  std::map<uint64_t, uint32_t> next_index_;  // by warp and instruction, in the warp's phase
  std::vector<uint32_t> phases_;        // by warp
};

}  // namespace ridge::observe
