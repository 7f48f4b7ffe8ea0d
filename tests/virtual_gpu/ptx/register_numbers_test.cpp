// The numbers of a function's registers.
#include <set>
#include <string>

#include "tests/catch.h"
#include "tests/virtual_gpu/ptx/render.h"

using namespace ridge::ptx;

namespace {

using NamesByNumber = std::map<RegisterNumber, std::string>;

void collect(const Operand& operand, NamesByNumber& names) {
  const bool is_register = operand.name.starts_with('%');
  CHECK((operand.number != kNoRegister) == is_register);
  if (is_register)
    CHECK(names.try_emplace(operand.number, operand.name).first->second == operand.name);
  for (const Operand& element : operand.elements)
    collect(element, names);
}

// Checks that a number has one name, and that every number is smaller than the function's count.
NamesByNumber names_of(const Function& function) {
  NamesByNumber names;
  for (const Instruction& instruction : function.instructions) {
    if (!instruction.guard.empty()) collect(guard_operand(instruction), names);
    for (const Operand& operand : instruction.operands)
      collect(operand, names);
  }
  if (!names.empty()) CHECK(names.rbegin()->first < function.register_count);
  std::set<std::string> distinct;
  for (const auto& [number, name] : names)
    CHECK(distinct.insert(name).second);
  return names;
}

}  // namespace

TEST_CASE("a member of a range has the number of the range plus its own") {
  const Function function = parse_body(
      ".reg .pred %p<3>; .reg .b32 %r<20>; .reg .f32 %x;\n"
      "@!%p2 add.s32 %r19, %r0, %r7; mov.f32 %x, 0f00000000; ld.global.u32 %r7, [%r0+4];");
  const NamesByNumber names = names_of(function);
  REQUIRE(function.registers.size() == 3);
  CHECK(function.registers[0].first == 0);
  CHECK(function.registers[1].first == 3);
  CHECK(function.registers[2].first == 23);
  CHECK(function.register_count == 24);
  CHECK(names == NamesByNumber{{2, "%p2"}, {3, "%r0"}, {10, "%r7"}, {22, "%r19"}, {23, "%x"}});
}

TEST_CASE("special registers, parts of vectors and undeclared names have numbers of their own") {
  const Function function = parse_body(
      ".reg .b32 %r<3>; .reg .v2 .f32 %v<2>;\n"
      "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.f32 %v1.x, %v1.y; add.u32 %r01, %r1, %r3;\n"
      "mov.u32 %r1, %tid.x; mov.u64 %r1, table;");
  const NamesByNumber names = names_of(function);
  CHECK(names.size() == 8);
  CHECK(function.register_count == 5 + 6);
}

TEST_CASE("registers of scopes that repeat a name have different numbers") {
  std::string body;
  for (int i = 0; i < 40; ++i)
    body += "{ .reg .pred p; .reg .b32 %t<4>; setp.eq.u32 p, %t3, 0; @p bra END; }\n";
  const Function function = parse_body(body + "END: ret;");
  CHECK(names_of(function).size() == 80);
  CHECK(function.register_count == 40 * 5);
}
