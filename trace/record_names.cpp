#include "trace/record_names.h"

#include <charconv>

namespace ridge::trace {
namespace {

template <typename Enum, size_t kNames>
std::string_view name_in(const std::string_view (&names)[kNames], Enum value) {
  const auto index = static_cast<size_t>(value);
  return index < kNames ? names[index] : "?";
}

// Parses digits at the front of `text` and removes them.
std::optional<uint64_t> number(std::string_view& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

}  // namespace

std::string_view name_of(RecordKind kind) {
  static constexpr std::string_view kNames[] = {
      "load",  "store", "atomic", "reduction", "barrier", "divergence", "warp barrier",
      "issue", "init",  "arrive", "commit",    "wait",    "waited",     "fence"};
  static_assert(std::size(kNames) == kRecordKinds);
  return name_in(kNames, kind);
}

std::string_view name_of(RecordSpace space) {
  static constexpr std::string_view kNames[] = {"", "global", "shared", "local", "constant"};
  return name_in(kNames, space);
}

std::string_view name_of(RecordUnit unit) {
  static constexpr std::string_view kNames[] = {"threads", "cp.async", "bulk copy", "tensor copy", "wgmma"};
  return name_in(kNames, unit);
}

std::string_view name_of(PlaceKind kind) {
  static constexpr std::string_view kNames[] = {
      "",           "barrier",      "mbarrier",        "copy group",
      "bulk group", "matrix group", "cluster barrier", "asked for by block"};
  return name_in(kNames, kind);
}

std::optional<uint64_t> linear_block(std::string_view word, const std::array<uint32_t, 3>& grid) {
  const uint64_t blocks = uint64_t{grid[0]} * grid[1] * grid[2];
  if (blocks == 0) return std::nullopt;
  if (word == "first") return 0;
  if (word == "middle") return (uint64_t{grid[2] / 2} * grid[1] + grid[1] / 2) * grid[0] + grid[0] / 2;
  if (word == "last") return blocks - 1;
  if (word == "edge") return grid[0] - 1;
  const std::optional<uint64_t> x = number(word);
  if (!x) return std::nullopt;
  if (word.empty()) return *x < blocks ? x : std::nullopt;
  uint64_t at[3] = {*x, 0, 0};
  for (size_t axis = 1; axis < 3 && !word.empty(); ++axis) {
    if (word.front() != ',' && word.front() != ':') return std::nullopt;
    word.remove_prefix(1);
    const std::optional<uint64_t> next = number(word);
    if (!next) return std::nullopt;
    at[axis] = *next;
  }
  if (!word.empty() || at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2]) return std::nullopt;
  return (at[2] * grid[1] + at[1]) * grid[0] + at[0];
}

}  // namespace ridge::trace
