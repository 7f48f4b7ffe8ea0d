#include "virtual_gpu/ptx/body_parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "virtual_gpu/ptx/declaration_parser.h"

namespace ridge::ptx {

// One loop over the tokens of the body. Vectors in operands look like scopes here, but contain no
// labels.
void BodyParser::find_labels() {
  std::vector<size_t> open;
  for (size_t ahead = 0;; ++ahead) {
    const Token& token = cursor_.peek(ahead);
    if (token.kind == Token::Kind::end) {
      cursor_.fail(
          fmt::format("the body of '{}' is never closed; the text ends too early", function_.name));
    }
    if (cursor_.at('{', ahead)) {
      open.push_back(cursor_.position() + ahead);
    } else if (cursor_.at('}', ahead)) {
      open.pop_back();
      if (open.empty()) break;
    } else if (token.kind == Token::Kind::word && cursor_.at(':', ahead + 1) &&
               !cursor_.at('?', ahead - 1)) {
      labels_.emplace_back(open.back(), token.text);
    }
  }
  std::stable_sort(labels_.begin(), labels_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

void BodyParser::open_scope() {
  const size_t position = cursor_.position();
  cursor_.expect('{', "before the statements of a scope");
  names_.open_scope();
  auto label =
      std::lower_bound(labels_.begin(), labels_.end(), position,
                       [](const auto& entry, size_t wanted) { return entry.first < wanted; });
  for (; label != labels_.end() && label->first == position; ++label)
    declare(label->second);
}

void BodyParser::parse() {
  find_labels();
  for (const std::vector<Variable>* list : {&function_.results, &function_.parameters}) {
    for (const Variable& parameter : *list)
      names_.declare_parameter(parameter.name);
  }
  locations_.start_function();
  size_t depth = 0;
  do {
    if (cursor_.at('{')) {
      open_scope();
      ++depth;
    } else if (cursor_.accept('}')) {
      names_.close_scope();
      --depth;
    } else if (cursor_.accept(';')) {
      // An inline asm text that ends in ';' before another ';'.
    } else if (cursor_.at('@')) {
      instruction();
    } else if (!cursor_.at_word()) {
      cursor_.fail_expected("an instruction, a label or a directive");
    } else if (cursor_.at_directive()) {
      directive();
    } else if (cursor_.at(':', 1)) {
      label();
    } else {
      instruction();
    }
  } while (depth > 0);
  function_.register_count = registers_.count();
}

std::string_view BodyParser::declare(std::string_view name) {
  const std::string_view unique = names_.declare(name, ScopedNames::Role::symbol);
  if (unique.empty()) cursor_.fail(fmt::format("'{}' is declared twice in the same scope", name));
  return unique;
}

std::string_view BodyParser::declare_register(std::string_view name, uint32_t count) {
  const std::string_view unique =
      count ? names_.declare_range(name, count) : names_.declare(name, ScopedNames::Role::reg);
  if (unique.empty())
    cursor_.fail(fmt::format("register '{}' is declared twice in the same scope", name));
  return unique;
}

void BodyParser::directive() {
  if (cursor_.accept_word(".loc")) {
    locations_.parse(cursor_);
  } else if (cursor_.accept_word(".reg")) {
    parse_registers(
        cursor_,
        [&](std::string_view name, uint32_t count) { return declare_register(name, count); },
        function_.registers);
    for (; numbered_ < function_.registers.size(); ++numbered_) {
      RegisterDeclaration& declared = function_.registers[numbered_];
      declared.first = registers_.declare(declared.name, declared.count);
    }
  } else if (cursor_.accept_word(".pragma")) {
    do
      cursor_.expect_string("the text of a pragma");
    while (cursor_.accept(','));
    cursor_.expect(';', "after a pragma");
  } else if (at_variable(cursor_)) {
    const Linkage linkage = parse_linkage(cursor_);
    for (Variable& variable : parse_variables(
             cursor_, linkage, [&](std::string_view name) { return std::string(declare(name)); })) {
      // nvcc may name other variables of the body here before their declaration.
      for (Variable::Relocation& relocation : variable.relocations) {
        relocation.symbol = names_.resolve(relocation.symbol).name;
      }
      function_.variables.push_back(std::move(variable));
    }
  } else {
    cursor_.fail(
        fmt::format("the directive '{}' is not known inside a function", cursor_.peek().text));
  }
}

void BodyParser::label() {
  const std::string_view name = names_.resolve(cursor_.expect_name("a label")).name;
  cursor_.expect(':', "after a label");
  if (cursor_.accept_word(".branchtargets")) {
    label_list(function_.branch_targets, name);
  } else if (cursor_.accept_word(".calltargets")) {
    label_list(function_.call_targets, name);
  } else if (cursor_.accept_word(".callprototype")) {
    prototype(name);
  } else {
    function_.labels[name] = static_cast<uint32_t>(function_.instructions.size());
  }
}

void BodyParser::label_list(Function::NameLists& table, std::string_view label) {
  std::vector<std::string_view>& targets = table[label];
  do
    targets.push_back(names_.resolve(cursor_.expect_name("a target")).name);
  while (cursor_.accept(','));
  cursor_.expect(';', "after a list of targets");
}

// proto: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn .abi_preserve 4;
void BodyParser::prototype(std::string_view label) {
  Function::Prototype prototype;
  if (cursor_.at('(')) prototype.results = parse_parameters(cursor_);
  cursor_.expect_name("'_' in a call prototype");
  prototype.parameters = parse_parameters(cursor_);
  while (cursor_.at_directive() || cursor_.at_number()) {
    prototype.no_return |= cursor_.take().text == ".noreturn";
  }
  cursor_.expect(';', "after a call prototype");
  function_.prototypes[label] = std::move(prototype);
}

void BodyParser::instruction() {
  Instruction& instruction = function_.instructions.emplace_back();
  instruction.ptx_line = cursor_.line();
  instruction.location = locations_.current();
  if (cursor_.accept('@')) {
    instruction.guard_negated = cursor_.accept('!');
    const ScopedNames::Use guard = names_.resolve(cursor_.expect_name("a predicate after '@'"));
    if (!guard.is_register)
      cursor_.fail(fmt::format("the guard '{}' is not a register that was declared", guard.name));
    instruction.guard = guard.name;
    instruction.guard_number = registers_.of(guard.name);
  }
  instruction.opcode = cursor_.expect_name("an instruction");
  while (cursor_.at_directive())  // a modifier may follow blanks
    instruction.opcode =
        pool_.name(std::string(instruction.opcode) + std::string(cursor_.take().text));
  const bool is_call = instruction.opcode == "call" || instruction.opcode.starts_with("call.");
  instruction.operands = is_call ? operands_.parse_call() : operands_.parse_operands();
  if (!cursor_.at(';'))
    cursor_.fail_expected(fmt::format("';' after the operands of {}", instruction.opcode));
  cursor_.take();
}

}  // namespace ridge::ptx
