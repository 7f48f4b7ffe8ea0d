#include "harness/measure/roof.h"

#include <algorithm>

namespace ridge::measure {

std::string_view to_string(Bound bound) {
  switch (bound) {
    case Bound::memory:
      return "memory";
    case Bound::compute:
      return "compute";
    case Bound::overhead:
      return "overhead";
  }
  return "";
}

double sheet_tflops(const warp_model::DeviceDescription* described, problems::Type type) {
  if (!described) return 0;
  switch (type) {
    case problems::Type::float32:
      return described->fp32_tflops;
    case problems::Type::float16:
      return described->fp16_tensor_tflops;
    case problems::Type::bfloat16:
      return described->bf16_tensor_tflops;
    case problems::Type::float8_e4m3:
      return described->fp8_tensor_tflops;
    case problems::Type::int32:
    case problems::Type::int64:
      return 0;
  }
  return 0;
}

Roofs roofs_of(const runner::MeasuredRoofs& measured, const warp_model::DeviceDescription* described,
               problems::Type type, double written_part) {
  constexpr double kHardlyWrites = 0.02;
  Roofs roofs;
  roofs.launch_ms = measured.launch_ms;
  roofs.only_reads = written_part < kHardlyWrites && measured.read_gb_per_s > 0;
  if (roofs.only_reads) {
    roofs.gb_per_s = measured.read_gb_per_s;
    roofs.bandwidth_source = "measured";
  } else if (measured.copy_gb_per_s > 0) {
    roofs.gb_per_s = measured.copy_gb_per_s;
    roofs.bandwidth_source = "measured";
  } else if (described) {
    roofs.gb_per_s = described->memory_gb_per_s;
    roofs.bandwidth_source = "data sheet";
  }
  if (type == problems::Type::float32 && measured.fp32_tflops > 0) {
    roofs.tflops = measured.fp32_tflops;
    roofs.rate_source = "measured";
  } else if (const double sheet = sheet_tflops(described, type); sheet > 0) {
    roofs.tflops = sheet;
    roofs.rate_source = "data sheet";
  }
  return roofs;
}

RoofPlace place_under(const Roofs& roofs, double bytes, double operations, double time_ms) {
  RoofPlace place;
  if (roofs.gb_per_s > 0) place.memory_ms = bytes / roofs.gb_per_s / 1e6;
  if (roofs.tflops > 0) place.compute_ms = operations / roofs.tflops / 1e9;
  place.overhead_ms = roofs.launch_ms;
  double longest = place.memory_ms;
  if (place.compute_ms > longest) {
    place.bound = Bound::compute;
    longest = place.compute_ms;
  }
  if (place.overhead_ms > longest) {
    place.bound = Bound::overhead;
    longest = place.overhead_ms;
  }
  if (time_ms > 0) place.percent = 100 * longest / time_ms;
  return place;
}

}  // namespace ridge::measure
