// Generic addresses of memory that belongs to a block or a thread.
//
// A generic pointer to global memory is a host address. Shared, local and parameter memory appear at fixed
// windows inside one reserved range of host addresses that is never mapped, so a generic pointer says what it
// points to.
#pragma once

#include <cstdint>

namespace ridge::machine {

// A shared address is an offset in bits 0..23. Bits 24 and up hold 0 for the thread's own block (shared::cta)
// or the block's rank in its cluster plus one (shared::cluster).
inline constexpr int kSharedRankShift = 24;
inline constexpr uint64_t kSharedOffsetMask = (1ull << kSharedRankShift) - 1;
inline constexpr uint64_t kSharedWindowBytes = 1ull << 29;
// A rank beyond it has no address of its own: it stands for all that are too large.
inline constexpr uint64_t kLargestRank = (kSharedWindowBytes >> kSharedRankShift) - 2;
inline constexpr uint64_t kLocalWindowBytes = 1ull << 28;
inline constexpr uint64_t kParameterWindowBytes = 1ull << 27;
inline constexpr uint64_t kFunctionWindowBytes = 1ull << 27;
inline constexpr uint64_t kFunctionStride = 16;

struct AddressWindows {
  uint64_t shared, local, parameter, function;  // where each begins
  uint64_t begin, end;                          // all of them
};

const AddressWindows& address_windows();

}  // namespace ridge::machine
