// Flattens the scopes of one function body: every name gets a unique spelling in the function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "virtual_gpu/ptx/names/tree_pool.h"

namespace ridge::ptx {

// PTX permits `{ .reg .pred p; ... }` twice in a function, and nvcc uses that for call sequences
// and inline asm. The first declaration of a name keeps its spelling; later ones become name$2,
// name$3 ... Registers that do not start with '%' always get one and a suffix, so that `tid` cannot
// become the special register %tid. The views passed in must outlive this object.
class ScopedNames {
 public:
  enum class Role : uint8_t { symbol, reg };

  // `module_names`: variables and functions of the module, which names in a body must not hide
  // accidentally.
  // New spellings are kept in `pool`.
  ScopedNames(const std::unordered_set<std::string_view>& module_names, TreePool& pool)
      : module_names_(module_names), pool_(pool) {}

  void open_scope() { scopes_.push_back({++last_scope_, {}}); }
  void close_scope();

  // Declares `name` in the innermost scope; returns its unique spelling, or "" when that scope
  // already has it.
  std::string_view declare(std::string_view name, Role role);
  // Declares name0 ... name<count-1> (`.reg .b32 %r<10>`); returns the unique prefix, or "" as
  // above.
  std::string_view declare_range(std::string_view name, uint32_t count);
  // A parameter of the function: keeps its name even if the module has the same name.
  void declare_parameter(std::string_view name) { used_[name] = current_scope(); }

  // The unique spelling of a used name. `is_register` when it names a declared register.
  struct Use {
    std::string_view name;
    bool is_register = false;
  };
  Use resolve(std::string_view name) const;

 private:
  struct Binding {
    std::string_view name;
    Role role = Role::symbol;
    uint32_t count = 0;  // of a range
    uint32_t scope =
        0;  // numbered in the order of opening: of two open scopes, the inner has the larger number
  };
  struct Scope {
    uint32_t number = 0;
    std::vector<std::string_view> bound;  // the names to remove when it closes
  };
  using Bindings = std::unordered_map<std::string_view, std::vector<Binding>>;

  uint32_t current_scope() const { return scopes_.empty() ? 0 : scopes_.back().number; }
  bool is_used(std::string_view name) const;
  bool is_used_as_range(std::string_view name) const;
  std::string_view unused_spelling(std::string_view name, std::string_view lead,
                                   std::string_view tail);
  void use(std::string_view name);
  std::string_view bind(std::string_view name, Binding binding);
  const Binding* find(std::string_view name, std::string_view& digits) const;

  const std::unordered_set<std::string_view>& module_names_;
  TreePool& pool_;
  std::vector<Scope> scopes_;
  uint32_t last_scope_ = 0;
  Bindings bindings_;  // only for names whose spelling changed
  std::unordered_map<std::string_view, uint32_t>
      used_;  // spelling -> number of the last scope that declared it
  std::unordered_map<std::string_view, uint32_t> used_ranges_;  // the same for prefixes
  std::unordered_set<std::string_view> prefixes_of_used_;       // "t" when t1 is used
  std::unordered_map<std::string_view, uint32_t> next_suffix_;
};

}  // namespace ridge::ptx
