// Writes and reads one field of a report as JSON. Errors name the field.
#pragma once

#include <fmt/format.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace ridge::trace {

using Json = nlohmann::json;

struct Writer {
  Json& object;
  template <typename T>
  void operator()(const char* field, const T& value) {
    object[field] = value;
  }
};

// Missing fields keep their defaults and unknown ones are skipped, so that reports of other minor
// versions remain readable.
struct Reader {
  const Json& object;

  template <typename T>
  void operator()(const char* field, T& value) const {
    const auto found = object.find(field);
    if (found == object.end() || found->is_null()) return;
    read(field, *found, value);
  }

  [[noreturn]] static void wrong(const char* field, const char* wanted, const Json& value) {
    throw std::runtime_error(
        fmt::format("field \"{}\" should be {} but is {}", field, wanted, text_of(value)));
  }

  static std::string text_of(const Json& value) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    return text;
  }

  static void read(const char* field, const Json& value, std::string& out) {
    if (!value.is_string()) wrong(field, "a text", value);
    out = value.get<std::string>();
  }
  static void read(const char* field, const Json& value, bool& out) {
    if (!value.is_boolean()) wrong(field, "true or false", value);
    out = value.get<bool>();
  }
  static void read(const char* field, const Json& value, double& out) {
    if (!value.is_number()) wrong(field, "a number", value);
    out = value.get<double>();
  }
  template <typename T>
  requires std::is_unsigned_v<T>
  static void read(const char* field, const Json& value, T& out) {
    if (!value.is_number_unsigned() || value.get<uint64_t>() > std::numeric_limits<T>::max()) {
      wrong(field, "a whole number, not negative and not too large", value);
    }
    out = value.get<T>();
  }
  static void read(const char* field, const Json& value, std::array<uint32_t, 3>& out) {
    if (!value.is_array() || value.size() != out.size()) wrong(field, "three whole numbers", value);
    for (size_t k = 0; k < out.size(); ++k)
      read(field, value[k], out[k]);
  }
};

inline const Json* list(const Json& object, const char* field) {
  const auto found = object.find(field);
  if (found == object.end() || found->is_null()) return nullptr;
  if (!found->is_array()) Reader::wrong(field, "a list", *found);
  return &*found;
}

template <typename Item, typename Visit>
void read_list(const Json& object, const char* field, std::vector<Item>& items, Visit visit) {
  const Json* listed = list(object, field);
  if (listed == nullptr) return;
  for (const Json& item : *listed) {
    if (!item.is_object()) Reader::wrong(field, "a list of objects", *listed);
    visit(items.emplace_back(), Reader{item});
  }
}

template <typename Item, typename Visit>
void write_list(Json& object, const char* field, const std::vector<Item>& items, Visit visit) {
  Json& listed = object[field] = Json::array();
  for (const Item& item : items)
    visit(item, Writer{listed.emplace_back(Json::object())});
}

}  // namespace ridge::trace
