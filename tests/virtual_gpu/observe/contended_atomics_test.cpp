#include "virtual_gpu/observe/counts/contended_atomics.h"

#include "tests/catch.h"

using namespace ridge;
using namespace ridge::observe;

namespace {

constexpr uint32_t kInstruction = 7;

// Lanes of a warp that add to one word.
machine::Access atomic(uint32_t warp, uint32_t mask, uint64_t offset) {
  machine::Access access;
  access.instruction = kInstruction;
  access.space = machine::AccessSpace::shared;
  access.kind = machine::AccessKind::reduction;
  access.shape = machine::AccessShape::uniform;
  access.mask = mask;
  access.bytes = 4;
  access.base = access.first = offset;
  access.warp = warp;
  return access;
}

ContentionCost cost_of(ContendedAtomics& atomics) {
  const auto costs = atomics.end_block();
  const auto found = costs.find(kInstruction);
  return found == costs.end() ? ContentionCost{} : found->second;
}

}  // namespace

TEST_CASE("Warps that add one value each to one word try again until every other one has succeeded") {
  ContendedAtomics atomics;
  for (uint32_t warp = 0; warp < 8; ++warp)
    atomics.note(atomic(warp, 1, 0));
  const ContentionCost cost = cost_of(atomics);
  CHECK(cost.attempts == 36 - 8);  // 8 + 7 + ... + 1, and alone one each
  CHECK(cost.failed_attempts == 28);
  CHECK(cost.load_wavefronts == 28);
  CHECK(cost.swap_wavefronts == 2 * 28);
}

TEST_CASE("Warps with different words, and warps apart by a barrier or by blocks, cost each other nothing") {
  ContendedAtomics atomics;
  atomics.note(atomic(0, 1, 0));
  atomics.note(atomic(1, 1, 64));
  CHECK(cost_of(atomics).attempts == 0);
  atomics.note(atomic(0, 1, 0));
  atomics.barrier(0);
  atomics.barrier(1);
  atomics.note(atomic(1, 1, 0));
  CHECK(cost_of(atomics).attempts == 0);
  atomics.note(atomic(0, 1, 0));
  CHECK(cost_of(atomics).attempts == 0);
  atomics.note(atomic(1, 1, 0));
  CHECK(cost_of(atomics).attempts == 0);
}

TEST_CASE("The same atomics cost the same in every block") {
  ContendedAtomics atomics;
  uint64_t attempts[2] = {};
  for (uint64_t& of_block : attempts) {
    for (uint32_t warp = 0; warp < 8; ++warp)
      atomics.note(atomic(warp, ~0u, 0));
    of_block = cost_of(atomics).attempts;
  }
  // Every one of 256 successes needs one to eight attempts; alone 32 per warp.
  CHECK(attempts[0] > 8 * 9 / 2 * 32 - 256);
  CHECK(attempts[0] < 8 * 256 - 256);
  CHECK(attempts[1] == attempts[0]);
}
