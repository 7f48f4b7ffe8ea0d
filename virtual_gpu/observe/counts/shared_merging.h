// What ptxas made of the shared loads and stores of a kernel: neighbouring words of one thread are read
// together, so that four `ld.shared.f32` become one LDS.128, and an atomic to one address may be summed up by
// the warp first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "virtual_gpu/machine/program/program.h"
#include "warp_model/sass.h"

namespace ridge::observe {

// How one PTX access to shared memory appears in the SASS.
struct SharedForm {
  static constexpr uint32_t kAsInPtx = ~0u;  // ldmatrix, cp.async and the like
  // Bytes a lane; 0: it has no instruction of its own, another one does its work.
  uint32_t bytes = kAsInPtx;
  int32_t shift = 0;           // where that begins, from the PTX access's address
  bool uses_one_lane = false;  // of a uniform access
};

// By PTX instruction. Empty without a line table: nothing is known.
std::vector<SharedForm> shared_forms(std::span<const machine::InstructionSource> ptx,
                                     std::span<const warp_model::SassInstruction> sass);

}  // namespace ridge::observe
