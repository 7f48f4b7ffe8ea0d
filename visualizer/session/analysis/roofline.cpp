// Creates the points of runs from their figures, and models the time of runs that were not measured
// on a GPU.
#include "visualizer/session/analysis/roofline.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/report/store/run_json.h"
#include "visualizer/session/analysis/graded_work.h"

namespace ridge::view {
namespace {

using nlohmann::json;

double number_in(const json& object, const char* key) {
  if (!object.is_object()) return 0;
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}
std::string text_in(const json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}
json part_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : json::object();
}

bool on(const report::StoredRun& run, const warp_model::DeviceDescription& device) {
  const auto* its = warp_model::find_device(run.device);
  return !run.device.empty() && its && its->name == device.name;
}

// See RunPoint::bytes.
void set_counted(RunPoint& point, double bytes) {
  point.counted_bytes = bytes;
  point.bytes = std::max(bytes, point.useful_bytes);
}

// The bytes that the warps request from L1 at the measured size: derived from the virtual GPU's
// sectors and wavefronts, which are proportional to the product of the sizes. 0: unknown.
double asked_bytes(const json& figures) {
  const auto counts = figures.find("counts");
  const double counted = size_product(text_in(figures, "counted_size")),
               whole = size_product(text_in(figures, "size"));
  if (counts == figures.end() || !counts->is_array() || counted <= 0 || whole <= 0) return 0;
  double bytes = 0;
  for (const json& one : *counts)
    bytes += 32 * number_in(one, "sectors") + 128 * number_in(one, "wavefronts");
  return bytes * whole / counted;
}

bool sound(const RunPoint& point) {
  return point.time_ms > 0 && point.bytes > 0 && point.useful_bytes > 0 && std::isfinite(point.rate()) &&
         std::isfinite(point.intensity());
}

// The maximum work per second with this many bytes through the point's level.
double roof_over(const RunPoint& point, const Roofs& roofs, double bytes) {
  const double slope = point.work() / bytes * roofs.rate_of(point.level());
  return point.peak > 0 ? std::min(slope, point.peak) : slope;
}

}  // namespace

void model_time(RunPoint& point, const Roofs& roofs) {
  point.time_ms = 0, point.bound.clear();
  const auto consider = [&](double amount, double rate, const char* name) {
    if (rate <= 0 || amount <= 0) return;
    const double ms = amount / rate * 1000;
    if (ms > point.time_ms) point.time_ms = ms, point.bound = name;
  };
  consider(point.bytes, roofs.dram.rate, "HBM");
  consider(point.l2_bytes, roofs.l2.rate, "L2");
  consider(point.l1_bytes, roofs.l1.rate, "L1 and shared");
  consider(point.operations, point.peak, "compute");
  const double ideal =
      std::max(point.useful_bytes / roofs.dram.rate, point.peak > 0 ? point.operations / point.peak : 0.0) *
      1000;
  point.roof_percent = point.time_ms > 0 ? 100 * ideal / point.time_ms : 0;
}

RunLevel RunPoint::level() const {
  if (measured) return l1_bytes > useful_bytes ? RunLevel::l1 : RunLevel::memory;
  return bound == "L2" ? RunLevel::l2 : bound == "L1 and shared" ? RunLevel::l1 : RunLevel::memory;
}

double RunPoint::level_bytes() const {
  switch (level()) {
    case RunLevel::l1:
      return l1_bytes;
    case RunLevel::l2:
      return l2_bytes;
    case RunLevel::memory:
      break;
  }
  return bytes;
}

double Roofs::rate_of(RunLevel level) const {
  return (level == RunLevel::l1 ? l1 : level == RunLevel::l2 ? l2 : dram).rate;
}

double Roofs::at(double intensity, double peak) const {
  const double slope = intensity * dram.rate;
  return peak > 0 ? std::min(slope, peak) : slope;
}

Roofs roofs_of(const warp_model::DeviceDescription& device, std::span<const report::StoredRun> runs) {
  const auto levels = warp_model::memory_levels(device);
  const auto slope = [&](size_t level) {
    const warp_model::MemoryLevel& of = levels[level];
    return Roof{std::string(of.name), of.gb_per_s.value * 1e9, of.gb_per_s.source, false};
  };
  Roofs roofs{slope(warp_model::kDram),
              slope(warp_model::kL2),
              slope(warp_model::kL1),
              {"FP32", device.fp32_tflops * 1e12, "data sheet", false},
              {"tensor, 16 bit", std::max(device.bf16_tensor_tflops, device.fp16_tensor_tflops) * 1e12,
               "data sheet, without sparsity", false}};
  for (const report::StoredRun& run : runs) {  // the newest one wins
    if (run.engine != grade::Engine::gpu || !on(run, device)) continue;
    const json roof = part_of(part_of(report::object_in(run.figures), "measured"), "roof");
    const std::string in_run = "measured in run " + std::to_string(run.number);
    if (text_in(roof, "bandwidth_source") == "measured" && number_in(roof, "gigabytes_per_second") > 0)
      roofs.dram.rate = number_in(roof, "gigabytes_per_second") * 1e9, roofs.dram.source = in_run,
      roofs.dram.measured = true;
    if (text_in(roof, "rate_source") == "measured" && number_in(roof, "teraflops") > 0)
      roofs.fp32.rate = number_in(roof, "teraflops") * 1e12, roofs.fp32.source = in_run,
      roofs.fp32.measured = true;
  }
  return roofs;
}

