// Matrix instructions of one warp: who may execute them, and those that only move fragments.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/memory/generic_space.h"
#include "virtual_gpu/machine/memory/hot_access.h"
#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/matrix/tile_loops.h"

namespace ridge::machine {

void Core::matrix(Split& split, const MicroOp& op) {
  const uint32_t mask = split.mask;
  const MatrixOp& matrix = program_.matrices[op.target];
  if (mask != kAllLanes) {
    fault(Fault::Kind::barrier, culprit(std::countr_zero(mask)),
          fmt::format(
              "Barrier: {} of the 32 lanes of a warp execute a matrix instruction together with \x01, and it "
              "needs all of them",
              std::popcount(mask)),
          "take it out of the branch, or out of the way of threads that have returned, and start blocks of a "
          "multiple "
          "of 32 threads");
  }
  switch (matrix.kind) {
    case MatrixKind::load:
    case MatrixKind::store:
      return move_fragments(matrix);
    case MatrixKind::transpose: {
      std::byte turned[128];
      tile_loops().transpose(row<std::byte>(matrix.a_rows[0]), turned);
      std::memcpy(row<std::byte>(matrix.d_rows[0]), turned, sizeof turned);
      return;
    }
    case MatrixKind::product:
      return multiply_warp(matrix);
    case MatrixKind::quarter_product:
      return multiply_quarters(matrix);
    case MatrixKind::fragment_load:
    case MatrixKind::fragment_store:
      return move_wmma(matrix);
    case MatrixKind::group_product:
      return issue_warpgroup(split, matrix);
    case MatrixKind::group_commit:
      return commit_warpgroup();
    case MatrixKind::group_wait:
      return wait_warpgroup(split, matrix.pending_groups);
    case MatrixKind::group_fence:
      return fence_warpgroup();
  }
}

// The rows lie as they did the last time this instruction was executed, in shared memory: the access is told,
// if anybody has to hear of it, and `addresses` is where they are.
bool Core::find_known_rows(const MatrixOp& op, uint32_t mask, Addresses& addresses) {
  KnownAccess& known = known_[op.place.cache];
  uint64_t first;
  if (!is_as_known(
          known, [&] { return op.place.address; }, mask, first))
    return false;
  known.misses = 0;
  undefined.lanes = 0;
  if (observer_ != nullptr && !is_quiet(known, first)) observe_known(known, op.place, first);
  addresses.summary.shape = AccessShape::scattered;
  fill_known(known, op.place, first, addresses.lanes);
  return true;
}

// ldmatrix and stmatrix: lanes 8i to 8i + 7 say where the rows of the i-th core matrix are. For counting and
// checking it is an access of 16 bytes by those lanes; eight of them are a phase.
void Core::move_fragments(const MatrixOp& op) {
  const bool is_load = op.kind == MatrixKind::load;
  const AccessKind kind = is_load ? AccessKind::load : AccessKind::store;
  const std::vector<RowOffset>& rows = is_load ? op.d_rows : op.a_rows;
  const uint32_t mask = rows.size() == 4 ? kAllLanes : (1u << (8 * rows.size())) - 1;
  Addresses addresses;
  alignas(64) std::byte cores[4 * 128];
  if (!is_load) {
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::byte* from = row<std::byte>(rows[i]);
      if (op.transposed)
        tile_loops().transpose(from, cores + i * 128);
      else
        std::memcpy(cores + i * 128, from, 128);
    }
  }
  const auto move = [&](MemorySpace space, Addresses& part, uint32_t lanes) {
    if (is_load && undefined.lanes != 0) poison_fragments(op, part, space);
    std::byte* const origin = host_address(space, 0);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      std::byte* const at = origin + part.of(lane);
      std::byte* const core = cores + static_cast<size_t>(lane) * 16;
      std::memcpy(is_load ? core : at, is_load ? at : core, 16);
    }
  };
  const auto visit = [&](MemorySpace space, Addresses& part, uint32_t lanes) {
    check(op.place, kind, space, part, lanes, 16);
    undefined.lanes = 0;
    if (observer_ != nullptr) observe(kind, space, part, lanes, 16, pc_);
    move(space, part, lanes);
    if (wants_values_) observer_->values(observed_, cores);
  };
  if (find_known_rows(op, mask, addresses)) {
    move(MemorySpace::shared, addresses, mask);
  } else {
    find_addresses(op.place, mask, addresses);
    if (op.place.space == MemorySpace::shared) learn(op.place, kind, addresses, mask);
    if (op.place.space == MemorySpace::generic) {
      for_each_space(addresses, mask, visit);
    } else {
      addresses.strip_own_rank(block_->rank);
      visit(op.place.space, addresses, mask);
    }
    if (observer_ != nullptr) {
      known_observed_[op.place.cache] = observed_;
      known_observed_[op.place.cache].repeats = true;
    }
  }
  if (!is_load) {
    made_progress_ = true;
    return;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    std::byte* const to = row<std::byte>(rows[i]);
    if (op.transposed)
      tile_loops().transpose(cores + i * 128, to);
    else
      std::memcpy(to, cores + i * 128, 128);
  }
}

}  // namespace ridge::machine
