// Sums over the instructions and launches of a report: what the counts of gates are made of.
#pragma once

#include <span>

#include "trace/launch_report.h"

namespace ridge::measure {

using Launches = std::span<const trace::LaunchReport>;
using InstructionChoice = bool (*)(const trace::InstructionCounts&);
using InstructionField = uint64_t trace::InstructionCounts::*;

inline bool is_global(const trace::InstructionCounts& instruction) {
  return instruction.space == "global";
}
inline bool is_shared(const trace::InstructionCounts& instruction) {
  return instruction.space == "shared";
}

inline double of(uint64_t count) {
  return static_cast<double>(count);
}

inline double sum(Launches launches, InstructionChoice chosen, InstructionField field) {
  double total = 0;
  for (const trace::LaunchReport& launch : launches)
    for (const trace::InstructionCounts& instruction : launch.instructions)
      if (chosen(instruction)) total += of(instruction.*field);
  return total;
}

template <uint64_t trace::LaunchReport::*field>
double launch_sum(Launches launches) {
  double total = 0;
  for (const trace::LaunchReport& launch : launches)
    total += of(launch.*field);
  return total;
}

// Wavefronts of shared memory beyond the fewest possible.
inline double instruction_conflicts(const trace::InstructionCounts& i) {
  return is_shared(i) && i.wavefronts > i.ideal_wavefronts ? of(i.wavefronts - i.ideal_wavefronts)
                                                           : 0;
}
inline double conflicts(Launches launches) {
  double total = 0;
  for (const trace::LaunchReport& launch : launches)
    for (const trace::InstructionCounts& instruction : launch.instructions)
      total += instruction_conflicts(instruction);
  return total;
}

inline double extent_product(const std::array<uint32_t, 3>& extent) {
  return of(extent[0]) * of(extent[1]) * of(extent[2]);
}
inline double threads_launched(Launches launches) {
  double total = 0;
  for (const trace::LaunchReport& launch : launches)
    total += extent_product(launch.grid) * extent_product(launch.block);
  return total;
}

}  // namespace ridge::measure
