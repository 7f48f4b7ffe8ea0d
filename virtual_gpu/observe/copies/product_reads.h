// The shared memory that the wgmma of a block read, or may still read: checked by copies and stores that
// write there.
//
// A wgmma reads its operands from its issue until a warp of its warpgroup has waited for it: wait_group acts
// for the whole warpgroup, and often one of its threads releases a buffer for all four warps. A write must
// follow the wait of one of them. One entry represents all wgmma of a warpgroup that read the same operand,
// because only the newest matters: a loop over the stages of a buffer makes
// a few hundred at the most.
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
  uint64_t issued = 0, made = 0;    // ordinals: the newest issued, and the newest that a warp has waited for
  std::array<uint32_t, 4> waits{};  // by warp: the stamp of its wait for `made`, 0: it has not waited yet
  bool is_listed = false;

  bool is_under_way() const { return issued > made; }
};

class ProductReads {
 public:
  static constexpr uint32_t kGroupWarps = 4;

  void clear();
  // Whether nobody needs to ask for more.
  bool empty() const { return listed_.empty(); }
  void issued(const machine::Product& product, uint32_t site);
  void made(const machine::Product& product, uint32_t stamp);

  // The read of some of [begin, end) that may not be over for a write that `warp` of the block makes now;
  // nullptr: none.
  const ProductRead* read_before(uint64_t begin, uint64_t end, uint32_t warp, const BlockClock& clock,
                                 uint64_t& at);
  // The same for a write by another block, to which all is over up to this stamp.
  const ProductRead* read_before(uint64_t begin, uint64_t end, uint32_t over, uint64_t& at) const;

 private:
  ProductRead& find(const machine::ProductOperand& operand, uint32_t warpgroup);
  void enter(uint32_t index);

  std::vector<ProductRead> reads_;
  std::vector<uint32_t>
      places_;  // by hash, open: one more than an index in `reads_`, 0: free; a power of two
  std::vector<uint32_t> listed_;  // in `reads_`: those that may not be over for everybody
};

}  // namespace ridge::observe
