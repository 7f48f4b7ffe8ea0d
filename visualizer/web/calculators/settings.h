// The numbers that a calculator's page can change, each with its range.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace ridge::view {

class Settings {
 public:
  struct One {
    std::string_view name;
    double value = 0, low = 0, high = 0;
    bool whole = true;  // whole numbers only
  };
  explicit Settings(std::vector<One> all) : all_(std::move(all)) {}

  // False, and nothing changes: no such name, outside the range, or a fraction where there are
  // none.
  bool set(std::string_view name, double value) {
    for (One& one : all_)
      if (one.name == name && value >= one.low && value <= one.high &&
          (!one.whole || value == std::floor(value)))
        return one.value = value, true;
    return false;
  }
  double get(std::string_view name) const {
    for (const One& one : all_)
      if (one.name == name) return one.value;
    return 0;
  }
  uint32_t whole(std::string_view name) const { return static_cast<uint32_t>(get(name)); }
  bool on(std::string_view name) const { return get(name) != 0; }

  nlohmann::json json() const {
    nlohmann::json values = nlohmann::json::object();
    for (const One& one : all_)
      values[std::string(one.name)] = one.value;
    return values;
  }

 private:
  std::vector<One> all_;
};

// A line of a calculator's results.
inline nlohmann::json result(std::string_view name, std::string value) {
  return {{"name", name}, {"value", std::move(value)}};
}

}  // namespace ridge::view
