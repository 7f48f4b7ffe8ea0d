#include <set>

#include "tests/catch.h"
#include "tests/virtual_gpu/ptx/render.h"

using namespace ridge::ptx;

namespace {

std::vector<std::string> instructions(const Function& function) {
  std::vector<std::string> lines;
  for (const Instruction& instruction : function.instructions)
    lines.push_back(render(instruction));
  return lines;
}

using Lines = std::vector<std::string>;
using Names = std::vector<std::string_view>;

}  // namespace

TEST_CASE("the parameters of a second call sequence get names of their own") {
  const Function function = parse_body(R"(
    { .param .b32 param0; st.param.b32 [param0+0], 1; .param .b32 retval0;
      call.uni (retval0), f, (param0); ld.param.b32 %r1, [retval0+0]; }
    { .param .b64 param0; st.param.b64 [param0+0], 2; call.uni g, (param0); })");
  CHECK(instructions(function) ==
        Lines{"st.param.b32 mem(param0) int(1)", "call.uni vec(sym(retval0)) sym(f) vec(sym(param0))",
              "ld.param.b32 reg(%r1) mem(retval0)", "st.param.b64 mem(param0$2) int(2)",
              "call.uni vec() sym(g) vec(sym(param0$2))"});
  REQUIRE(function.variables.size() == 3);
  CHECK(function.variables[0].name == "param0");
  CHECK(function.variables[2].name == "param0$2");
  CHECK(function.variables[2].type == "b64");
}

TEST_CASE("registers of inline asm start with % and never collide with special registers") {
  const Function function =
      parse_body("{ .reg .b32 laneid; mov.u32 laneid, %laneid; st.shared.u32 [laneid+4], laneid; }");
  CHECK(instructions(function) ==
        Lines{"mov.u32 reg(%laneid$1) reg(%laneid)", "st.shared.u32 mem(%laneid$1+4) reg(%laneid$1)"});
  CHECK(function.registers.at(0).name == "%laneid$1");
}

TEST_CASE("an inner scope hides a name of an outer one until it closes") {
  const Function function = parse_body(R"(
    .reg .pred p; .reg .b32 %x;
    setp.eq.s32 p, %x, 0;
    { .reg .pred p; .reg .b32 %x; setp.eq.s32 p, %x, 1;
      { .reg .pred p; setp.eq.s32 p, %x, 2; }
      @p ret; }
    @!p ret;)");
  CHECK(instructions(function) == Lines{"setp.eq.s32 reg(%p$1) reg(%x) int(0)",
                                        "setp.eq.s32 reg(%p$2) reg(%x$2) int(1)",
                                        "setp.eq.s32 reg(%p$3) reg(%x$2) int(2)", "@%p$2 ret", "@!%p$1 ret"});
}

TEST_CASE("labels of two scopes with one name lead to their own scope") {
  const char* block = "{ WAIT: @%p1 bra DONE; bra WAIT; DONE: }\n";
  const Function function = parse_body(std::string(block) + block + "ret;");
  CHECK(instructions(function) ==
        Lines{"@%p1 bra sym(DONE)", "bra sym(WAIT)", "@%p1 bra sym(DONE$2)", "bra sym(WAIT$2)", "ret"});
  CHECK(function.labels ==
        std::unordered_map<std::string_view, uint32_t>{{"WAIT", 0}, {"DONE", 2}, {"WAIT$2", 2}, {"DONE$2", 4}});
}

TEST_CASE("a branch out of a scope finds a label that comes later") {
  const Function function = parse_body("{ OUT: bra OUT; } { bra OUT; } OUT: ret;");
  CHECK(instructions(function) == Lines{"bra sym(OUT$2)", "bra sym(OUT)", "ret"});
  CHECK(function.labels.at("OUT") == 2);
  CHECK(function.labels.at("OUT$2") == 0);
}

TEST_CASE("register ranges are renamed as a whole") {
  const Function function = parse_body(R"(
    .reg .b32 %t<12>;
    mov.b32 %t11, 0;
    { .reg .b32 t<3>, %t<2>; mov.b32 t2, %t1; mov.b32 t3, %t11; { .reg .b32 t2; mov.b32 t2, t1; } })");
  CHECK(instructions(function) == Lines{"mov.b32 reg(%t11) int(0)", "mov.b32 reg(%t$1_2) reg(%t$2_1)",
                                        "mov.b32 sym(t3) reg(%t11)", "mov.b32 reg(%t2$1) reg(%t$1_1)"});
  CHECK(function.registers.at(0).count == 12);
  CHECK(function.registers.at(1).name == "%t$1_");
  CHECK(function.registers.at(1).count == 3);
  CHECK(function.registers.at(2).name == "%t$2_");
}

TEST_CASE("a local name does not hide a variable of the module outside its scope") {
  const Module module = parse_module(R"(.global .u32 x;
    .entry k() { { .local .u32 x; st.local.u32 [x], 1; } st.global.u32 [x], 2; ret; })");
  const Function& function = module.functions.at(0);
  CHECK(instructions(function) ==
        Lines{"st.local.u32 mem(x$2) int(1)", "st.global.u32 mem(x) int(2)", "ret"});
}

TEST_CASE("no two names of a function are the same however often a block repeats") {
  std::string body;
  for (int i = 0; i < 300; ++i)
    body += "{ .reg .pred p; .param .b32 param0; .param .b32 param0$2; L: @p bra L; }\n";
  const Function function = parse_body(body);
  std::set<std::string> names;
  for (const RegisterDeclaration& declaration : function.registers)
    names.insert(std::string(declaration.name));
  for (const Variable& variable : function.variables)
    names.insert(variable.name);
  for (const auto& [label, index] : function.labels)
    names.insert(std::string(label));
  CHECK(names.size() == 4 * 300);
}

TEST_CASE("targets and prototypes are tables, not labels of code") {
  const Function function = parse_body(R"(
    $L_table: .branchtargets $L1, $L2;
    prototype_7 : .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) .noreturn;
    fs: .calltargets f, g;
    $L1: brx.idx %r1, $L_table;
    $L2: ret;)");
  CHECK(function.labels == std::unordered_map<std::string_view, uint32_t>{{"$L1", 0}, {"$L2", 1}});
  CHECK(function.branch_targets.at("$L_table") == Names{"$L1", "$L2"});
  CHECK(function.call_targets.at("fs") == Names{"f", "g"});
  const Function::Prototype& prototype = function.prototypes.at("prototype_7");
  CHECK(prototype.no_return);
  REQUIRE(prototype.results.size() == 1);
  REQUIRE(prototype.parameters.size() == 2);
  CHECK(prototype.parameters[1].element_count == 16);
  CHECK(prototype.parameters[1].alignment == 8);
}

TEST_CASE("a register is a member of one range only") {
  const Function function =
      parse_body(".reg .b32 %r<30>, %r1<3>; .reg .b32 %r; mov.b32 %r12, %r29; mov.b32 %r, 1;");
  std::set<std::string> names;
  for (const RegisterDeclaration& declaration : function.registers)
    names.insert(std::string(declaration.name));
  CHECK(names == std::set<std::string>{"%r", "%r1$2_", "%r$2"});
  CHECK(instructions(function)[1] == "mov.b32 reg(%r$2) int(1)");
}
