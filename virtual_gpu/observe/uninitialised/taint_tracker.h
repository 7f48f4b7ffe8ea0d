// Tracks values read from uninitialised bytes through a block's registers until they are used or
// overwritten. Loading and copying such a value is harmless: vector loads read more than is used,
// and structs have padding. Uses are addresses, branches, masks, operands of atomics, and results
// stored in global memory.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/observe/checks.h"
#include "virtual_gpu/observe/uninitialised/taint_map.h"
#include "virtual_gpu/observe/uninitialised/undefined_lanes.h"

namespace ridge::observe {

// The taint of one running block.
struct BlockTaint {
  std::vector<TaintMap> warps;
  std::vector<bool> has_started;  // by warp: its unset registers are tainted
  // Tainted values in shared memory, by word: their origin, and the store.
  struct Stored {
    std::shared_ptr<const UndefinedRead> origin;
    uint32_t instruction = 0;
  };
  std::unordered_map<uint64_t, Stored> stored;
  // The first use of an uninitialised shared element. It is reported at the block's end, because a
  // thread may still write the element: that would be a race, which is the better report.
  std::optional<machine::ObservedFault> use;

  void begin(size_t warp_count) {
    warps.resize(warp_count);
    for (TaintMap& warp : warps)
      warp.clear();
    has_started.assign(warp_count, false);
    use.reset();
    stored.clear();
  }
};

class TaintTracker {
 public:
  // By serial of the allocation.
  using Deferred = std::map<uint32_t, machine::ObserverFactory::DeferredFault>;

  explicit TaintTracker(const CheckedLaunch& launch);

  void attach(machine::MachineView& machine) { machine_ = &machine; }

  // The kernel may read registers that it has not written: each warp must be stepped from its first
  // instruction on.
  bool has_unset_registers() const { return !unset_.empty(); }
  // A load or an ldmatrix reads uninitialised bytes: its destination registers become tainted.
  void loaded(BlockTaint& block, const machine::Access& access, const UndefinedLanes& undefined);
  // The lanes of a store whose value is tainted, and which bytes.
  void find_stored(const BlockTaint& block, const machine::Access& access, UndefinedLanes& undefined) const;
  // A store to shared memory with the lanes that find_stored has found.
  void remember_stored(BlockTaint& block, const machine::Access& access, const UndefinedLanes& undefined) const;
  // A shuffle reads from lanes that do not participate.
  void shuffled(BlockTaint& block, const machine::AbsentShuffle& shuffle);
  // A warp with tainted registers is about to execute an instruction: reports uses and propagates
  // the taint.
  void before(BlockTaint& block, const machine::SteppedInstruction& step);
  // Tainted values stored to global memory, reported only when something reads them
  // (CheckOptions::results).
  const Deferred& deferred() const { return deferred_; }

 private:
  // The context of one callback.
  struct Scope {
    BlockTaint& block;
    TaintMap& taint;
    const void* frame;
    uint64_t block_index;
    uint32_t warp, pc;
  };

  const machine::Program& program() const { return *launch_.program; }
  template <class T>
  const T* row(RowOffset offset) const {
    return reinterpret_cast<const T*>(machine_->registers() + offset);
  }
  Scope scope_of(BlockTaint& block, uint64_t block_index, uint32_t warp, uint32_t pc) const {
    return {block, block.warps[warp], machine_->frame(), block_index, warp, pc};
  }
  bool is_ever_read(uint32_t pc, RowOffset row);
  void taint_unset(const Scope& scope, uint32_t lanes);
  bool is_benign_library_branch(const Scope& scope, RowOffset guard) const;
  bool is_benign_in_library(const Scope& scope, const TaintedRow& row) const;
  bool stores_globally(const machine::MemoryOp& op, uint32_t mask) const;
  void require_defined(const Scope& scope, RowOffset row, uint32_t mask, const char* use) const;
  void report(const Scope& scope, const TaintedRow& row, uint32_t lanes, const char* use) const;
  machine::ObservedFault use_fault(const Scope& scope, const TaintedRow& row, uint32_t lanes,
                                   const char* use) const;
  std::string history_at(uint64_t address) const;
  bool defer(const Scope& scope, const machine::MemoryOp& memory, const TaintedRow& row, uint32_t lanes);
  std::string value_text(const Scope& scope, const UndefinedRead& read, int lane) const;
  std::string absent_text(const UndefinedRead& read, uint32_t warp, int lane) const;

  // By kind of instruction, before it is executed for `mask`.
  void propagate(const Scope& scope, const machine::MicroOp& op, uint32_t mask);
  void propagate_lane(const Scope& scope, const machine::MicroOp& op, uint32_t mask) const;
  void propagate_pack(const Scope& scope, const machine::MicroOp& op, uint32_t mask) const;
  void propagate_memory(const Scope& scope, const machine::MicroOp& op, uint32_t mask);
  void propagate_atomic(const Scope& scope, const machine::AtomicOp& op, uint32_t mask) const;
  void propagate_warp_op(const Scope& scope, const machine::MicroOp& op, uint32_t mask) const;
  void propagate_matrix(const Scope& scope, const machine::MatrixOp& op) const;
  void taint_fragments(const Scope& scope, const machine::MatrixOp& op, const machine::Access& access,
                       const UndefinedLanes& undefined) const;

  const CheckedLaunch& launch_;
  machine::MachineView* machine_ = nullptr;
  std::unordered_map<uint64_t, bool> ever_read_;  // by function and row
  struct UnsetRegister {
    RowOffset row;
    std::shared_ptr<const UndefinedRead> origin;
  };
  Deferred deferred_;
  // A value computed from global memory counts as used when it is stored in shared memory, because
  // other units may read it there without the tracker, or because results are reported at once.
  bool reports_shared_stores_ = true;
  std::vector<UnsetRegister> unset_;  // of the kernel; empty if uninitialised values are not checked
};

}  // namespace ridge::observe
