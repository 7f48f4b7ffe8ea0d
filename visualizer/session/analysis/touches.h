// How often each sector of each array was touched by the recorded blocks, how much of that was needed, which
// of its bytes were, and by whom.
#pragma once

#include <utility>
#include <vector>

#include "visualizer/session/loaded_trace.h"

namespace ridge::view {

// When a sector was touched first: the recorded block, and the record in it.
struct TouchTime {
  uint32_t block = 0, record = 0;
  auto operator<=>(const TouchTime&) const = default;
};

struct SectorTouches {
  uint32_t reads = 0, writes = 0;
  uint32_t used = 0;      // bit k: byte k was used by some lane
  float wasted = 0;       // of the touches: the part that a perfect layout would not need (warp_model/access.h)
  TouchTime first;        // of its first touch
  uint16_t last_writer = 0, last_reader = 0;  // which of the recorded blocks, from 1; 0: none
  uint32_t touches() const { return reads + writes; }
};

struct ArrayTouches {
  size_t array = 0;                    // index in AccessTrace::arrays
  std::vector<SectorTouches> sectors;  // from the sector of the array's first byte
  uint32_t most = 0;                   // touches of one sector
  uint64_t touched = 0, bytes_used = 0;   // distinct sectors, distinct bytes of them
  uint64_t fetched_sectors = 0;           // by all accesses
  double ideal_sectors = 0;               // that would have done
};

// Of arrays of global memory, in their order. Records beyond kMostRecords are left out: `complete` says so.
struct Touches {
  static constexpr uint64_t kMostRecords = 2'000'000;
  std::vector<ArrayTouches> arrays;
  bool complete = true;
};

class TouchCounter {
 public:
  explicit TouchCounter(const LoadedTrace& trace);
  // `block`: index in AccessTrace::blocks; `index`: of the record in that block.
  void count(size_t block, size_t index, const trace::TraceRecord& record);
  Touches finish() { return std::move(touches_); }

 private:
  struct AskedSector {
    uint64_t sector = 0;
    uint32_t used = 0;
  };
  ArrayTouches* array_of(uint64_t address);
  void count_asked(size_t block, size_t index, const trace::TraceRecord& record);
  void touch(TouchTime time, const trace::TraceRecord& record, const AskedSector& asked, float wasted);

  const LoadedTrace& trace_;
  Touches touches_;
  ArrayTouches* last_ = nullptr;  // accesses of one instruction stay in one array
  uint64_t counted_ = 0;
  std::vector<AskedSector> asked_;  // of the record at hand
};

}  // namespace ridge::view
