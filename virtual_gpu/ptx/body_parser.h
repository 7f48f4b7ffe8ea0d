// Parses the statements between the braces of a function.
#pragma once

#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "virtual_gpu/ptx/location_table.h"
#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/ptx/operand_parser.h"
#include "virtual_gpu/ptx/names/register_numbers.h"
#include "virtual_gpu/ptx/names/scoped_names.h"
#include "virtual_gpu/ptx/token_cursor.h"

namespace ridge::ptx {

class BodyParser {
 public:
  BodyParser(TokenCursor& cursor, LocationTable& locations,
             const std::unordered_set<std::string_view>& module_names, TreePool& pool,
             Function& function)
      : cursor_(cursor),
        locations_(locations),
        function_(function),
        pool_(pool),
        names_(module_names, pool),
        operands_(cursor, names_, registers_, pool) {}

  // Parses from the '{' to its '}', inclusive.
  void parse();

 private:
  void find_labels();
  void open_scope();
  void directive();
  void label();
  void label_list(Function::NameLists& table, std::string_view label);
  void prototype(std::string_view label);
  void instruction();
  std::string_view declare(std::string_view name);
  std::string_view declare_register(std::string_view name, uint32_t count);

  TokenCursor& cursor_;
  LocationTable& locations_;
  Function& function_;
  TreePool& pool_;
  ScopedNames names_;
  RegisterNumbers registers_;
  OperandParser operands_;
  size_t numbered_ = 0;  // of function_.registers
  // (position of a scope's '{', label in it), by position. A branch may name a later label, so the
  // labels of a scope are declared when it opens.
  std::vector<std::pair<size_t, std::string_view>> labels_;
};

}  // namespace ridge::ptx