std::optional<RunPoint> point_of(const report::StoredRun& run, const warp_model::DeviceDescription& device,
                                 const Roofs& roofs) {
  if (!on(run, device)) return std::nullopt;
  const json figures = report::object_in(run.figures);
  RunPoint point;
  point.run = run.number;
  point.rung = run.rung;
  point.verdict = grade::to_string(run.verdict);
  point.solution = run.origin == report::Origin::solution;
  point.size = text_in(figures, "size");
  if (run.engine == grade::Engine::gpu) {
    const json measured = part_of(figures, "measured"), roof = part_of(measured, "roof");
    point.measured = true;
    point.time_ms = number_in(measured, "time_ms");
    point.useful_bytes = number_in(measured, "gigabytes_per_second") * point.time_ms * 1e6;
    point.operations = number_in(measured, "gigaflops") * point.time_ms * 1e6;
    point.bytes = point.useful_bytes;
    point.l1_bytes = asked_bytes(figures);
    point.peak = number_in(roof, "teraflops") * 1e12;
    if (point.peak == 0 && point.operations > 0) point.peak = roofs.fp32.rate;
    point.bound = text_in(roof, "bound");
    point.roof_percent = number_in(roof, "percent");
    if (point.roof_percent == 0 && sound(point))
      point.roof_percent = 100 * point.rate() / roofs.at(point.intensity(), point.peak);
    if (point.bound == "memory") point.bound = "HBM";
  } else {
    const json traffic = part_of(figures, "traffic");
    point.operations = number_in(traffic, "operations");
    point.useful_bytes = number_in(traffic, "useful_bytes");
    set_counted(point, number_in(traffic, "dram_bytes"));
    point.l1_bytes = number_in(traffic, "l1_bytes");
    point.l2_bytes = number_in(traffic, "l2_bytes");
    point.peak = number_in(traffic, "peak_teraflops") * 1e12;
    model_time(point, roofs);
  }
  return sound(point) ? std::optional(point) : std::nullopt;
}

std::optional<RunPoint> point_of(const LoadedTrace& trace, const Roofs& roofs) {
  const trace::LaunchReport* report = trace.report();
  if (!report) return std::nullopt;
  RunPoint point;
  point.rung = trace.trace().notes.rung;
  point.size = trace.trace().notes.sizes;
  point.solution = trace.trace().notes.solution;
  point.verdict = trace.trace().notes.verdict;
  point.useful_bytes = static_cast<double>(report->ideal_bytes);
  set_counted(point, static_cast<double>(report->dram_read_bytes + report->dram_write_bytes));
  point.l2_bytes = 32.0 * static_cast<double>(report->l2_read_sectors + report->l2_write_sectors +
                                              report->l2_atomic_sectors);
  point.l1_bytes = trace::l1_path_bytes(*report);
  model_time(point, roofs);
  return sound(point) ? std::optional(point) : std::nullopt;
}

double time_with(const RunPoint& point, const Roofs& roofs, double bytes) {
  if (!point.measured) {
    RunPoint other = point;
    (point.level() == RunLevel::l1 ? other.l1_bytes : point.level() == RunLevel::l2 ? other.l2_bytes
                                                                                     : other.bytes) = bytes;
    model_time(other, roofs);
    return other.time_ms;
  }
  if (!point.bound.empty() && point.bound != "HBM") return point.time_ms;
  return std::max(point.time_ms * bytes / point.level_bytes(), point.work() / roof_over(point, roofs, bytes) * 1000);
}

WhatIf what_if(const RunPoint& point, const Roofs& roofs, double intensity, double rate) {
  const double roof = roof_over(point, roofs, point.work() / intensity);
  WhatIf answer;
  answer.at_roof = rate >= roof * 0.97;
  if (answer.at_roof) rate = roof;
  answer.bytes = point.work() / intensity;
  answer.time_ms = point.work() / rate * 1000;
  answer.faster = point.time_ms / answer.time_ms;
  return answer;
}

const char* intensity_unit(bool bytes) {
  return bytes ? "useful B/B" : "FLOP/B";
}
const char* rate_unit(bool bytes) {
  return bytes ? "B/s" : "FLOP/s";
}

}  // namespace ridge::view
