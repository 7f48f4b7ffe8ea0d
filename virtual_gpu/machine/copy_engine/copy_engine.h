// Asynchronous copies: cp.async, bulk copies and tensor maps.
#pragma once

#include <optional>
#include <vector>

#include "virtual_gpu/machine/barriers/mbarriers.h"
#include "virtual_gpu/machine/copy_engine/bulk_copy.h"
#include "virtual_gpu/machine/memory/access_caches.h"

namespace ridge::machine {

class CopyEngine {
 public:
  CopyEngine(ExecutionContext& context, AddressSpaces& spaces, AccessCaches& caches,
             Mbarriers& mbarriers)
      : context_(context),
        spaces_(spaces),
        caches_(caches),
        mbarriers_(mbarriers),
        landed_(context.observer != nullptr ? context.program.async_copies.size() : 0) {}

  void async_copy(const MicroOp& op, uint32_t mask);
  void async_commit(uint32_t mask);
  void async_wait(const MicroOp& op, uint32_t mask);
  void land_arrivals(Block& owner, uint32_t mbarrier);
  void bulk_copy(const MicroOp& op, uint32_t mask);
  void bulk_commit(uint32_t mask);
  void bulk_wait(const MicroOp& op, uint32_t mask);
  bool land_all_copies(Block& block);
  void end_block(Block& block);  // all its threads have exited
  void tensor_map(const MicroOp& op, uint32_t mask);
  // Completes the copies that signal an mbarrier; returns true when there were some.
  bool land_copies(Block& block, uint32_t mbarrier);
  std::optional<CopyClash> copy_clash(uint64_t block, uint64_t begin, uint64_t end) const;
  std::optional<CopyClash> landed_clash(uint64_t block, uint64_t begin, uint64_t end) const;

 private:
  void find_destination(const AsyncCopyOp& copy, uint32_t mask, Addresses& destination);
  void find_source(const MicroOp& op, const Addresses& destination, uint32_t mask, uint32_t whole,
                   Addresses& source);
  void write_copy(PendingCopy& copy, uint32_t mask);
  void notify_copy_begins(const Addresses& destination, uint32_t mask, uint32_t bytes);
  void notify_landed(const PendingCopy& copy, uint32_t mask);
  [[noreturn]] void bulk_fault(Fault::Kind kind, int lane, const std::string& what,
                               const std::string& advice) const;
  void check_bulk_shared(const char* what, AccessKind kind, uint64_t offset, uint64_t bytes,
                         uint32_t alignment, int lane) const;
  bool is_live(uint64_t begin, uint64_t end) const;
  void check_bulk_global(const BulkCopy& copy, AccessKind kind, int lane) const;
  void check_bulk_box(const BulkOp& op, const TensorLayout& layout, int lane) const;
  void check_bulk_start(const TensorBox& box, int lane) const;
  void issue_to_blocks(const BulkOp& op, BulkCopy&& copy, uint64_t destination, uint64_t mbarrier,
                       int lane);
  void complete_bytes(Block& block, const BulkCopy& copy);
  void read_box(const BulkOp& op, BulkCopy& copy, int lane) const;
  void issue_bulk(const BulkOp& op, int lane);
  void notify_copy_at_exit(const BulkCopy& copy, AccessKind kind, const Block& owner, uint32_t at);
  void notify_bulk_begins(const BulkCopy& copy, AccessKind kind, const Block& owner, uint32_t at);
  void land(Block& block, BulkCopy& copy);
  void read_store(Block& block, BulkCopy& copy);
  void write_store(Block& block, BulkCopy& copy);
  void limit_staged(Block& block);
  uint64_t lane_address(const MemoryOp& op, int lane) const;
  std::byte* tensor_map_bytes(const MemoryOp& op, int lane) const;
  TensorLayout tensor_layout(const MemoryOp& op, int lane) const;
  void replace_field(const TensorMapOp& op, int lane);

  // By AsyncCopyOp: the last completed copy as observers saw it, and the AccessCache::pattern of
  // its destination.
  struct LandedCopy {
    uint64_t pattern = 0;
    Access access;
    uint64_t source_to = 0;  // the pattern of the destination that observers saw with the load
  };

  ExecutionContext& context_;
  AddressSpaces& spaces_;
  AccessCaches& caches_;
  Mbarriers& mbarriers_;
  std::vector<LandedCopy> landed_;
};

}  // namespace ridge::machine
