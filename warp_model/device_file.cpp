#include "warp_model/device_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <type_traits>
#include <variant>

namespace ridge::warp_model {
namespace {

using Description = DeviceDescription;

struct Pair {
  uint32_t Description::*first;
  uint32_t Description::*second;
};
struct Triple {
  uint32_t Description::*x;
  uint32_t Description::*y;
  uint32_t Description::*z;
};
// A figure without a member in the description: memory_levels.h reads it from the text.
struct NoMember {};
using Place = std::variant<NoMember, std::string_view Description::*, uint32_t Description::*,
                           uint64_t Description::*, double Description::*,
                           std::span<const uint32_t> Description::*, Pair, Triple>;

enum class Needed : uint8_t { yes, no };

struct Figure {
  std::string_view name;
  Place place;
  Needed needed = Needed::yes;
};

using D = Description;
const Figure kFigures[] = {
    {"name", &D::name},
    {"product_name", &D::product_name},
    {"compute_capability", Pair{&D::compute_major, &D::compute_minor}},
    {"multiprocessors", &D::multiprocessors},
    {"gpc_multiprocessors", &D::gpc_multiprocessors, Needed::no},
    {"sm_clock_mhz", &D::sm_clock_mhz},
    {"memory_clock_mhz", &D::memory_clock_mhz},
    {"memory_bus_bits", &D::memory_bus_bits},
    {"memory_bytes", &D::memory_bytes},
    {"l2_bytes", &D::l2_bytes},
    {"l1_and_shared_bytes", &D::l1_and_shared_bytes},
    {"max_warps_per_sm", &D::max_warps_per_sm},
    {"max_blocks_per_sm", &D::max_blocks_per_sm},
    {"registers_per_sm", &D::registers_per_sm},
    {"sub_partitions", &D::sub_partitions},
    {"shared_bytes_per_sm", &D::shared_bytes_per_sm},
    {"shared_carveouts_kb", &D::shared_carveouts_kb},
    {"max_threads_per_block", &D::max_threads_per_block},
    {"max_block", Triple{&D::max_block_x, &D::max_block_y, &D::max_block_z}},
    {"max_grid", Triple{&D::max_grid_x, &D::max_grid_y, &D::max_grid_z}},
    {"registers_per_block", &D::registers_per_block},
    {"max_registers_per_thread", &D::max_registers_per_thread},
    {"shared_bytes_per_block", &D::shared_bytes_per_block},
    {"shared_bytes_per_block_optin", &D::shared_bytes_per_block_optin},
    {"shared_bytes_reserved", &D::shared_bytes_reserved},
    {"shared_granularity_bytes", &D::shared_granularity_bytes},
    {"register_granularity", &D::register_granularity},
    {"named_barriers_per_sm", &D::named_barriers_per_sm},
    {"memory_gb_per_s", &D::memory_gb_per_s},
    {"fp32_tflops", &D::fp32_tflops},
    {"fp64_tflops", &D::fp64_tflops},
    {"fp16_tensor_tflops", &D::fp16_tensor_tflops},
    {"bf16_tensor_tflops", &D::bf16_tensor_tflops},
    {"tf32_tensor_tflops", &D::tf32_tensor_tflops},
    {"fp8_tensor_tflops", &D::fp8_tensor_tflops},
    {"measured_copy_gb_per_s", &D::measured_copy_gb_per_s, Needed::no},
    {"l2_gb_per_s", NoMember{}, Needed::no},
    {"l1_latency_cycles", NoMember{}, Needed::no},
    {"l2_latency_cycles", NoMember{}, Needed::no},
    {"dram_latency_cycles", NoMember{}, Needed::no},
    {"link_gb_per_s", NoMember{}, Needed::no},
    {"link_latency_cycles", NoMember{}, Needed::no},
};

// A description, the data that it refers to, and the sources of its figures.
struct Kept {
  Description device;
  std::deque<std::string> texts;
  std::deque<std::vector<uint32_t>> lists;
  std::map<std::string, DeviceFigure, std::less<>> figures;
};

std::deque<Kept>& kept_devices() {
  static auto* all = new std::deque<Kept>();
  return *all;
}

template <class Number>
bool read_number(const toml::node& node, Number& number) {
  if (const auto whole = node.as_integer()) {
    if (whole->get() < 0) return false;
    number = static_cast<Number>(whole->get());
    // A floating-point number holds every integer that occurs in a device description; other types
    // must not wrap around.
    return std::is_floating_point_v<Number> || static_cast<int64_t>(number) == whole->get();
  }
  const auto real = node.as_floating_point();
  if (!std::is_floating_point_v<Number> || !real || !(real->get() >= 0)) return false;
  number = static_cast<Number>(real->get());
  return true;
}

std::optional<std::vector<uint32_t>> read_list(const toml::node& node) {
  const toml::array* array = node.as_array();
  if (!array) return std::nullopt;
  std::vector<uint32_t> numbers;
  for (const toml::node& one : *array)
    if (!read_number(one, numbers.emplace_back())) return std::nullopt;
  return numbers;
}

// Stores the value, or returns what the value should have been.
struct Store {
  Kept& kept;
  const toml::node& value;

