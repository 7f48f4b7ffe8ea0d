// How ptxas merges a kernel's shared loads and stores: neighbouring words of one thread are read
// together, so that four `ld.shared.f32` become one LDS.128. For an atomic with a uniform address
// the warp may first add up its values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "virtual_gpu/machine/program/program.h"
#include "warp_model/sass.h"

namespace ridge::observe {

// The form of one PTX access to shared memory in the SASS.
struct SharedForm {
  static constexpr uint32_t kAsInPtx = ~0u;  // unchanged, as for ldmatrix and cp.async
  // Bytes per lane; 0: it has no instruction of its own because another one does its work.
  uint32_t bytes = kAsInPtx;
  int32_t shift = 0;           // offset of the merged access from the PTX access's address
  bool uses_one_lane = false;  // for a uniform access
};

// By PTX instruction. Empty without a line table.
std::vector<SharedForm> shared_forms(std::span<const machine::InstructionSource> ptx,
                                     std::span<const warp_model::SassInstruction> sass);

}  // namespace ridge::observe
