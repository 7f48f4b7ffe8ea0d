// The order in which the blocks of a function should run when a warp has split.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ridge::machine {

// successors[b] are the blocks that block b can go to; block 0 is the entry. Returns each block's rank.
//
// It is a reverse post-order in which every loop is contiguous (a weak topological order: F. Bourdoncle,
// "Efficient chaotic iteration strategies with widenings", 1993). Running the split of the lowest rank first
// makes lanes wait where paths join: an `if` before what follows it, and every turn of a loop before what
// comes after the loop.
std::vector<uint32_t> order_blocks(std::span<const std::vector<uint32_t>> successors);

}  // namespace ridge::machine
