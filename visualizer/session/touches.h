// How often each sector of each array was touched by the recorded blocks, which of its bytes, and who wrote
// last.
#pragma once

#include <utility>
#include <vector>

#include "visualizer/session/loaded_trace.h"

namespace ridge::view {

struct SectorTouches {
  uint32_t reads = 0, writes = 0;
  uint32_t used = 0;                          // bit k: byte k was asked for by some lane
  uint16_t last_writer = 0, last_reader = 0;  // which of the recorded blocks, from 1; 0: none
};

// The array as a picture: a cell is a sector, or a square of several where they do not fit.
struct HeatMap {
  static constexpr int kMostSide = 1024;
  int width = 0, height = 0;
  uint64_t sectors_a_cell = 1, sectors_a_row = 1;  // of the array, not of the picture
  // [height][width]: 0 untouched; to kHottest how often its busiest sector was touched, in parts of the most
  // that any was; the same above kPartly, where bytes of it were fetched and never used.
  static constexpr uint8_t kHottest = 127, kPartly = 128;
  std::vector<uint8_t> cells;
};

struct ArrayTouches {
  size_t array = 0;                    // index in AccessTrace::arrays
  std::vector<SectorTouches> sectors;  // from the sector of the array's first byte
  uint32_t most = 0;
  uint64_t touched = 0, bytes_used = 0;
  HeatMap map;
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
  // `block`: index in AccessTrace::blocks.
  void count(size_t block, const trace::TraceRecord& record);
  Touches finish();

 private:
  ArrayTouches* array_of(uint64_t address);
  void touch(size_t block, const trace::TraceRecord& record, uint64_t sector, uint32_t used);
  const LoadedTrace& trace_;
  Touches touches_;
  ArrayTouches* last_ = nullptr;  // accesses of one instruction stay in one array
  uint64_t counted_ = 0;
  std::vector<std::pair<uint64_t, uint32_t>> asked_;  // of the record at hand: sectors, their bytes
};

}  // namespace ridge::view
