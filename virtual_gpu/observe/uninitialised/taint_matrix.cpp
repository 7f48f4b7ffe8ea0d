// Taint tracking through ldmatrix and matrix products: a tainted element of A taints its row of D,
// one of B its column. Tiles are often filled in part only, so only the use of a tainted result is
// reported.
#include "virtual_gpu/observe/uninitialised/taint_tracker.h"

#include "virtual_gpu/machine/matrix/matrix_op.h"

namespace ridge::observe {

using machine::AccumulatorType;
using machine::ElementType;
using machine::kAllLanes;
using machine::kNoRow;
using machine::MatrixKind;
using machine::MatrixOp;

// `access` reads rows of core matrices (8 lanes address the rows of each); `undefined` has their
// uninitialised bytes.
void TaintTracker::taint_fragments(const Scope& scope, const MatrixOp& op, const machine::Access& access,
                                   const UndefinedLanes& undefined) const {
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  for (size_t matrix = 0; matrix < op.d_rows.size(); ++matrix) {
    auto read = std::make_shared<UndefinedRead>();
    read->instruction = scope.pc;
    read->space = access.space == machine::AccessSpace::shared ? machine::MemorySpace::shared
                                                               : machine::MemorySpace::global;
    read->bytes = 2;
    for (size_t line = 0; line < 8; ++line) {
      const size_t reader = matrix * 8 + line;
      if (!(undefined.lanes >> reader & 1)) continue;
      for (size_t element = 0; element < 8; ++element) {
        if ((undefined.bytes[reader] >> (2 * element) & 3u) != 3u) continue;
        const size_t lane = op.transposed ? element * 4 + line / 2 : line * 4 + element / 2;
        read->lanes |= 1u << lane;
        read->addresses[lane] = addresses[reader] + 2 * element;
      }
    }
    if (read->lanes == 0) continue;
    scope.taint.set(scope.frame, op.d_rows[matrix], kAllLanes, read->lanes, 0, read);
    machine_->step_warp(true);
  }
}

void TaintTracker::propagate_matrix(const Scope& scope, const MatrixOp& op) const {
  TaintMap& taint = scope.taint;
  const bool moves = op.kind == MatrixKind::load || op.kind == MatrixKind::store;
  if (moves && !op.place.fixed_address) require_defined(scope, op.place.address, kAllLanes, "uses as an address");
  if (op.kind == MatrixKind::load) {
    for (const RowOffset row : op.d_rows)
      taint.set(scope.frame, row, kAllLanes, 0, 0, nullptr);
    return;
  }
  if (op.kind == MatrixKind::store) return;
  if (op.kind != MatrixKind::product || op.metadata != kNoRow || op.a == ElementType::f64)
    return taint.forget(scope.frame, kAllLanes);

  const size_t halves = op.half_tile ? 1 : 2;
  std::shared_ptr<const UndefinedRead> origin;
  const auto lanes_of = [&](RowOffset row) {
    const TaintedRow* tainted = taint.find(scope.frame, row);
    if (tainted == nullptr) return 0u;
    origin = tainted->origin;
    return tainted->lanes;
  };
  // Extends to all four lanes of a row, or of a column of B, when one of them is tainted.
  const auto lines_of = [](uint32_t lanes) {
    lanes |= lanes >> 1;
    lanes = (lanes | lanes >> 2) & 0x11111111u;
    return lanes * 15u;
  };
  std::vector<uint32_t> results(op.d_rows.size());
  const size_t parities = op.d == AccumulatorType::f16 ? 1 : 2,
               from_parities = op.c == AccumulatorType::f16 ? 1 : 2;
  for (size_t tile = 0; tile < op.tiles; ++tile) {
    for (size_t group = 0; group < op.groups; ++group) {
      uint32_t columns = 0;
      for (size_t core = 0; core < op.cores; ++core)
        columns |= lines_of(lanes_of(op.b_rows[group * op.cores + core]));
      for (size_t half = 0; half < halves; ++half) {
        uint32_t lines = 0;
        for (size_t core = 0; core < op.cores; ++core)
          lines |= lines_of(lanes_of(op.a_rows[(tile * op.cores + core) * halves + half]));
        const size_t at = (tile * op.groups + group) * halves + half;
        for (size_t parity = 0; parity < parities; ++parity) {
          uint32_t lanes = lines;
          for (size_t column = 0; column < 8; ++column) {
            const bool is_here = parities == 1 || column % 2 == parity;
            if (is_here && (columns >> (4 * column) & 1)) lanes |= 0x11111111u << (column / 2);
          }
          for (size_t p = 0; p < from_parities; ++p) {
            if (parities == 1 || from_parities == 1 || p == parity)
              lanes |= lanes_of(op.c_rows[at * from_parities + p]);
          }
          results[at * parities + parity] = lanes;
        }
      }
    }
  }
  for (size_t i = 0; i < results.size(); ++i)
    taint.set(scope.frame, op.d_rows[i], kAllLanes, results[i], results[i], origin);
}

}  // namespace ridge::observe
