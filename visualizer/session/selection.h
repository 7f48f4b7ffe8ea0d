// The selection, the only link between the views. Each view uses the members that it knows and
// ignores the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ridge::view {

struct Selection {
  std::optional<uint32_t> lane;         // 0 to 31 in the shown access
  std::optional<uint64_t> sector;       // address / 32, global memory
  std::optional<uint32_t> bank;         // 0 to 31
  std::optional<uint32_t> word;         // shared memory: offset / 4
  std::optional<uint32_t> line;         // in the student's source, from 1
  std::optional<uint32_t> instruction;  // index in TraceLaunch::instructions
  std::optional<size_t> access;         // index of a record in the shown block
  std::optional<uint64_t> block;        // linear index in the grid
  std::optional<size_t> array;          // index in AccessTrace::arrays
  std::optional<int64_t> run;           // number in the store
  std::optional<uint32_t> link;         // between two devices: link_number() (views/links/link_graph.h)
  std::optional<int> level;             // in the pyramid: 0 registers, 1 shared and L1, 2 L2, 3 HBM, 4 peers

  bool operator==(const Selection&) const = default;
  bool empty() const { return *this == Selection{}; }
  // Member by member: this one's if it is set, otherwise that of `below`.
  Selection over(const Selection& below) const;
};

}  // namespace ridge::view
