// The mbarrier operations of a warp: arrivals, expected bytes and waits.
#pragma once

#include <string>

#include "virtual_gpu/machine/barriers/mbarrier.h"
#include "virtual_gpu/machine/faults/fault_cause.h"
#include "virtual_gpu/machine/memory/address_spaces.h"

namespace ridge::machine {

// Asynchronous work that signals an mbarrier. A wait first completes it.
class PendingDeliveries {
 public:
  virtual ~PendingDeliveries() = default;
  // Completes the copies in flight to `block` that signal the mbarrier at this offset.
  virtual void land(Block& block, uint32_t mbarrier) = 0;
};

class Mbarriers {
 public:
  Mbarriers(ExecutionContext& context, AddressSpaces& spaces, PendingDeliveries& deliveries)
      : context_(context), spaces_(spaces), deliveries_(deliveries) {}

  MbarrierPhase& mbarrier_phase(MbarrierPlace place) const;
  Mbarrier read_mbarrier(MbarrierPlace place, const Culprit& who) const;
  void notify_mbarrier(MbarrierPlace place, uint32_t mask, bool initialises = false);
  void arrive_on(MbarrierPlace place, Mbarrier object, uint32_t count, const Culprit& who);
  void complete_transaction(MbarrierPlace place, uint32_t bytes, const Culprit& who);
  // Bytes of a copy that was started in phase `started` land now.
  void note_landing(MbarrierPlace place, uint64_t started, uint32_t bytes);
  void mbarrier(const MicroOp& op, uint32_t mask);
  Next mbarrier_try_wait(Split& split, const MicroOp& op);
  MbarrierPlace mbarrier_place(const MemoryOp& op, const Addresses& addresses, int lane,
                               AccessKind kind) const;
  std::string waited_text(const Block& block, const Warp& warp, const Split& split) const;
  // The first wait in the block's cluster that passed immediately because its lanes had already
  // waited for the same phase, as a sentence; empty: there was none. `cause` receives the
  // mbarrier's name and figures.
  std::string repeated_wait_text(const Block& block, FaultCause& cause) const;
  // The same for the first mbarrier with more arrivals than its phases were waited for.
  std::string overrun_text(const Block& block, FaultCause& cause) const;
  // The first mbarrier whose phase was over before all copies that were started for it had landed,
  // likewise.
  std::string late_bytes_text(const Block& block, FaultCause& cause) const;
  // The finding that all blocked threads wait for the first phase of mbarriers (two or more) at which
  // nothing has arrived, likewise.
  std::string first_phases_text(const Block& block, FaultCause& cause) const;

 private:
  void write_mbarrier(MbarrierPlace place, Mbarrier object);
  void mbarrier_init(const MbarrierOp& op, MbarrierPlace place, int lane);
  void add_transactions(MbarrierPlace place, Mbarrier& object, int64_t bytes,
                        const Culprit& who) const;
  void mbarrier_update(const MbarrierOp& op, MbarrierPlace place, int lane);
  uint32_t mbarrier_test(const MbarrierOp& op, uint32_t mask);
  bool arrive_together(const MbarrierOp& op, const Addresses& addresses, uint32_t mask);
  void pending_count(const MbarrierOp& op, uint32_t mask) const;
  void mbarrier_async_arrive(const MbarrierOp& op, MbarrierPlace place, int lane);
  void deliver(MbarrierPlace place);
  // "the mbarrier `full[1]`", or with its offset, since dynamic shared memory has no names.
  std::string mbarrier_text(MbarrierPlace place) const;
  FaultCause cause(std::string id, MbarrierPlace place) const;
  void add_names(MbarrierPlace place, FaultCause& cause) const;
  void note_passed(MbarrierPlace place, const Mbarrier& object, uint32_t lanes, bool parity);
  uint64_t phase_number(MbarrierPlace place) const;

  ExecutionContext& context_;
  AddressSpaces& spaces_;
  PendingDeliveries& deliveries_;
};

}  // namespace ridge::machine
