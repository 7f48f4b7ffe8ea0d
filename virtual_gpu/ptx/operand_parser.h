// Parses the operands of one instruction, with unique names.
#pragma once

#include <vector>

#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/ptx/scoped_names.h"
#include "virtual_gpu/ptx/token_cursor.h"

namespace ridge::ptx {

class OperandParser {
 public:
  OperandParser(TokenCursor& cursor, const ScopedNames& names) : cursor_(cursor), names_(names) {}

  // Parses everything between an opcode and its ';', which is not consumed.
  std::vector<Operand> parse_operands();
  // The same for call, in the order specified at Instruction::operands.
  std::vector<Operand> parse_call();

 private:
  Operand operand();
  Operand single();          // not a pair
  Operand named();           // register, symbol, generic(symbol)
  Operand literal();         // constant expression
  Operand address();         // [ ... ]
  Operand list(char close);  // from after the opening bracket to `close`, inclusive
  void set_name(Operand& operand, std::string_view name, Operand::Kind otherwise) const;

  TokenCursor& cursor_;
  const ScopedNames& names_;
  int depth_ = 0;
};

}  // namespace ridge::ptx
