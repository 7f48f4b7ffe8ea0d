// Barriers, mbarriers, the stores that mbarriers count, and the operations of a whole warp.
#pragma once

#include <cstdint>

#include "virtual_gpu/machine/program/memory_op.h"

namespace ridge::machine {

enum class BarrierKind : uint8_t { sync, arrive, reduce_and, reduce_or, reduce_count };
struct BarrierOp {
  BarrierKind kind = BarrierKind::sync;
  RowOffset id = 0, count = kNoRow;            // rows of 4 bytes per lane
  RowOffset result = kNoRow, source = kNoRow;  // bar.red
  bool source_negated = false;
  bool aligned = true;
};

enum class MbarrierAction : uint8_t {
  init,
  invalidate,
  arrive,
  arrive_drop,
  expect_tx,
  complete_tx,
  test_wait,
  try_wait,
  pending_count,
  async_arrive,  // cp.async.mbarrier.arrive
};
struct MbarrierOp {
  MbarrierAction action = MbarrierAction::arrive;
  MemoryOp place;              // where the object is: shared or generic
  RowOffset result = kNoRow;   // the state, a predicate (waits), or a count
  RowOffset count = kNoRow;    // arrivals or bytes; kNoRow: 1
  RowOffset state = kNoRow;    // waits and pending_count: what an arrive returned
  RowOffset parity = kNoRow;   // waits: instead of a state
  bool expects = false;        // arrive*.expect_tx: `count` is bytes, the arrival counts 1
  bool may_complete = true;    // not .noComplete
  bool counts_itself = false;  // cp.async.mbarrier.arrive without .noinc
  Ordering ordering = Ordering::release;
};

// st.async and red.async: like an ordinary store or reduction, whose bytes an mbarrier counts when they land.
struct AsyncStoreOp {
  AtomicOp value;  // place and operands; of a store only `place` and `a` count
  bool reduces = false;
  MemoryOp mbarrier;
};

struct ClusterBarrierOp {
  bool aligned = false;
  bool orders = true;  // not .relaxed
};

enum class WarpOpMode : uint8_t {
  up,
  down,
  butterfly,
  index,  // shfl
  all,
  any,
  uniform,
  ballot,  // vote
  match_any,
  match_all,  // match
  sum,
  minimum,
  maximum,
  bit_and,
  bit_or,
  bit_xor,  // redux
};
struct WarpOp {
  WarpOpMode mode = WarpOpMode::index;
  bool is_signed = false, is_float = false, absolute = false, nan = false;
  bool wide = false;  // match of 64-bit values
  bool source_negated = false;
  RowOffset result = kNoRow, predicate = kNoRow;
  RowOffset source = 0, b = 0, c = 0;
  RowOffset members = kNoRow;  // row of masks; kNoRow: not a .sync form
};

}  // namespace ridge::machine
