// Reads one TOML table strictly: every key that is read must exist with the right type, and at the
// end every existing key must have been read. Errors have the form
// "labs/01-kernel-basics/lab.toml:12: what is wrong, expected what".
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ridge::course {

class TableReader {
 public:
  // `file`: the name in messages; `name`: such as "[[rung]]".
  TableReader(const toml::table& table, std::string file, std::string name);

  std::string text(const std::string& key);           // not empty
  std::string text_if_there(const std::string& key);  // "" when it is missing
  int64_t whole_number(const std::string& key, int64_t least = 1);
  std::optional<double> number_if_there(const std::string& key);
  // `otherwise` when it is missing.
  bool truth(const std::string& key, bool otherwise);
  std::vector<std::string> texts(const std::string& key);            // none of them empty
  std::vector<int64_t> shape(const std::string& key);                // [1000] or [64, 32]
  std::vector<int64_t> shape_if_there(const std::string& key);       // empty when it is missing
  std::vector<std::vector<int64_t>> shapes(const std::string& key);  // [[1000], [65537]]
  TableReader table(const std::string& key);
  std::optional<TableReader> table_if_there(const std::string& key);
  uint32_t count_if_there(const std::string& key);          // 0 when it is missing
  std::vector<TableReader> tables(const std::string& key);  // [[key]]; empty when there is none

  void no_other_keys() const;
  // Throws CourseError at the line of `key`, or of the table when the key is missing.
  [[noreturn]] void fail(const std::string& key, const std::string& what, const std::string& expected) const;

 private:
  const toml::node* find(const std::string& key);
  const toml::node& need(const std::string& key, const std::string& expected);
  std::vector<int64_t> shape_of(const toml::node& node, const std::string& key) const;

  const toml::table* table_;
  std::string file_, name_;
  std::set<std::string> known_;
};

[[noreturn]] void fail_at(const std::string& file, uint32_t line, const std::string& message);

}  // namespace ridge::course
