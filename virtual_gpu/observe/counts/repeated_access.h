// A series of equal accesses of one instruction at different addresses: each execution increments a
// number, and the costs are computed once when the series ends.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

class RepeatedAccess {
 public:
  bool is_known() const { return is_known_; }
  // Begins a series with `access`, which is not counted yet.
  void begin(const machine::Access& access);
  // An execution at `access`; only its first lane's address is read.
  void count(const machine::Access& access) { ++times_[access.first & key_mask_]; }
  // Ends the series: calls `settle` with an access of each cost and its number of executions.
  template <class Settle>
  void end(Settle settle) {
    if (!is_known_) return;
    is_known_ = false;
    for (uint64_t key = 0; key < times_.size(); ++key) {
      if (times_[key] == 0) continue;
      move(key - (access_.first & key_mask_));
      settle(static_cast<const machine::Access&>(access_), times_[key]);
    }
  }
  // For the machine, which counts elided executions itself: a number per address & key_mask().
  uint64_t* times() { return times_.data(); }
  uint32_t key_mask() const { return key_mask_; }

 private:
  void move(uint64_t by);

  bool is_known_ = false;
  machine::Access access_;
  std::array<uint64_t, 32> addresses_, lands_at_;
  std::vector<uint64_t> times_;  // by address & key_mask_
  uint32_t key_mask_ = 0;        // the bits of the first lane's address that affect the cost
};

}  // namespace ridge::observe
