// Which arrays the records of a trace touch: looked up once each, while the records are made.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "trace/access_trace.h"

namespace ridge::observe {

// The array that holds a global address; nullopt: none that is known.
using FindArray = std::function<std::optional<trace::TraceArray>(uint64_t address)>;

class TouchedArrays {
 public:
  explicit TouchedArrays(FindArray find) : find_(std::move(find)) {}
  // Looks at record.addresses for scattered records only.
  void note(const trace::TraceRecord& record);
  void add(TouchedArrays&& others);  // what another thread's records touched
  const std::vector<trace::TraceArray>& found() const { return found_; }

 private:
  static bool holds(const trace::TraceArray& array, uint64_t address) {
    return address - array.address < array.bytes;
  }
  bool is_in_last(uint64_t address) const { return last_ < found_.size() && holds(found_[last_], address); }
  void touch(uint64_t address) {
    if (!is_in_last(address)) look_up(address);
  }
  void look_up(uint64_t address);

  FindArray find_;
  std::vector<trace::TraceArray> found_;
  size_t last_ = 0;                 // neighbouring lanes and records mostly share an array
  std::optional<uint64_t> missed_;  // an address that nothing held: a warp may ask there again and again
};

}  // namespace ridge::observe
