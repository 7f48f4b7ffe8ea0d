// Matrix instructions: ldmatrix, mma, wmma, and the wgmma of a warpgroup.
#pragma once

#include <span>
#include <string>

#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/memory/memory_unit.h"

namespace ridge::machine {

struct WarpgroupQueue;  // see matrix/warpgroup_queue.h
struct WarpgroupEntry;

class MatrixUnit {
 public:
  MatrixUnit(ExecutionContext& context, AddressSpaces& spaces, AccessCaches& caches,
             MemoryUnit& memory)
      : context_(context), spaces_(spaces), caches_(caches), memory_(memory) {}

  void matrix(Split& split, const MicroOp& op);
  void compare_warpgroups(const Block& block) const;

 private:
  struct StagedRuns;
  bool find_cached_rows(const MatrixOp& op, uint32_t mask, Addresses& addresses);
  void move_fragments(const MatrixOp& op);
  void multiply_warp(const MatrixOp& op);
  void multiply_floats(const MatrixOp& op);
  void multiply_bits(const MatrixOp& op);
  void multiply_doubles(const MatrixOp& op);
  void multiply_quarters(const MatrixOp& op);
  void multiply_sparse(const MatrixOp& op, float* sums) const;
  void issue_warpgroup(Split& split, const MatrixOp& op);
  void commit_warpgroup();
  void wait_warpgroup(Split& split, uint32_t pending_groups);
  std::span<Warp> warpgroup_of(const Warp& warp) const;
  static uint64_t issued_by_all(std::span<const Warp> warps);
  void release_warpgroup();
  void make_products(std::span<Warp> warps, uint64_t last);
  void finish_wait(Warp& warp);
  void deliver_accumulators(const Warp& warp, uint32_t finished);
  void fence_warpgroup();
  void check_warpgroup_fence(const MatrixOp& op) const;
  void check_unchanged(const Warp& warp, const WarpgroupEntry& entry) const;
  void check_same_product(std::span<const Warp> warps, uint64_t ordinal) const;
  std::string position_text(const Warp& warp) const;
  void notify_staged(const StagedRuns& staged, const Warp& warp, uint32_t pc, bool together);
  void stage_shared(const MatrixOp& op, uint64_t descriptor, bool is_a, const Warp& warp,
                    uint32_t pc, float* staged, StagedRuns& reported_runs) const;
  void make_product(std::span<Warp> warps, uint64_t ordinal);
  static void add_product(WarpgroupQueue& queue, const WarpgroupEntry& entry, const float* staged_a,
                          const float* staged_b);
  void multiply_warpgroup_bits(Warp& warp, const WarpgroupEntry& entry) const;
  void wmma_access(const MatrixOp& op, RowOffset value, const std::array<uint64_t, 32>& offsets);
  void move_wmma(const MatrixOp& op);

  ExecutionContext& context_;
  AddressSpaces& spaces_;
  AccessCaches& caches_;
  MemoryUnit& memory_;
};

}  // namespace ridge::machine
