// Where runs stand under the roofs of a device. A kernel's work is operations, or, where it does none
// (copies, transposes), useful bytes; the horizontal axis is work for each byte moved through the device's
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
  double rate = 0;     // bytes, or operations, a second; 0: not known
  std::string source;  // of the figure, for a person
  bool measured = false;
};

enum class RunLevel : uint8_t { memory, l2, l1 };

struct Roofs {
  Roof dram, l2, l1;  // slopes
  Roof fp32, tensor;  // flats
  // The most work per second at this intensity, under the memory's roof and `peak` (0: no flat roof).
  double at(double intensity, double peak) const;
  double rate_of(RunLevel level) const;  // bytes per second
};

// Measured on the device in one of the runs where one has it, else the description's.
Roofs roofs_of(const warp_model::DeviceDescription& device, std::span<const report::StoredRun> runs);

struct RunPoint {
  int64_t run = 0;  // number in the store; 0: the open trace
  std::string rung, verdict, size;
  std::string counted_size;  // not empty: counted at this size and scaled to `size` (graded_work.h)
  bool solution = false;
  bool is_course = false;  // a measured reference of the course, not of this clone
  bool measured = false;   // on a GPU; otherwise modelled: counted bytes, and the least time they can take
  bool memory_is_least = false;  // `bytes` could not be scaled and are those that the problem needs
  double operations = 0, useful_bytes = 0;
  // Moved through the memory, at least the useful ones: on a GPU they are not counted, and a small size
  // leaves its results in L2, or finds its inputs there, while some launch has to move them.
  double bytes = 0;
  double counted_bytes = 0;  // of them, counted in the launch; on a GPU none are
  // Modelled: counted. Measured: l1_bytes follow from the sectors and wavefronts that the virtual GPU counted
  // of the same file, scaled to the measured size; 0: not known.
  double l1_bytes = 0, l2_bytes = 0;
  double time_ms = 0;
  double peak = 0;  // operations per second of the flat roof over it; 0: none
  double roof_percent = 0;
  std::string bound;  // "HBM", "L2", "L1 and shared", "compute", "overhead"

  bool counts_bytes() const { return operations == 0; }
  // Bytes that were needed and did not go through the memory in the launch; less than 1% is not worth a word.
  double kept_in_l2() const {
    const double kept = bytes - counted_bytes;
    return measured || kept < 0.01 * bytes ? 0 : kept;
  }
  double work() const { return counts_bytes() ? useful_bytes : operations; }
  // Where it stands: by the bytes through the level that bounds a modelled run (L1, L2 or the memory), by the
  // bytes that the warps of a measured run ask L1 for where they are known, as no counter says what went on.
  RunLevel level() const;
  double level_bytes() const;
  double intensity() const { return work() / level_bytes(); }
  double ideal_intensity() const { return work() / useful_bytes; }
  double rate() const { return work() / (time_ms / 1000); }
};

// The shortest time that the counted bytes and operations allow, and the level that bounds it.
void model_time(RunPoint& point, const Roofs& roofs);

// None: the run's figures hold too little (it failed before it was counted, or an older version graded it),
// or it was on another device.
std::optional<RunPoint> point_of(const report::StoredRun& run, const warp_model::DeviceDescription& device,
                                 const Roofs& roofs);
// Of a trace with the launch's counts; its operations are not known, so the work is bytes.
std::optional<RunPoint> point_of(const LoadedTrace& trace, const Roofs& roofs);

// A point with other bytes and another rate: what dragging it asks.
struct WhatIf {
  double bytes = 0, time_ms = 0, faster = 0;
  bool at_roof = false;
};
// The shortest time with so many bytes through the point's level and all else as it is.
double time_with(const RunPoint& point, const Roofs& roofs, double bytes);
WhatIf what_if(const RunPoint& point, const Roofs& roofs, double intensity, double rate);

// "4.19 FLOP/B" and "0.5 useful B/B", "21.3 TFLOP/s" and "3.9 TB/s".
const char* intensity_unit(bool bytes);
const char* rate_unit(bool bytes);

}  // namespace ridge::view
