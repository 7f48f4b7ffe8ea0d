// Special registers and clocks, and the rows of constants that a function begins with.
#pragma once

#include <cstdint>

#include "virtual_gpu/machine/lanes/lane_op.h"

namespace ridge::machine {

enum class ClockKind : uint8_t { clock32, clock_high, clock64, nanoseconds };

enum class Special : uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_shared,
  total_shared,
  reserved_shared_middle,
  reserved_shared_end,
  cluster_is_explicit,
  cluster_rank,
  cluster_blocks,
  cluster_block_x,
  cluster_block_y,
  cluster_block_z,
  cluster_size_x,
  cluster_size_y,
  cluster_size_z,
  cluster_id_x,
  cluster_id_y,
  cluster_id_z,
  cluster_count_x,
  cluster_count_y,
  cluster_count_z,
  grid_workspace_high,
  grid_workspace_low,
  zero,
};

struct ConstantRow {
  RowOffset row;
  RowType type;
  uint64_t value;
};
struct SpecialRow {
  RowOffset row;
  RowType type;
  Special special;
};
struct LocalAddressRow {
  RowOffset row;
  RowType type;
  uint64_t offset;
};  // + the frame's place in local memory

}  // namespace ridge::machine
