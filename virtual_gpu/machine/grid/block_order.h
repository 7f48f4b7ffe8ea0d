// The order in which the basic blocks of a function should run when a warp has diverged.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ridge::machine {

// successors[b] are the successors of basic block b; block 0 is the entry. Returns each block's
// rank.
//
// The order is a reverse post-order in which every loop is contiguous (a weak topological order: F.
// Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993). Running the split
// with the lowest rank first makes lanes wait where paths join: an `if` runs before the code after
// it, and every iteration of a loop before the code after the loop.
std::vector<uint32_t> order_blocks(std::span<const std::vector<uint32_t>> successors);

}  // namespace ridge::machine
