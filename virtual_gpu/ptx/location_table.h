// Converts .loc directives to Module::locations, one entry for each distinct place.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/ptx/token_cursor.h"

namespace ridge::ptx {

class LocationTable {
 public:
  explicit LocationTable(std::vector<Location>& locations) : locations_(locations) {}

  // `.loc file line column [, function_name LABEL[+n], inlined_at file line column]`, from after
  // the word .loc.
  void parse(TokenCursor& cursor);

  // Index of the last .loc; 0 before the first one of a function.
  uint32_t current() const { return current_; }

  // inlined_at refers to earlier locations in the same function.
  void start_function() {
    current_ = 0;
    latest_.clear();
  }

 private:
  struct Place {
    uint32_t file, line, column, inlined_at;
    bool operator==(const Place&) const = default;
  };
  struct Hash {
    size_t operator()(const Place& place) const;
  };

  uint32_t index_of(const Place& place);

  std::vector<Location>& locations_;
  std::unordered_map<Place, uint32_t, Hash> known_;
  // (file, line, column, 0) -> the newest location there.
  std::unordered_map<Place, uint32_t, Hash> latest_;
  uint32_t current_ = 0;
};

}  // namespace ridge::ptx
