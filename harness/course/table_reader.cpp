#include "harness/course/table_reader.h"

#include <fmt/format.h>

#include "harness/course/lab.h"
#include "text/nearest.h"

namespace ridge::course {
namespace {

const char* kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

}  // namespace

void fail_at(const std::string& file, uint32_t line, const std::string& message) {
  throw CourseError(fmt::format("{}:{}: {}", file, line, message));
}

TableReader::TableReader(const toml::table& table, std::string file, std::string name)
    : table_(&table), file_(std::move(file)), name_(std::move(name)) {}

void TableReader::fail(const std::string& key, const std::string& what, const std::string& expected) const {
  const toml::node* node = table_->get(key);
  const uint32_t line = (node ? node->source() : table_->source()).begin.line;
  fail_at(file_, line, fmt::format("{}, expected {}", what, expected));
}

const toml::node* TableReader::find(const std::string& key) {
  known_.insert(key);
  return table_->get(key);
}

const toml::node& TableReader::need(const std::string& key, const std::string& expected) {
  const toml::node* node = find(key);
  if (!node) {
    // If a key is missing, a misspelt one explains it better.
    for (auto&& [other, value] : *table_) {
      const std::string spelt(other.str());
      if (!known_.contains(spelt) && text::edit_distance(spelt, key) <= 2) {
        fail_at(file_, value.source().begin.line,
                fmt::format("{} has an unknown key \"{}\", expected \"{}\"", name_, spelt, key));
      }
    }
    fail(key, fmt::format("{} has no \"{}\"", name_, key), expected);
  }
  return *node;
}

std::string TableReader::text(const std::string& key) {
  const toml::node& node = need(key, "a text");
  const auto* value = node.as_string();
  if (!value) fail(key, fmt::format("\"{}\" is {}", key, kind_of(node)), "a text in quotes");
  if (value->get().empty()) fail(key, fmt::format("\"{}\" is empty", key), "a text");
  return value->get();
}

std::string TableReader::text_if_there(const std::string& key) {
  return find(key) ? text(key) : "";
}

int64_t TableReader::whole_number(const std::string& key, int64_t least) {
  const std::string expected =
      least == 1 ? "a whole number above 0" : fmt::format("a whole number, {} or above", least);
  const toml::node& node = need(key, expected);
  const auto* value = node.as_integer();
  if (!value) fail(key, fmt::format("\"{}\" is {}", key, kind_of(node)), expected);
  if (value->get() < least) fail(key, fmt::format("\"{}\" is {}", key, value->get()), expected);
  return value->get();
}

bool TableReader::truth(const std::string& key, bool otherwise) {
  const toml::node* node = find(key);
  if (!node) return otherwise;
  if (!node->is_boolean()) fail(key, fmt::format("\"{}\" is {}", key, kind_of(*node)), "true or false");
  return node->value_or(otherwise);
}

std::optional<double> TableReader::number_if_there(const std::string& key) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const std::optional<double> value = node->value<double>();
  if (!value || !node->is_number()) fail(key, fmt::format("\"{}\" is {}", key, kind_of(*node)), "a number");
  return value;
}

std::vector<std::string> TableReader::texts(const std::string& key) {
  const toml::node& node = need(key, "an array of texts");
  const auto* array = node.as_array();
  if (!array) fail(key, fmt::format("\"{}\" is {}", key, kind_of(node)), "an array of texts");
  std::vector<std::string> result;
  for (const toml::node& item : *array) {
    const auto* value = item.as_string();
    if (!value || value->get().empty()) {
      fail_at(file_, item.source().begin.line,
              fmt::format("item {} of \"{}\" is {}, expected a text", result.size() + 1, key,
                          value ? "empty" : kind_of(item)));
    }
    result.push_back(value->get());
  }
  return result;
}

std::vector<int64_t> TableReader::shape_of(const toml::node& node, const std::string& key) const {
  const char* expected = "an array of whole numbers, such as [1024] or [64, 32]";
  const auto* array = node.as_array();
  const auto line = node.source().begin.line;
  if (!array) fail_at(file_, line, fmt::format("\"{}\" has {}, expected {}", key, kind_of(node), expected));
  if (array->empty())
    fail_at(file_, line, fmt::format("\"{}\" has an empty size, expected {}", key, expected));
  std::vector<int64_t> result;
  for (const toml::node& item : *array) {
    const auto* value = item.as_integer();
    if (!value) fail_at(file_, line, fmt::format("\"{}\" has {}, expected {}", key, kind_of(item), expected));
    if (value->get() < 0) {
      fail_at(file_, line, fmt::format("\"{}\" has the length {}, expected {}", key, value->get(), expected));
    }
    result.push_back(value->get());
  }
  return result;
}

std::vector<int64_t> TableReader::shape(const std::string& key) {
  return shape_of(need(key, "a size, such as [1024] or [64, 32]"), key);
}

std::vector<int64_t> TableReader::shape_if_there(const std::string& key) {
  const toml::node* node = find(key);
  return node == nullptr ? std::vector<int64_t>() : shape_of(*node, key);
}

std::vector<std::vector<int64_t>> TableReader::shapes(const std::string& key) {
  const toml::node& node = need(key, "an array of sizes, such as [[1000], [65537]]");
  const auto* array = node.as_array();
  if (!array || array->empty()) {
    fail(key, fmt::format("\"{}\" is {}", key, array ? "empty" : kind_of(node)),
         "an array of sizes, such as [[1000], [65537]]");
  }
  std::vector<std::vector<int64_t>> result;
  for (const toml::node& item : *array)
    result.push_back(shape_of(item, key));
  return result;
}

TableReader TableReader::table(const std::string& key) {
  const toml::node& node = need(key, "a table");
  if (!node.is_table()) fail(key, fmt::format("\"{}\" is {}", key, kind_of(node)), "a table");
  return TableReader(*node.as_table(), file_, fmt::format("\"{}\"", key));
}

std::vector<TableReader> TableReader::tables(const std::string& key) {
  std::vector<TableReader> result;
  const toml::node* node = find(key);
  if (!node) return result;
  const std::string expected = fmt::format("[[{}]] tables", key);
  if (!node->is_array()) fail(key, fmt::format("\"{}\" is {}", key, kind_of(*node)), expected);
  for (const toml::node& item : *node->as_array()) {
    if (!item.is_table()) fail(key, fmt::format("\"{}\" holds {}", key, kind_of(item)), expected);
    result.emplace_back(*item.as_table(), file_, fmt::format("[[{}]]", key));
  }
  return result;
}

void TableReader::no_other_keys() const {
  const std::vector<std::string> names(known_.begin(), known_.end());
  for (auto&& [key, value] : *table_) {
    const std::string spelt(key.str());
    if (known_.contains(spelt)) continue;
    const auto near = text::nearest(spelt, names, 1);
    fail_at(file_, value.source().begin.line,
            fmt::format("{} has an unknown key \"{}\", expected {}", name_, spelt,
                        near.empty() ? "one of " + text::listed(names) : "\"" + near[0] + "\""));
  }
}

std::optional<TableReader> TableReader::table_if_there(const std::string& key) {
  return find(key) ? std::optional(table(key)) : std::nullopt;
}

uint32_t TableReader::count_if_there(const std::string& key) {
  const std::optional<double> number = number_if_there(key);
  if (!number) return 0;
  constexpr double kMost = 1e6;
  if (*number < 0 || *number > kMost || *number != static_cast<uint32_t>(*number))
    fail(key, fmt::format("\"{}\" is {}", key, *number), "a whole number from 0");
  return static_cast<uint32_t>(*number);
}

}  // namespace ridge::course
