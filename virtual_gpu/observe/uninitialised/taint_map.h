// Taint tracking: the registers of a warp with values that were read from uninitialised bytes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "virtual_gpu/machine/program/micro_op.h"

namespace ridge::observe {

using machine::RowOffset;

// The origin of a tainted value: a load of uninitialised bytes, a shuffle that read an absent lane,
// or a register that nothing has written. For a shuffle, `addresses` are the source lanes, and
// `members` is the mask of the first reader.
struct UndefinedRead {
  bool from_lane = false;
  bool is_unset = false;  // `instruction` is the first one in the text that reads the register
  uint32_t members = 0, live = 0;
  uint32_t instruction = 0;
  machine::MemorySpace space = machine::MemorySpace::global;
  uint32_t bytes = 0;
  uint32_t lanes = 0;
  std::array<uint64_t, 32> addresses{};
  // For a value that was computed from a tainted one, stored, and is read again here: the first
  // origin, and the store.
  std::shared_ptr<const UndefinedRead> earlier = {};
  uint32_t stored_by = 0;
  std::string history = {};  // the same for a value in global memory: UndefinedResult::history
};

struct TaintedRow {
  const void* frame = nullptr;
  RowOffset row = 0;
  uint32_t lanes = 0;
  uint32_t computed = 0;  // lanes whose value was computed from a tainted one, not copied
  std::shared_ptr<const UndefinedRead> origin;
};

// The tainted registers of one warp. A row is identified by its frame (MachineView::frame) and its
// offset.
class TaintMap {
 public:
  bool empty() const { return rows_.empty(); }
  void clear() { rows_.clear(); }
  const TaintedRow* find(const void* frame, RowOffset row) const {
    for (const TaintedRow& tainted : rows_) {
      if (tainted.row == row && tainted.frame == frame) return &tainted;
    }
    return nullptr;
  }
  // The lanes of `mask` were overwritten, those of `lanes` with a tainted value.
  void set(const void* frame, RowOffset row, uint32_t mask, uint32_t lanes, uint32_t computed,
           const std::shared_ptr<const UndefinedRead>& origin) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      TaintedRow& tainted = rows_[i];
      if (tainted.row != row || tainted.frame != frame) continue;
      tainted.lanes = (tainted.lanes & ~mask) | lanes;
      tainted.computed = (tainted.computed & ~mask) | computed;
      if (lanes != 0) tainted.origin = origin;
      if (tainted.lanes == 0) rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    if (lanes != 0) rows_.push_back({frame, row, lanes, computed, origin});
  }
  // Treats these lanes as defined, in one frame or (nullptr) in all.
  void forget(const void* frame, uint32_t mask) {
    std::erase_if(rows_, [&](TaintedRow& tainted) {
      if (frame != nullptr && tainted.frame != frame) return false;
      tainted.lanes &= ~mask;
      tainted.computed &= ~mask;
      return tainted.lanes == 0;
    });
  }

 private:
  std::vector<TaintedRow> rows_;
};

}  // namespace ridge::observe
