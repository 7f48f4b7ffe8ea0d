// bar, barrier and barrier.cluster: the barriers of a block and of a cluster.
#pragma once

#include "virtual_gpu/machine/execution_context.h"

namespace ridge::machine {

class BlockBarriers {
 public:
  explicit BlockBarriers(ExecutionContext& context) : context_(context) {}

  void block_barrier(Split& split, const BarrierOp& op);
  void check_barriers_after_exit();
  void cluster_arrive(const MicroOp& op, uint32_t mask);
  Next cluster_wait(Split& split, const MicroOp& op);
  void try_complete_cluster();
  // The cause of a wait at a barrier at which `missing` threads do not arrive.
  FaultCause missing_threads(const char* id, uint32_t barrier_pc, uint32_t missing) const;

 private:
  void arrive(Split& split, const BarrierOp& op, uint32_t id, uint32_t count);
  bool is_complete(const Barrier& barrier) const;
  void try_complete(uint32_t id);
  void release_exited(uint32_t id) const;
  void complete(uint32_t id);
  [[noreturn]] void report_two_barriers(const Split& split, uint32_t other_pc) const;
  [[noreturn]] void report_exited(uint32_t id) const;

  ExecutionContext& context_;
};

}  // namespace ridge::machine