  std::string_view operator()(NoMember) const {
    double number = 0;
    return read_number(value, number) ? std::string_view{} : "a number";
  }
  std::string_view operator()(std::string_view D::*place) const {
    if (!value.is_string() || value.as_string()->get().empty()) return "a text in quotes";
    kept.device.*place = kept.texts.emplace_back(value.as_string()->get());
    return {};
  }
  std::string_view operator()(uint32_t D::*place) const {
    return read_number(value, kept.device.*place) ? std::string_view{} : "a whole number below 2^32";
  }
  std::string_view operator()(uint64_t D::*place) const {
    return read_number(value, kept.device.*place) ? std::string_view{} : "a whole number";
  }
  std::string_view operator()(double D::*place) const {
    return read_number(value, kept.device.*place) ? std::string_view{} : "a number";
  }
  std::string_view operator()(std::span<const uint32_t> D::*place) const {
    auto numbers = read_list(value);
    if (!numbers || numbers->empty() || !std::is_sorted(numbers->begin(), numbers->end()))
      return "an ascending list, as [32, 64]";
    kept.device.*place = kept.lists.emplace_back(std::move(*numbers));
    return {};
  }
  std::string_view operator()(const Pair& place) const {
    auto numbers = read_list(value);
    if (!numbers || numbers->size() != 2) return "two numbers, as [9, 0]";
    kept.device.*place.first = (*numbers)[0];
    kept.device.*place.second = (*numbers)[1];
    return {};
  }
  std::string_view operator()(const Triple& place) const {
    auto numbers = read_list(value);
    if (!numbers || numbers->size() != 3) return "three numbers, as [1024, 1024, 64]";
    kept.device.*place.x = (*numbers)[0];
    kept.device.*place.y = (*numbers)[1];
    kept.device.*place.z = (*numbers)[2];
    return {};
  }
};

// Checks the relations between figures that the formulas rely on.
std::string_view contradiction(const Description& d) {
  if (d.multiprocessors == 0 || d.max_warps_per_sm == 0 || d.max_blocks_per_sm == 0)
    return "multiprocessors, max_warps_per_sm and max_blocks_per_sm must be above 0";
  if (d.sub_partitions == 0 || d.register_granularity == 0 || d.shared_granularity_bytes == 0)
    return "sub_partitions, register_granularity and shared_granularity_bytes must be above 0";
  if (d.max_threads_per_block == 0 || d.max_threads_per_block > 1024 || d.max_block_x == 0 ||
      d.max_block_y == 0 || d.max_block_z == 0 || d.max_grid_x == 0 || d.max_grid_y == 0 || d.max_grid_z == 0)
    return "a block has at most 1024 threads, and every limit of blocks and grids is at least 1";
  if (d.memory_bytes == 0 || d.memory_bytes > (uint64_t{1} << 40))
    return "memory_bytes must be from 1 to 2^40";
  if (d.shared_bytes_per_block > d.shared_bytes_per_block_optin ||
      d.shared_bytes_per_block_optin > d.shared_bytes_per_sm)
    return "shared_bytes_per_block, shared_bytes_per_block_optin and shared_bytes_per_sm must ascend";
  if (uint64_t{d.shared_carveouts_kb.back()} * 1024 != d.shared_bytes_per_sm)
    return "the last of shared_carveouts_kb must be shared_bytes_per_sm";
  return {};
}

}  // namespace

const DeviceDescription* read_device(std::string_view text, std::string& error) {
  Kept& kept = kept_devices().emplace_back();
  const auto fail = [&](std::string message) {
    error = std::move(message);
    kept_devices().pop_back();
    return nullptr;
  };
  const auto line_of = [](const toml::source_region& region) {
    return "line " + std::to_string(region.begin.line) + ": ";
  };
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& wrong) {
    return fail(line_of(wrong.source()) + std::string(wrong.description()) +
                "; expected `figure = { value = 1, source = \"...\" }`");
  }
  for (auto&& [key, node] : table) {
    const std::string name(key.str());
    const std::string place = line_of(node.source());
    const auto figure = std::find_if(std::begin(kFigures), std::end(kFigures),
                                     [&](const Figure& known) { return known.name == name; });
    if (figure == std::end(kFigures)) return fail(place + "\"" + name + "\" is not a figure of a device");
    const toml::table* fields = node.as_table();
    const toml::node* value = fields ? fields->get("value") : &node;
    if (!value) return fail(place + name + " has no `value`");
    const std::string_view wanted = std::visit(Store{kept, *value}, figure->place);
    if (!wanted.empty()) return fail(place + name + " must be " + std::string(wanted));
    DeviceFigure& known = kept.figures[name];
    known.value = value->value<double>().value_or(0);
    if (fields) known.source = (*fields)["source"].value_or(std::string());
  }
  for (const Figure& figure : kFigures)
    if (figure.needed == Needed::yes && !kept.figures.contains(figure.name))
      return fail("the figure " + std::string(figure.name) + " is missing; warp_model/devices/ has examples");
  if (const std::string_view wrong = contradiction(kept.device); !wrong.empty())
    return fail(std::string(wrong));
  return &kept.device;
}

DeviceFigure figure_of(const DeviceDescription& device, std::string_view figure) {
  for (const Kept& kept : kept_devices()) {
    if (kept.device.name != device.name) continue;
    const auto found = kept.figures.find(figure);
    if (found != kept.figures.end()) return found->second;
  }
  return {};
}

}  // namespace ridge::warp_model
