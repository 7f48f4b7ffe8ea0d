// Bulk copies and tensor maps: what the copy engine is asked for.
#pragma once

#include <array>
#include <cstdint>

#include "virtual_gpu/machine/program/memory_op.h"

namespace ridge::machine {

// cp.async.bulk and cp.reduce.async.bulk: what the copy engine is asked for, thread by thread.
enum class BulkDirection : uint8_t { load, between_shared, store, prefetch };
struct BulkOp {
  BulkDirection direction = BulkDirection::load;
  bool is_tensor = false, is_im2col = false, multicast = false;
  uint8_t rank = 0;      // of the tensor, as the instruction says
  bool reduces = false;  // the type of a tensor's elements is in its map
  AtomicOperation operation = AtomicOperation::add;
  AtomicType type = AtomicType::u32;
  MemoryOp destination, source, map, mbarrier;  // only their addresses
  RowOffset bytes = kNoRow, blocks = kNoRow;    // blocks: the mask of a multicast
  std::array<RowOffset, 5> start{};
  std::array<RowOffset, 3> offsets{kNoRow, kNoRow, kNoRow};
};

enum class TensorMapField : uint8_t {
  address,
  rank,
  box,
  dim,
  stride,
  element_stride,
  element,
  interleave,
  swizzle,
  fill,
};
struct TensorMapOp {
  enum class Kind : uint8_t { replace, copy, prefetch } kind = Kind::replace;
  TensorMapField field = TensorMapField::address;
  uint32_t ordinal = 0;
  MemoryOp map, source;
  RowOffset value = kNoRow;
  bool wide_value = false;
};

}  // namespace ridge::machine
