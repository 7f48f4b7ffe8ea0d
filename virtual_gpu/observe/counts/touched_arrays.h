// The arrays that a trace's records access: each is looked up once, while the records are made.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "trace/access_trace.h"

namespace ridge::observe {

// The array that contains a global address; nullopt: none is known.
using FindArray = std::function<std::optional<trace::TraceArray>(uint64_t address)>;

class TouchedArrays {
 public:
  explicit TouchedArrays(FindArray find) : find_(std::move(find)) {}
  // Reads record.addresses for scattered records only.
  void note(const trace::TraceRecord& record);
  void add(TouchedArrays&& others);  // adds the arrays of another thread's records
  const std::vector<trace::TraceArray>& found() const { return found_; }

 private:
  static bool holds(const trace::TraceArray& array, uint64_t address) {
    return address - array.address < array.bytes;
  }
  // `last`: index in found_ of the array that this instruction accessed last, which is usually the
  // same.
  bool is_in(size_t last, uint64_t address) const {
    return last < found_.size() && holds(found_[last], address);
  }
  void touch(uint32_t& last, uint64_t address) {
    if (!is_in(last, address)) look_up(last, address);
  }
  void look_up(uint32_t& last, uint64_t address);

  FindArray find_;
  std::vector<trace::TraceArray> found_;
  std::array<uint32_t, 64> last_{};  // a hash by instruction
  // The last address without an array, which warps may access repeatedly.
  std::optional<uint64_t> missed_;
};

}  // namespace ridge::observe
