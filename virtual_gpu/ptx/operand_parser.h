// Operands of one instruction, with their names made unique.
#pragma once

#include <vector>

#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/ptx/scoped_names.h"
#include "virtual_gpu/ptx/token_cursor.h"

namespace ridge::ptx {

class OperandParser {
 public:
  OperandParser(TokenCursor& cursor, const ScopedNames& names) : cursor_(cursor), names_(names) {}

  // Everything between an opcode and its ';', which is left standing.
  std::vector<Operand> parse_operands();
  // The same for call, in the order that Instruction::operands promises.
  std::vector<Operand> parse_call();

 private:
  Operand operand();
  Operand single();          // no pair
  Operand named();           // register, symbol, generic(symbol)
  Operand literal();         // constant expression
  Operand address();         // [ ... ]
  Operand list(char close);  // from behind the opening bracket to behind `close`
  void set_name(Operand& operand, std::string_view name, Operand::Kind otherwise) const;

  TokenCursor& cursor_;
  const ScopedNames& names_;
  int depth_ = 0;
};

}  // namespace ridge::ptx
