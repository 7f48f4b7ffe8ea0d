#include "virtual_gpu/observe/counts/sass/shared_merging.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <unordered_map>

#include "virtual_gpu/observe/counts/sass/sass_counterparts.h"

namespace ridge::observe {
namespace {

using warp_model::SassClass;

// The address of an access, "[%r4+16]", as a base and an offset.
struct Place {
  std::string base;
  int64_t offset = 0;
};

Place place_in(std::string_view text) {
  const size_t open = text.find('['), close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  std::string_view inside = text.substr(open + 1, close - open - 1);
  const size_t sign = inside.find_first_of("+-", 1);
  Place place{std::string(inside.substr(0, sign)), 0};
  if (sign == std::string_view::npos) return place;
  std::string_view number = inside.substr(sign + (inside[sign] == '+' ? 1 : 0));
  std::from_chars(number.data(), number.data() + number.size(), place.offset);
  return place;
}

bool is_shared(SassClass c) {
  return c == SassClass::shared_load || c == SassClass::shared_store || c == SassClass::shared_atomic;
}

}  // namespace

std::vector<SharedForm> shared_forms(std::span<const machine::InstructionSource> ptx,
                                     std::span<const warp_model::SassInstruction> sass) {
  std::map<std::pair<uint32_t, SassClass>, uint32_t> bytes_of_line;
  std::unordered_map<uint32_t, bool> reduces;
  bool has_lines = false;
  for (const warp_model::SassInstruction& i : sass) {
    has_lines |= i.ptx_line != 0;
    if (i.sass_class == SassClass::warp) reduces[i.ptx_line] = true;
    if (!is_shared(i.sass_class)) continue;
    uint32_t& bytes = bytes_of_line[{i.ptx_line, i.sass_class}];
    bytes = std::max<uint32_t>(bytes, i.lane_bytes);
  }
  if (!has_lines) return {};

  // The lowest offset of each base, at which merged accesses are assumed to begin.
  std::map<std::pair<std::string, SassClass>, int64_t> lowest;
  std::vector<Place> places(ptx.size());
  std::vector<SassClass> classes(ptx.size(), SassClass::other);
  for (size_t k = 0; k < ptx.size(); ++k) {
    classes[k] = counterpart_of(ptx[k].text);
    if (!is_shared(classes[k])) continue;
    places[k] = place_in(ptx[k].text);
    auto [found, is_new] = lowest.emplace(std::pair{places[k].base, classes[k]}, places[k].offset);
    if (!is_new) found->second = std::min(found->second, places[k].offset);
  }
  std::vector<SharedForm> forms(ptx.size());
  for (size_t k = 0; k < ptx.size(); ++k) {
    if (classes[k] == SassClass::global_atomic) forms[k].uses_one_lane = reduces.contains(ptx[k].ptx_line);
    if (!is_shared(classes[k])) continue;
    forms[k].bytes = 0;
    const auto line = bytes_of_line.find({ptx[k].ptx_line, classes[k]});
    if (line == bytes_of_line.end()) continue;
    forms[k].bytes = line->second;
    const int64_t first = lowest[{places[k].base, classes[k]}];
    const int64_t into = (places[k].offset - first) % std::max<int64_t>(1, forms[k].bytes);
    forms[k].shift = static_cast<int32_t>(-into);
    forms[k].uses_one_lane = classes[k] == SassClass::shared_atomic && reduces.contains(ptx[k].ptx_line);
  }
  return forms;
}

}  // namespace ridge::observe
