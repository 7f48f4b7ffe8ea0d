// Reads the JSON objects of the store, for programs that know no more of it.
#include <nlohmann/json.hpp>

#include "harness/report/store/run_json.h"

namespace ridge::report {

nlohmann::json object_in(const std::string& text) {
  nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
  return object.is_object() ? object : nlohmann::json::object();
}

}  // namespace ridge::report
