#include "virtual_gpu/ptx/location_table.h"

#include <limits>

#include "virtual_gpu/ptx/constant.h"

namespace ridge::ptx {

size_t LocationTable::Hash::operator()(const Place& place) const {
  uint64_t mixed = place.file;
  for (const uint32_t part : {place.line, place.column, place.inlined_at}) {
    mixed = (mixed ^ part) * 0x9E3779B97F4A7C15ull;
    mixed ^= mixed >> 29;
  }
  return mixed;
}

uint32_t LocationTable::index_of(const Place& place) {
  const auto [entry, is_new] = known_.try_emplace(place, static_cast<uint32_t>(locations_.size()));
  if (is_new) locations_.push_back({place.file, place.line, place.column, place.inlined_at});
  return entry->second;
}

void LocationTable::parse(TokenCursor& cursor) {
  const auto number = [&](std::string_view what) {
    return static_cast<uint32_t>(cursor.expect_unsigned(what, std::numeric_limits<uint32_t>::max()));
  };
  Place place{};
  const uint32_t written_on = cursor.line();
  place.file = number("the file of .loc");
  place.line = number("the line of .loc");
  if (cursor.at_number()) place.column = number("the column of .loc");
  while (cursor.at(',')) {
    cursor.take();
    if (cursor.accept_word("function_name")) {
      cursor.expect_name("the label of a function name");
      parse_offset(cursor);
    } else if (cursor.accept_word("inlined_at")) {
      Place call{};
      call.file = number("the file of inlined_at");
      call.line = number("the line of inlined_at");
      call.column = number("the column of inlined_at");
      const auto known = latest_.find(call);
      place.inlined_at = known != latest_.end() ? known->second : index_of(call);
    } else {
      cursor.fail_expected("function_name or inlined_at after .loc");
    }
  }
  // LLVM may add words for the kind of line (is_stmt 1, prologue_end).
  while ((cursor.at_word() || cursor.at_number()) && !cursor.at_directive() && cursor.line() == written_on) {
    if (cursor.at(':', 1)) break;
    cursor.take();
  }
  current_ = index_of(place);
  place.inlined_at = 0;
  latest_[place] = current_;
}

}  // namespace ridge::ptx
