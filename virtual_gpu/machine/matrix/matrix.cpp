// Matrix instructions of one warp: dispatch, and those that only move fragments.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/matrix/matrix_unit.h"
#include "virtual_gpu/machine/matrix/tile_loops.h"
#include "virtual_gpu/machine/memory/access_fast_path.h"
#include "virtual_gpu/machine/memory/generic_space.h"

namespace ridge::machine {

void MatrixUnit::matrix(Split& split, const MicroOp& op) {
  const uint32_t mask = split.mask;
  const MatrixOp& matrix = context_.program.matrices[op.target];
  if (mask != kAllLanes) {
    context_.fault(
        Fault::Kind::barrier, context_.culprit(std::countr_zero(mask)),
        fmt::format(
            "Barrier: {} of the 32 lanes of a warp execute a matrix instruction together with \x01, and it "
            "needs all of them",
            std::popcount(mask)),
        "move it out of the branch, let no thread return before it, and use blocks of a multiple "
        "of 32 threads",
        {"matrix_lanes_missed", {}});
  }
  switch (matrix.kind) {
    case MatrixKind::load:
    case MatrixKind::store:
      return move_fragments(matrix);
    case MatrixKind::transpose: {
      std::byte turned[128];
      tile_loops().transpose(context_.row<std::byte>(matrix.a_rows[0]), turned);
      std::memcpy(context_.row<std::byte>(matrix.d_rows[0]), turned, sizeof turned);
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

// True when the rows have the same pattern as in the last execution of this instruction, in shared
// memory. Then reports the access unless it is elided, and fills `addresses`.
bool MatrixUnit::find_cached_rows(const MatrixOp& op, uint32_t mask, Addresses& addresses) {
  AccessCache& cached = caches_.cache(op.place.cache);
  uint64_t first;
  if (!caches_.matches_cache(
          cached, [&] { return op.place.address; }, mask, first))
    return false;
  cached.misses = 0;
  if (context_.observer != nullptr && !caches_.elides(cached, first))
    caches_.observe_cached(cached, op.place, first);
  addresses.summary.shape = AccessShape::scattered;
  caches_.fill_cached_addresses(cached, op.place, first, addresses.lanes);
  return true;
}

// ldmatrix and stmatrix: lanes 8i to 8i + 7 have the row addresses of the i-th core matrix. For
// counting and checking this is a 16-byte access by those lanes; eight of them are a phase.
void MatrixUnit::move_fragments(const MatrixOp& op) {
  const bool is_load = op.kind == MatrixKind::load;
  const AccessKind kind = is_load ? AccessKind::load : AccessKind::store;
  const std::vector<RowOffset>& rows = is_load ? op.d_rows : op.a_rows;
  const uint32_t mask = rows.size() == 4 ? kAllLanes : (1u << (8 * rows.size())) - 1;
  Addresses addresses;
  alignas(64) std::byte cores[4 * 128];
  if (!is_load) {
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::byte* from = context_.row<std::byte>(rows[i]);
      if (op.transposed)
        tile_loops().transpose(from, cores + i * 128);
      else
        std::memcpy(cores + i * 128, from, 128);
    }
  }
  const auto move = [&](MemorySpace space, Addresses& part, uint32_t lanes) {
    std::byte* const origin = spaces_.host_address(space, 0);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      std::byte* const at = origin + part.of(lane);
      std::byte* const core = cores + static_cast<size_t>(lane) * 16;
      std::memcpy(is_load ? core : at, is_load ? at : core, 16);
    }
  };
  const auto visit = [&](MemorySpace space, Addresses& part, uint32_t lanes) {
    spaces_.check(op.place, kind, space, part, lanes, 16);
    if (context_.observer != nullptr) caches_.observe(kind, space, part, lanes, 16, context_.pc);
    move(space, part, lanes);
    if (context_.wants_values) context_.observer->values(caches_.observed(), cores);
  };
  if (find_cached_rows(op, mask, addresses)) {
    move(MemorySpace::shared, addresses, mask);
  } else {
    spaces_.find_addresses(op.place, mask, addresses);
    if (op.place.space == MemorySpace::shared)
      caches_.update_cache(op.place, kind, addresses, mask);
    if (op.place.space == MemorySpace::generic) {
      spaces_.for_each_space(addresses, mask, visit);
    } else {
      addresses.strip_own_rank(context_.block->rank);
      visit(op.place.space, addresses, mask);
    }
    if (context_.observer != nullptr) {
      caches_.remembered(op.place.cache) = caches_.observed();
      caches_.remembered(op.place.cache).repeats = true;
    }
  }
  if (!is_load) {
    context_.made_progress = true;
    return;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    std::byte* const to = context_.row<std::byte>(rows[i]);
    if (op.transposed)
      tile_loops().transpose(cores + i * 128, to);
    else
      std::memcpy(to, cores + i * 128, 128);
  }
}

}  // namespace ridge::machine
