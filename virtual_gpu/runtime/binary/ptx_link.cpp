#include "virtual_gpu/runtime/binary/ptx_link.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "virtual_gpu/runtime/binary/load_error.h"

namespace ridge::runtime {
namespace {

using Renames = std::unordered_map<std::string, std::string>;

void rename(std::string& name, const Renames& renames) {
  if (auto found = renames.find(name); found != renames.end()) name = found->second;
}

// The new names belong to `pool`.
void rename(ptx::Operand& operand, const Renames& renames, ptx::TreePool& pool) {
  if (operand.number == ptx::kNoRegister) {
    if (const auto found = renames.find(std::string(operand.name)); found != renames.end())
      operand.name = pool.name(found->second);
  }
  for (ptx::Operand& element : operand.elements)
    rename(element, renames, pool);
}

// Offsets that move line numbers, files and locations behind those of the modules linked so far.
struct Shift {
  uint32_t ptx_lines = 0, locations = 0, files = 0;
};

void move_behind(ptx::Module& module, const Shift& shift) {
  for (ptx::Location& location : module.locations) {
    if (location.file) location.file += shift.files;
    if (location.inlined_at) location.inlined_at += shift.locations;
  }
  for (ptx::Variable& variable : module.variables)
    variable.ptx_line += shift.ptx_lines;
  for (ptx::Function& function : module.functions) {
    function.ptx_line += shift.ptx_lines;
    function.line_shift = shift.ptx_lines;
    for (ptx::Variable& variable : function.variables)
      variable.ptx_line += shift.ptx_lines;
    for (ptx::Instruction& instruction : function.instructions) {
      instruction.ptx_line += shift.ptx_lines;
      if (instruction.location) instruction.location += shift.locations;
    }
  }
}

void rename_all(ptx::Module& module, const Renames& renames) {
  if (renames.empty()) return;
  for (ptx::Variable& variable : module.variables) {
    rename(variable.name, renames);
    for (auto& relocation : variable.relocations)
      rename(relocation.symbol, renames);
  }
  for (ptx::Function& function : module.functions) {
    rename(function.name, renames);
    // A name declared in the body hides the module's.
    Renames visible = renames;
    for (const ptx::Variable& variable : function.variables)
      visible.erase(variable.name);
    for (const ptx::Variable& parameter : function.parameters)
      visible.erase(parameter.name);
    for (const auto& [label, index] : function.labels)
      visible.erase(std::string(label));
    for (ptx::Instruction& instruction : function.instructions) {
      for (ptx::Operand& operand : instruction.operands)
        rename(operand, visible, *module.pools[0]);
    }
  }
}

bool is_definition(const ptx::Variable& variable) {
  return !variable.is_extern;
}
bool is_definition(const ptx::Function& function) {
  return !function.is_declaration;
}

}  // namespace

ptx::Module link(std::vector<ptx::Module> modules) {
  ptx::Module linked;
  if (modules.empty()) return linked;
  linked.version_major = modules[0].version_major;
  linked.version_minor = modules[0].version_minor;
  linked.target = modules[0].target;

  std::unordered_map<std::string, size_t> variables, functions;  // name -> index in `linked`
  // Only one definition of a name is kept: a definition replaces a declaration, and the first of
  // several weak ones wins (nvcc emits inline functions and templates in every object file).
  auto keep = [](auto& list, std::unordered_map<std::string, size_t>& index, auto&& item) {
    auto [found, is_new] = index.try_emplace(item.name, list.size());
    if (is_new) {
      list.push_back(std::move(item));
    } else if (!is_definition(list[found->second]) && is_definition(item)) {
      list[found->second] = std::move(item);
    }
  };

  for (size_t m = 0; m < modules.size(); ++m) {
    ptx::Module& module = modules[m];
    Renames renames;
    for (const ptx::Variable& variable : module.variables) {
      bool is_private = is_definition(variable) && !variable.is_visible;
      if (is_private && variables.contains(variable.name)) {
        renames[variable.name] = fmt::format("{}__module{}", variable.name, m);
      }
    }
    rename_all(module, renames);
    Shift shift{static_cast<uint32_t>(linked.ptx_lines.size()),
                static_cast<uint32_t>(linked.locations.size()) - 1, 0};
    for (const auto& [number, path] : linked.files)
      shift.files = std::max(shift.files, number);
    move_behind(module, shift);

    for (const auto& [number, path] : module.files)
      linked.files[number + shift.files] = path;
    linked.locations.insert(linked.locations.end(), module.locations.begin() + 1,
                            module.locations.end());
    linked.ptx_lines.append(module.ptx_lines);
    linked.pools.insert(linked.pools.end(), module.pools.begin(), module.pools.end());
    for (ptx::Variable& variable : module.variables)
      keep(linked.variables, variables, std::move(variable));
    for (ptx::Function& function : module.functions)
      keep(linked.functions, functions, std::move(function));
  }
  for (uint32_t index = 0; index < linked.functions.size(); ++index)
    linked.function_index.emplace(linked.pools[0]->name(linked.functions[index].name), index);
  for (const ptx::Variable& variable : linked.variables) {
    if (variable.is_extern && variable.space != ptx::Space::shared) {
      throw LoadError(cudaErrorInvalidSource,
                      fmt::format("uses the variable {}, which no object file defines: link the "
                                  "file that does, compiled with -rdc=true and with PTX",
                                  variable.name));
    }
  }
  return linked;
}

}  // namespace ridge::runtime
