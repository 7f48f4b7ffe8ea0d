#include "visualizer/session/text/access_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

#include "text/half_float.h"
#include "text/numbers.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

template <typename T>
T read_as(const std::byte* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

std::string one_value(const std::byte* data, uint32_t bytes, std::string_view type) {
  const bool whole = type.starts_with("int") || type.starts_with("uint") || type.starts_with("u");
  if (bytes == 8)
    return whole ? fmt::format("{}", read_as<int64_t>(data)) : fmt::format("{:.6g}", read_as<double>(data));
  if (bytes == 4) {
    if (type.starts_with("uint") || type.starts_with("u")) return fmt::format("{}", read_as<uint32_t>(data));
    return whole ? fmt::format("{}", read_as<int32_t>(data)) : fmt::format("{:.6g}", read_as<float>(data));
  }
  if (bytes == 2) {
    const auto bits = read_as<uint16_t>(data);
    if (type == "bfloat16") return fmt::format("{:.4g}", text::bfloat_to_float(bits));
    return whole ? fmt::format("{}", bits) : fmt::format("{:.4g}", text::half_to_float(bits));
  }
  return fmt::format("{}", static_cast<unsigned>(read_as<uint8_t>(data)));
}

// Four bytes without a declared type: a float if its magnitude would be ordinary, otherwise an
// integer.
std::string likely_value(const std::byte* data) {
  const float value = std::abs(read_as<float>(data));
  const bool ordinary = value == 0 || (value > 1e-20f && value < 1e20f);
  return ordinary ? fmt::format("{:.6g}", read_as<float>(data)) : fmt::format("{}", read_as<int32_t>(data));
}

bool by_words(const trace::TraceRecord& record) {
  if (record.shape != trace::RecordShape::runs) return record.bytes >= 4;
  return std::all_of(record.runs.begin(), record.runs.end(),
                     [](const trace::RecordRuns& run) { return run.bytes % 4 == 0; });
}

}  // namespace

std::string kernel_name(const std::string& demangled) {
  static constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  std::string name = demangled;
  for (size_t at; (at = name.find(kUnnamed)) != std::string::npos;)
    name.erase(at, kUnnamed.size());
  name.resize(std::min(name.find('('), name.size()));
  if (const size_t type = name.rfind(' ', name.find('<')); type != std::string::npos) name.erase(0, type + 1);
  return name;
}

std::string array_name(const trace::TraceArray& array) {
  return std::string(array.shown_name());
}

std::string element_name(const trace::AccessTrace& trace, trace::RecordSpace space, uint64_t address) {
  const trace::TraceArray* array = trace.array_at(space, address);
  if (!array)
    return space == trace::RecordSpace::shared ? fmt::format("shared + {}", address)
                                               : fmt::format("{:#x}", address);
  const uint64_t offset = address - array->address;
  const std::string name = array_name(*array);
  if (array->element_bytes == 0) return fmt::format("{} + {} B", name, text::with_thousands(offset));
  uint64_t index = offset / array->element_bytes;
  if (array->extent.size() < 2) return fmt::format("{}[{}]", name, index);
  std::string indices;
  for (size_t d = array->extent.size(); d-- > 1;) {
    const uint64_t extent = std::max<uint64_t>(1, array->extent[d]);
    indices = fmt::format("[{}]{}", index % extent, indices);
    index /= extent;
  }
  return fmt::format("{}[{}]{}", name, index, indices);
}

std::string element_name(const trace::AccessTrace& trace, const trace::TraceRecord& record,
                         uint64_t address) {
  if (record.space == trace::RecordSpace::shared && address % 4 == 0 && by_words(record)) {
    const trace::TraceArray* array = trace.array_at(record.space, address);
    const bool bytes = array && array->element_bytes <= 1 && array->extent.size() < 2;
    if (bytes && (address - array->address) % 4 == 0)
      return fmt::format("{} word {}", array_name(*array), (address - array->address) / 4);
  }
  return element_name(trace, record.space, address);
}

std::string thread_name(const trace::TraceLaunch& launch, uint32_t warp, uint32_t lane) {
  const auto at = launch.thread_at(warp, lane);
  if (launch.block[2] > 1) return fmt::format("({}, {}, {})", at[0], at[1], at[2]);
  if (launch.block[1] > 1) return fmt::format("({}, {})", at[0], at[1]);
  return fmt::format("{}", at[0]);
}

std::string block_name(const trace::TraceLaunch& launch, uint64_t block) {
  const auto at = launch.block_at(block);
  if (launch.grid[2] > 1) return fmt::format("({}, {}, {})", at[0], at[1], at[2]);
  if (launch.grid[1] > 1) return fmt::format("({}, {})", at[0], at[1]);
  return fmt::format("{}", at[0]);
}

