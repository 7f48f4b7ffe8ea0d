// Registers whose value, in some lanes, was read from bytes that nobody has written. A load that reads such
// bytes is no fault: copying them around is harmless, and vector loads read more than is used. What is done
// with the value decides, so a warp that holds some is run an instruction at a time (watched.cpp) until the
// last of them is overwritten.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "virtual_gpu/machine/program/micro_op.h"

namespace ridge::machine {

struct Frame;

// The load that brought undefined bytes in, or the shuffle that read from a lane which did not take part:
// then `addresses` are these lanes, and `members` is the mask of the first reader.
struct UndefinedRead {
  bool from_lane = false;
  uint32_t members = 0, live = 0;
  uint32_t instruction = 0;
  MemorySpace space = MemorySpace::global;
  uint32_t bytes = 0;
  uint32_t lanes = 0;
  std::array<uint64_t, kLanes> addresses{};
};

struct PoisonedRow {
  const Frame* frame = nullptr;
  RowOffset row = 0;
  uint32_t lanes = 0;
  uint32_t computed = 0;  // lanes where the value is not a copy, but was computed from one
  std::shared_ptr<const UndefinedRead> origin;
};

class Poison {
 public:
  bool empty() const { return rows_.empty(); }
  void clear() { rows_.clear(); }
  const PoisonedRow* find(const Frame* frame, RowOffset row) const {
    for (const PoisonedRow& poisoned : rows_) {
      if (poisoned.row == row && poisoned.frame == frame) return &poisoned;
    }
    return nullptr;
  }
  // The lanes of `mask` were overwritten; those of `lanes` with something undefined.
  void set(const Frame* frame, RowOffset row, uint32_t mask, uint32_t lanes, uint32_t computed,
           const std::shared_ptr<const UndefinedRead>& origin) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      PoisonedRow& poisoned = rows_[i];
      if (poisoned.row != row || poisoned.frame != frame) continue;
      poisoned.lanes = (poisoned.lanes & ~mask) | lanes;
      poisoned.computed = (poisoned.computed & ~mask) | computed;
      if (lanes != 0) poisoned.origin = origin;
      if (poisoned.lanes == 0) rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    if (lanes != 0) rows_.push_back({frame, row, lanes, computed, origin});
  }
  // What these lanes hold is not known any more, and taken for defined.
  void forget(const Frame* frame, uint32_t mask) {
    std::erase_if(rows_, [&](PoisonedRow& poisoned) {
      if (frame != nullptr && poisoned.frame != frame) return false;
      poisoned.lanes &= ~mask;
      poisoned.computed &= ~mask;
      return poisoned.lanes == 0;
    });
  }

 private:
  std::vector<PoisonedRow> rows_;
};

}  // namespace ridge::machine
