// The shared memory that a block's wgmma reads or may still read, for checking copies and stores to
// it.
//
// A wgmma reads its operands from its issue until a warp of its warpgroup has waited for it:
// wait_group applies to the whole warpgroup, and often one of its threads releases a buffer for all
// four warps. A write must follow the wait of one of them. One entry represents all wgmma of a
// warpgroup that read the same operand, because only the newest matters: a loop over the stages of
// a buffer creates at most a few hundred entries.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "virtual_gpu/machine/matrix/product.h"
#include "virtual_gpu/observe/races/block_clock.h"

namespace ridge::observe {

struct ProductRead {
  machine::ProductOperand operand;
  machine::ProductOperand::Extent extent;
  uint64_t key = 0;  // operand and warpgroup
  uint32_t warpgroup = 0, site = 0;
  // Issued: the newest; made: the newest that a warp has waited for.
  uint64_t issued = 0, made = 0;
  std::array<uint32_t, 4> waits{};  // by warp: the stamp of its wait for `made`; 0: not waited yet
  bool is_listed = false;

  bool is_under_way() const { return issued > made; }
};

class ProductReads {
 public:
  static constexpr uint32_t kGroupWarps = 4;

  void clear();
  // True when there is nothing to check.
  bool empty() const { return listed_.empty(); }
  void issued(const machine::Product& product, uint32_t site);
  void made(const machine::Product& product, uint32_t stamp);

  // A read of part of [begin, end) that may not be complete when `warp` of the block writes now;
  // nullptr: none.
  const ProductRead* read_before(uint64_t begin, uint64_t end, uint32_t warp, const BlockClock& clock,
                                 uint64_t& at);
  // The same for a write by another block, for which all reads up to this stamp are complete.
  const ProductRead* read_before(uint64_t begin, uint64_t end, uint32_t over, uint64_t& at) const;

 private:
  ProductRead& find(const machine::ProductOperand& operand, uint32_t warpgroup);
  void enter(uint32_t index);

  std::vector<ProductRead> reads_;
  std::vector<uint32_t>
      places_;  // open-addressing hash table of indices in `reads_` + 1; 0: free
  // Indices in `reads_` of entries that may not be complete for every warp.
  std::vector<uint32_t> listed_;
};

}  // namespace ridge::observe