std::string value_text(const trace::AccessTrace& trace, const trace::TraceRecord& record, uint32_t lane) {
  if (record.values.empty() || !(record.mask >> lane & 1) || record.bytes == 0) return {};
  const uint32_t place = warp_model::active_lanes(record.mask & ((uint32_t{1} << lane) - 1));
  if ((place + 1) * size_t{record.bytes} > record.values.size()) return {};
  const std::byte* data = record.values.data() + place * size_t{record.bytes};
  const trace::TraceArray* array = trace.array_at(record.space, record.addresses[lane]);
  const std::string_view type = array ? std::string_view(array->type) : std::string_view();
  uint32_t element = array ? array->element_bytes : 0;
  const bool undeclared = record.space == trace::RecordSpace::shared && element <= 1 && record.bytes % 4 == 0;
  if (undeclared) element = 4;
  if (element == 0 || element > 8 || record.bytes % element != 0) element = std::min(record.bytes, 4u);
  std::string text;
  for (uint32_t at = 0; at < record.bytes && at < 32; at += element)
    text += fmt::format("{}{}", at ? ", " : "",
                        undeclared ? likely_value(data + at) : one_value(data + at, element, type));
  return text;
}

std::string what_it_does(const trace::TraceRecord& record) {
  using enum trace::RecordKind;
  static constexpr const char* kSpaces[] = {"", "global", "shared", "local", "constant"};
  const char* space = kSpaces[static_cast<size_t>(record.space)];
  static constexpr const char* kUnits[] = {"", ", by cp.async", ", by the copy engine",
                                           ", by the copy engine (TMA)", ", by the tensor cores (wgmma)"};
  const char* unit = kUnits[std::min<size_t>(static_cast<size_t>(record.unit), std::size(kUnits) - 1)];
  const std::string each = record.shape == trace::RecordShape::runs
                               ? std::string(unit)
                               : fmt::format(", {} B per lane{}", record.bytes, unit);
  switch (record.kind) {
    case load:
      return fmt::format("load from {} memory{}", space, each);
    case store:
      return fmt::format("store to {} memory{}", space, each);
    case atomic:
      return fmt::format("atomic on {} memory{}", space, each);
    case reduction:
      return fmt::format("reduction in {} memory{}", space, each);
    case barrier:
      return "arrives at a barrier of the block";
    case divergence:
      return "the warp diverges: some lanes take the branch, others do not";
    case warp_barrier:
      return "the warp's lanes synchronise (__syncwarp)";
    case issue:
      if (record.unit == trace::RecordUnit::matrix) return "issues an MMA on the tensor cores (wgmma)";
      if (record.moved_bytes == 0) return "issues a copy";
      return fmt::format("issues a copy of {}{}", with_unit(record.moved_bytes),
                         record.unit == trace::RecordUnit::tensor_copy ? " by the copy engine (TMA)" : "");
    case init:
      return "makes an mbarrier";
    case arrive:
      return "arrives at an mbarrier";
    case commit:
      return record.place.kind == trace::PlaceKind::matrix_group ? "commits a group of MMAs"
                                                                 : "commits a group of copies";
    case wait:
      return "waits";
    case waited:
      return "its wait is over";
    case fence:
      return "fence: orders the accesses before it";
  }
  return {};
}

std::string other_block_text(const trace::TraceLaunch& launch, const trace::TraceRecord& record) {
  if (record.is_received())
    return fmt::format(", which block {} asked for", block_name(launch, record.place.id));
  if (record.is_access() && record.owner)
    return fmt::format(", of block {}", block_name(launch, *record.owner));
  return {};
}

std::string some_lanes_text(const trace::TraceRecord& record) {
  if (!record.is_access() || record.shape == trace::RecordShape::runs || record.mask == ~uint32_t{0})
    return {};
  return fmt::format(", {} of 32 lanes", warp_model::active_lanes(record.mask));
}

std::string cost_text(trace::RecordSpace space, uint64_t actual, uint64_t ideal) {
  std::string unit = trace::cost_unit(space);
  if (actual == 0 || unit.empty()) return {};
  const std::string number = text::with_thousands(actual);
  if (actual == 1) unit = unit == "wavefronts" ? "wavefront" : "sector";
  if (actual <= ideal) return fmt::format("{} {}, all needed", number, unit);
  return fmt::format("{} {}, {} would do", number, unit, text::with_thousands(ideal));
}

std::string with_unit(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  const double kb = static_cast<double>(bytes) / 1024;
  if (kb < 1024) return fmt::format("{:.4g} KB", kb);
  if (kb < 1024 * 1024) return fmt::format("{:.4g} MB", kb / 1024);
  return fmt::format("{:.4g} GB", kb / 1024 / 1024);
}

std::string percent_text(double part) {
  return part > 0 && part <= 0.005 ? "<1%" : fmt::format("{:.0f}%", 100 * part);
}

}  // namespace ridge::view
