// What the views agree on: the only link between them. Each looks at the parts it knows and ignores the
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ridge::view {

struct Selection {
  std::optional<uint32_t> lane;         // 0 to 31 of the shown access
  std::optional<uint64_t> sector;       // address / 32, global memory
  std::optional<uint32_t> bank;         // 0 to 31
  std::optional<uint32_t> word;         // shared memory: offset / 4
  std::optional<uint32_t> line;         // of the learner's source, from 1
  std::optional<uint32_t> instruction;  // index in TraceLaunch::instructions
  std::optional<size_t> access;         // record of the shown block
  std::optional<uint64_t> block;        // linear, in the grid
  std::optional<size_t> array;          // index in AccessTrace::arrays
  std::optional<int64_t> run;           // number in the store
  std::optional<int> level;             // of the pyramid: 0 registers, 1 shared and L1, 2 L2, 3 HBM

  bool operator==(const Selection&) const = default;
  bool empty() const { return *this == Selection{}; }
  // Field by field: what is here, else what is in `below`.
  Selection over(const Selection& below) const;
};

}  // namespace ridge::view
