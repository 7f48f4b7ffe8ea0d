// How often the recorded blocks touched each sector of each array, how much of that was needed,
// which bytes were used, and by which blocks.
#pragma once

#include <utility>
#include <vector>

#include "visualizer/session/loaded_trace.h"

namespace ridge::view {

// The time of a sector's first touch: the recorded block, and the record in it.
struct TouchTime {
  uint32_t block = 0, record = 0;
  auto operator<=>(const TouchTime&) const = default;
};

struct SectorTouches {
  uint32_t reads = 0, writes = 0;
  uint32_t used = 0;      // bit k: byte k was used by some lane
  // Fraction of the touches that a perfect layout would not need (warp_model/access.h).
  float wasted = 0;
  TouchTime first;        // of the sector's first touch
  uint16_t last_writer = 0, last_reader = 0;  // number of the recorded block, from 1; 0: none
  uint32_t touches() const { return reads + writes; }
};

struct ArrayTouches {
  size_t array = 0;                    // index in AccessTrace::arrays
  std::vector<SectorTouches> sectors;  // from the sector of the array's first byte
  uint32_t most = 0;                   // touches of the most touched sector
  // Number of distinct sectors, and of distinct bytes in them.
  uint64_t touched = 0, bytes_used = 0;
  uint64_t fetched_sectors = 0;           // by all accesses
  double ideal_sectors = 0;               // number that a perfect layout would need
};

// For arrays of global memory, in their order. Records beyond kMostRecords are ignored: then
// `complete` is false.
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
  ArrayTouches* last_ = nullptr;  // an instruction usually accesses one array
  uint64_t counted_ = 0;
  std::vector<AskedSector> asked_;  // of the current record
};

}  // namespace ridge::view
