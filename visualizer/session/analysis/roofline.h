// Positions of runs under the roofs of a device. A kernel's work is operations or, if it has none
// (copies, transposes), useful bytes; the horizontal axis is work per byte moved through device
// memory.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/store/store.h"
#include "visualizer/session/loaded_trace.h"
#include "warp_model/memory_levels.h"

namespace ridge::view {

struct Roof {
  std::string name;    // "HBM", "L2", "L1 and shared", "FP32", "tensor"
  double rate = 0;     // bytes, or operations, per second; 0: unknown
  std::string source;  // source of the figure, for the user
  bool measured = false;
};

enum class RunLevel : uint8_t { memory, l2, l1 };

struct Roofs {
  Roof dram, l2, l1;  // slopes
  Roof fp32, tensor;  // flats
  // The maximum work per second at this intensity, under the memory's roof and `peak` (0: no flat
  // roof).
  double at(double intensity, double peak) const;
  double rate_of(RunLevel level) const;  // bytes per second
};

// Rates measured on the device in one of the runs if available, otherwise those of the description.
Roofs roofs_of(const warp_model::DeviceDescription& device, std::span<const report::StoredRun> runs);

struct RunPoint {
  int64_t run = 0;  // number in the store; 0: the open trace
  std::string rung, verdict, size;
  std::string counted_size;  // not empty: counted at this size and scaled to `size` (graded_work.h)
  bool solution = false;
  bool is_course = false;  // a measured reference of the course, not a run of this clone
  // On a GPU; otherwise modelled: counted bytes, and a lower bound on their time.
  bool measured = false;
  bool memory_is_least = false;  // `bytes` could not be scaled and is what the problem needs
  double operations = 0, useful_bytes = 0;
  // Bytes moved through device memory, at least the useful ones. They are not counted on a GPU; at
  // a small size results stay in L2, or inputs are already there, but some launch must move them.
  double bytes = 0;
  double counted_bytes = 0;  // counted in the launch; on a GPU none are
  // Modelled: counted. Measured: l1_bytes is derived from the sectors and wavefronts that the
  // virtual GPU counted for the same file, scaled to the measured size; 0: unknown.
  double l1_bytes = 0, l2_bytes = 0;
  double time_ms = 0;
  double peak = 0;  // operations per second of its flat roof; 0: none
  double roof_percent = 0;
  std::string bound;  // "HBM", "L2", "L1 and shared", "compute", "overhead"

  bool counts_bytes() const { return operations == 0; }
  // Needed bytes that did not go through device memory in the launch; values below 1% count as 0.
  double kept_in_l2() const {
    const double kept = bytes - counted_bytes;
    return measured || kept < 0.01 * bytes ? 0 : kept;
  }
  double work() const { return counts_bytes() ? useful_bytes : operations; }
  // The level whose bytes determine its position: for a modelled run the level that bounds it (L1,
  // L2 or memory); for a measured run L1, if the requested bytes are known, because no counter has
  // the others.
  RunLevel level() const;
  double level_bytes() const;
  double intensity() const { return work() / level_bytes(); }
  double ideal_intensity() const { return work() / useful_bytes; }
  double rate() const { return work() / (time_ms / 1000); }
};

// Sets the shortest time that the counted bytes and operations permit, and the level that bounds
// it.
void model_time(RunPoint& point, const Roofs& roofs);

// No value when the run's figures are insufficient (it failed before counting, or an older version
// graded it), or when it was on another device.
std::optional<RunPoint> point_of(const report::StoredRun& run, const warp_model::DeviceDescription& device,
                                 const Roofs& roofs);
// For a trace with the launch's counts; its operations are unknown, so the work is in bytes.
std::optional<RunPoint> point_of(const LoadedTrace& trace, const Roofs& roofs);

// A point with other bytes and another rate: the question asked by dragging it.
struct WhatIf {
  double bytes = 0, time_ms = 0, faster = 0;
  bool at_roof = false;
};
// The shortest time with this many bytes through the point's level, all else unchanged.
double time_with(const RunPoint& point, const Roofs& roofs, double bytes);
WhatIf what_if(const RunPoint& point, const Roofs& roofs, double intensity, double rate);

// "4.19 FLOP/B" and "0.5 useful B/B", "21.3 TFLOP/s" and "3.9 TB/s".
const char* intensity_unit(bool bytes);
const char* rate_unit(bool bytes);

}  // namespace ridge::view
