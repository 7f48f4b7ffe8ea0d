// Generic addresses of memory that belongs to a block or a thread.
//
// A generic pointer to global memory is a host address. Shared, local and parameter memory have
// fixed windows in a reserved range of host addresses that is never mapped, so a generic pointer
// identifies its memory.
#pragma once

#include <cstdint>

namespace ridge::machine {

// A shared address is an offset in bits 0..23. Bits 24 and above are 0 for the thread's own block
// (shared::cta), or the block's rank in its cluster plus one (shared::cluster).
inline constexpr int kSharedRankShift = 24;
inline constexpr uint64_t kSharedOffsetMask = (1ull << kSharedRankShift) - 1;
inline constexpr uint64_t kSharedWindowBytes = 1ull << 29;
// Represents all larger ranks, which have no address of their own.
inline constexpr uint64_t kLargestRank = (kSharedWindowBytes >> kSharedRankShift) - 2;
inline constexpr uint64_t kLocalWindowBytes = 1ull << 28;
inline constexpr uint64_t kParameterWindowBytes = 1ull << 27;
inline constexpr uint64_t kFunctionWindowBytes = 1ull << 27;
inline constexpr uint64_t kFunctionStride = 16;

struct AddressWindows {
  uint64_t shared, local, parameter, function;  // begin of each window
  uint64_t begin, end;                          // the range of all windows
};

const AddressWindows& address_windows();

}  // namespace ridge::machine
