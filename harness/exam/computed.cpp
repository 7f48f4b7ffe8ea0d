#include "harness/exam/computed.h"

#include <fmt/format.h>

#include "harness/tune/constants.h"
#include "warp_model/access.h"
#include "warp_model/device.h"
#include "warp_model/occupancy.h"

namespace ridge::exam {
namespace {

int64_t value_for_lane(const std::string& expression, Values values, int lane) {
  values["lane"] = lane;
  return value_of(expression, values);
}

double memory_cost(const course::ComputedAnswer& computed, const Values& values) {
  uint64_t addresses[32];
  for (int lane = 0; lane < 32; ++lane)
    addresses[lane] = static_cast<uint64_t>(value_for_lane(computed.address, values, lane));
  const auto bytes = static_cast<uint32_t>(computed.bytes);
  using namespace warp_model;
  if (computed.model == "sectors") return global_cost(addresses, kFullMask, bytes).sectors;
  if (computed.model == "load_wavefronts")
    return shared_load_cost(addresses, kFullMask, bytes).wavefronts;
  if (computed.model == "store_wavefronts")
    return shared_cost(addresses, kFullMask, bytes).wavefronts;
  throw ComputeError(fmt::format("there is no model \"{}\"", computed.model));
}

}  // namespace

int64_t value_of(const std::string& expression, const Values& values) {
  const auto value = tune::evaluate(expression, values);
  if (!value)
    throw ComputeError(fmt::format("\"{}\" is not an expression of known numbers", expression));
  return *value;
}

double computed_value(const course::ComputedAnswer& computed, const Values& values) {
  if (computed.model == "arithmetic") {
    const int64_t over = computed.over.empty() ? 1 : value_of(computed.over, values);
    if (over == 0) throw ComputeError(fmt::format("\"{}\" is 0", computed.over));
    return static_cast<double>(value_of(computed.value, values)) / static_cast<double>(over);
  }
  if (computed.model == "blocks_per_sm" || computed.model == "warps_per_sm") {
    warp_model::BlockResources block;
    block.threads_per_block = static_cast<uint32_t>(computed.threads);
    block.registers_per_thread = static_cast<uint32_t>(computed.registers);
    block.static_shared_bytes = static_cast<uint32_t>(computed.shared_bytes);
    const auto occupancy = warp_model::occupancy(*warp_model::find_device("H200"), block);
    return computed.model == "blocks_per_sm" ? occupancy.blocks_per_sm : occupancy.warps_per_sm;
  }
  return memory_cost(computed, values);
}

uint32_t computed_lanes(const course::ComputedAnswer& computed, const Values& values) {
  if (computed.model != "lanes")
    throw ComputeError(fmt::format("\"{}\" is not a model of lanes", computed.model));
  uint32_t lanes = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (value_for_lane(computed.where, values, lane) != 0) lanes |= 1u << lane;
  return lanes;
}

}  // namespace ridge::exam
