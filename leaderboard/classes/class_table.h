// One table of CLASS.toml: typed access to its values, and errors with file and line.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "leaderboard/classes/class_file.h"
#include "leaderboard/classes/local_time.h"

namespace ridge::leaderboard {

class ClassTable {
 public:
  ClassTable(const toml::table& table, std::string file, std::string name)
      : table_(table), file_(std::move(file)), name_(std::move(name)) {}

  [[noreturn]] void fail(const toml::node* node, const std::string& what) const {
    const auto line = (node ? node->source() : table_.source()).begin.line;
    throw std::runtime_error(fmt::format("{}:{}: {}", file_, line, what));
  }

  void allow(const std::vector<std::string>& keys) const {
    for (const auto& [key, node] : table_)
      if (const std::string name(key.str());
          std::find(keys.begin(), keys.end(), name) == keys.end())
        fail(&node,
             fmt::format("[{}] has no \"{}\"; it may have {}", name_, name, fmt::join(keys, ", ")));
  }

  const toml::node* find(const char* key) const { return table_.get(key); }

  template <class T>
  T value(const char* key, T otherwise, const char* expected) const {
    const toml::node* node = table_.get(key);
    if (!node) return otherwise;
    if (const auto found = node->value<T>()) return *found;
    fail(node, fmt::format("\"{}\" must be {}", key, expected));
  }

  std::string text(const char* key, const std::string& otherwise = "") const {
    return value<std::string>(key, otherwise, "a text in quotes");
  }

  std::string needed_text(const char* key) const {
    if (!table_.get(key)) fail(nullptr, fmt::format("[{}] lacks \"{}\"", name_, key));
    return text(key);
  }

  std::string one_of(const char* key, const std::string& otherwise,
                     const std::set<std::string>& words) const {
    const std::string word = text(key, otherwise);
    if (!words.contains(word))
      fail(table_.get(key),
           fmt::format("\"{}\" is \"{}\"; it must be {}", key, word, fmt::join(words, " or ")));
    return word;
  }

  std::string plain_name(const char* key) const {
    const std::string name = needed_text(key);
    if (!is_plain_name(name))
      fail(table_.get(key),
           fmt::format("\"{}\" is not a valid name: letters, digits, - and _, at most 40", name));
    return name;
  }

  int64_t time(const char* key, const std::string& zone) const {
    const std::string local = text(key);
    try {
      return local.empty() ? 0 : utc_ms_of(local, zone);
    } catch (const std::runtime_error& error) {
      fail(table_.get(key), error.what());
    }
  }

  const std::string& file() const { return file_; }

 private:
  const toml::table& table_;
  std::string file_, name_;
};

// [slurm] and [[slurm.target]]
void read_slurm(const ClassTable& table, ClassSpec& spec);

}  // namespace ridge::leaderboard
