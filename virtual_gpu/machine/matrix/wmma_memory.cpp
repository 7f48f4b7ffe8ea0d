// wmma.load and wmma.store: each register of a fragment is one access of the warp, or one per
// element when the elements of a register are not adjacent in memory.
#include <cstring>

#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/matrix/matrix_unit.h"

namespace ridge::machine {
namespace {

// The first element of a lane's register: row and column of the fragment.
struct Element {
  uint64_t row, column;
};

Element first_element(const MatrixOp& op, size_t index, size_t lane) {
  const uint64_t line = lane / 4, in_line = lane % 4;
  if (op.is_accumulator) {
    const size_t halves = op.rows == 8 ? 1 : 2, groups = op.columns / 8;
    const bool packed = op.d == AccumulatorType::f16;
    const size_t parity = packed ? 0 : index % 2, at = packed ? index : index / 2;
    return {(at / halves / groups * 2 + at % halves) * 8 + line,
            at / halves % groups * 8 + in_line * 2 + parity};
  }
  const size_t elements = core_elements(op.a), cores = op.columns / elements;
  const size_t column = in_line * (elements / 4);
  if (op.is_b) return {index / cores * 8 + line, index % cores * elements + column};
  const size_t halves = op.rows == 8 ? 1 : 2;
  return {(index / halves / cores * 2 + index % halves) * 8 + line,
          index / halves % cores * elements + column};
}

}  // namespace

void MatrixUnit::wmma_access(const MatrixOp& op, RowOffset value,
                             const std::array<uint64_t, 32>& offsets) {
  Addresses base, addresses;
  spaces_.find_addresses(op.place, kAllLanes, base);
  for (int lane = 0; lane < kLanes; ++lane)
    addresses.lanes[lane] = base.of(lane) + offsets[static_cast<size_t>(lane)];
  context_.loops.summarize64(addresses.lanes, 0, kAllLanes, addresses.summary, addresses.lanes);
  MemoryOp access = op.place;
  access.values[0] = value;
  memory_.transfer(access,
                   op.kind == MatrixKind::fragment_load ? AccessKind::load : AccessKind::store,
                   addresses, kAllLanes);
}

void MatrixUnit::move_wmma(const MatrixOp& op) {
  const bool is_load = op.kind == MatrixKind::fragment_load;
  const uint64_t bits = op.is_accumulator ? (op.d == AccumulatorType::f16   ? 16
                                             : op.d == AccumulatorType::f64 ? 64
                                                                            : 32)
                                          : element_bits(op.a);
  const uint64_t lines = op.transposed ? op.rows : op.columns;
  const uint64_t stride = op.stride == kNoRow ? lines : context_.row<uint32_t>(op.stride)[0];
  const size_t distinct =
      op.is_accumulator ? op.d_rows.size() : op.rows / 8 * (op.columns / core_elements(op.a));
  for (size_t i = 0; i < op.d_rows.size(); ++i) {
    if (i >= distinct) {
      if (is_load)
        std::memcpy(context_.row<std::byte>(op.d_rows[i]),
                    context_.row<std::byte>(op.d_rows[i % distinct]), 128);
      continue;
    }
    for (size_t part = 0; part < op.parts; ++part) {
      std::array<uint64_t, 32> offsets;
      for (size_t lane = 0; lane < kLanes; ++lane) {
        const Element e = first_element(op, i, lane);
        const uint64_t element =
            op.transposed ? (e.column + part) * stride + e.row : e.row * stride + e.column + part;
        offsets[lane] = element * bits / 8;
      }
      if (op.parts == 1) {
        wmma_access(op, op.d_rows[i], offsets);
        continue;
      }
      uint32_t* const whole = context_.row<uint32_t>(op.d_rows[i]);
      uint32_t* const one = context_.row<uint32_t>(op.part_rows[part]);
      const uint32_t shift = static_cast<uint32_t>(part * bits), low = (1u << bits) - 1;
      if (!is_load) {
        for (int lane = 0; lane < kLanes; ++lane)
          one[lane] = whole[lane] >> shift & low;
      }
      wmma_access(op, op.part_rows[part], offsets);
      if (is_load) {
        for (int lane = 0; lane < kLanes; ++lane)
          whole[lane] = (part == 0 ? 0 : whole[lane]) | one[lane] << shift;
      }
    }
  }
  context_.made_progress |= !is_load;
}

}  // namespace ridge::machine
