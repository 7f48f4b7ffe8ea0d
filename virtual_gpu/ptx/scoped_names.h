// Flattens the scopes of one function body: every name gets a spelling that is unique in the function.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ridge::ptx {

// PTX lets `{ .reg .pred p; ... }` stand twice in a function, and nvcc relies on it for call sequences and
// inline asm. A name keeps its spelling when it is the first of its kind and becomes name$2, name$3 ...
// otherwise. Registers that do not start with '%' always get one and a suffix, so `tid` cannot turn into the
// special register %tid. The views passed in must outlive this object.
class ScopedNames {
 public:
  enum class Role : uint8_t { symbol, reg };

  // `module_names`: variables and functions of the module, which names in a body must not hide by accident.
  explicit ScopedNames(const std::unordered_set<std::string_view>& module_names)
      : module_names_(module_names) {}

  void open_scope() { scopes_.push_back({++last_scope_, {}}); }
  void close_scope();

  // Declares `name` in the innermost scope; the result is its unique spelling, or "" when that scope already
  // has it.
  std::string declare(std::string_view name, Role role);
  // Declares name0 ... name<count-1> (`.reg .b32 %r<10>`); the result is the unique prefix, or "" as above.
  std::string declare_range(std::string_view name, uint32_t count);
  // A parameter of the function: keeps its name whatever the module says.
  void declare_parameter(std::string_view name) { used_[name] = current_scope(); }

  // The unique spelling of a name as used here. `is_register` when it names a register that was declared.
  struct Use {
    std::string name;
    bool is_register = false;
  };
  Use resolve(std::string_view name) const;

 private:
  struct Binding {
    std::string name;
    Role role = Role::symbol;
    uint32_t count = 0;  // of a range
    uint32_t scope =
        0;  // scopes are numbered as they open: of two that are open, the inner has the larger number
  };
  struct Scope {
    uint32_t number = 0;
    std::vector<std::string_view> bound;  // what to forget when it closes
  };
  using Bindings = std::unordered_map<std::string_view, std::vector<Binding>>;

  uint32_t current_scope() const { return scopes_.empty() ? 0 : scopes_.back().number; }
  bool is_used(std::string_view name) const;
  bool is_used_as_range(std::string_view name) const;
  std::string unused_spelling(std::string_view name, std::string_view lead, std::string_view tail);
  void use(std::string_view name);
  std::string bind(std::string_view name, Binding binding);
  const Binding* find(std::string_view name, std::string_view& digits) const;

  const std::unordered_set<std::string_view>& module_names_;
  std::vector<Scope> scopes_;
  uint32_t last_scope_ = 0;
  Bindings bindings_;  // only of names that changed their spelling
  std::unordered_map<std::string_view, uint32_t>
      used_;  // spelling -> number of the scope that declared it last
  std::unordered_map<std::string_view, uint32_t> used_ranges_;  // likewise, prefixes
  std::unordered_set<std::string_view> prefixes_of_used_;       // "t" when t1 is used
  std::unordered_map<std::string_view, uint32_t> next_suffix_;
  std::deque<std::string> made_;  // owns the spellings that are not in the text
};

}  // namespace ridge::ptx
