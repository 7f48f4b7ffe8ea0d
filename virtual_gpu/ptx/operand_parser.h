// Parses the operands of one instruction, with unique names.
#pragma once

#include <vector>

#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/ptx/names/register_numbers.h"
#include "virtual_gpu/ptx/names/scoped_names.h"
#include "virtual_gpu/ptx/token_cursor.h"

namespace ridge::ptx {

class OperandParser {
 public:
  OperandParser(TokenCursor& cursor, const ScopedNames& names, RegisterNumbers& registers,
                TreePool& pool)
      : cursor_(cursor), names_(names), registers_(registers), pool_(pool) {}

  // Parses everything between an opcode and its ';', which is not consumed.
  OperandList parse_operands();
  // The same for call, in the order specified at Instruction::operands.
  OperandList parse_call();

 private:
  Operand operand();
  Operand single();          // not a pair
  Operand named();           // register, symbol, generic(symbol)
  Operand literal();         // constant expression
  Operand address();         // [ ... ]
  Operand list(char close);  // from after the opening bracket to `close`, inclusive
  void set_name(Operand& operand, std::string_view name, Operand::Kind otherwise);
  OperandList take_from(size_t first);  // of open_, to its end

  TokenCursor& cursor_;
  const ScopedNames& names_;
  RegisterNumbers& registers_;
  TreePool& pool_;
  std::vector<Operand> open_;  // of the lists that are being read, the innermost last
  int depth_ = 0;
};

}  // namespace ridge::ptx
