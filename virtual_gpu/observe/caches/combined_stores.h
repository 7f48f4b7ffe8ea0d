// Which stores an SM combines before it sends them to L2.
#pragma once

#include <vector>

#include "virtual_gpu/observe/caches/access_stream.h"

namespace ridge::observe {

// A store that begins in the sector in which the SM's last store ended is combined with it for
// L2: warps whose rows are not aligned to 32 bytes, or that store a few bytes each,
// consecutively. An H200 combines them only within some tens of cycles (store_joins of
// tests/hardware/counters; 370 of 448 pairs in store_misaligned), and none in transpose_naive,
// where 31 other sectors are between. `before`: the sectors that the warp's last access stored in
// the line.
// `last_stored`: the last sector of the SM's last store, which is updated.
warp_model::SectorMask sent_to_l2(uint64_t& last_stored, uint64_t line,
                                  warp_model::SectorMask stored, warp_model::SectorMask before);

// True when the access at `at` is sent to L2 together with `joined`, the warp's last accesses: a
// store to mostly the same sectors, a few instructions later. Examples are the members of a
// structure, and pixels at a distance of two. (Measured: drift, invert_3x3, blelloch and others
// of tests/hardware/everyday. Loops that store to a sector again later (sieve) and rows that
// share a sector at their ends (softmax_warp) are not combined.)
bool joins(const AccessStream& stream, const std::vector<size_t>& joined, size_t at);

// The sectors of a line that the stores in `joined` wrote.
warp_model::SectorMask stored_by(const AccessStream& stream, const std::vector<size_t>& joined,
                                 uint64_t line);

}  // namespace ridge::observe
