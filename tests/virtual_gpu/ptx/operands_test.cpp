#include "tests/catch.h"
#include "tests/virtual_gpu/ptx/render.h"

using namespace ridge::ptx;

namespace {

struct Row {
  const char* text;
  const char* tree;
};

void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Function function = parse_body(row.text);
    REQUIRE(function.instructions.size() == 1);
    CHECK(render(function.instructions[0]) == row.tree);
  }
}

}  // namespace

TEST_CASE("an instruction keeps its opcode, its guard and every kind of operand") {
  check({
      {"ret;", "ret"},
      {"add.s32 %r1, %r2, -1;", "add.s32 reg(%r1) reg(%r2) int(-1)"},
      {"@%p1 bra $L__BB0_2;", "@%p1 bra sym($L__BB0_2)"},
      {"@!%p1 bra.uni L;", "@!%p1 bra.uni sym(L)"},
      {"mov.u32 %r1, %tid.x;", "mov.u32 reg(%r1) reg(%tid.x .x)"},
      {"mov.u32 %r1, %v3.w;", "mov.u32 reg(%r1) reg(%v3.w .w)"},
      {"mov.u32 %r1, %envreg3;", "mov.u32 reg(%r1) reg(%envreg3)"},
      {"mov.u64 %rd1, table;", "mov.u64 reg(%rd1) sym(table)"},
      {"mov.u64 %rd1, table+16;", "mov.u64 reg(%rd1) sym(table+16)"},
      {"mov.u64 %rd1, generic(table)+8;", "mov.u64 reg(%rd1) generic(table+8)"},
      {"ld.param.u64 %rd1, [k_param_0+0];", "ld.param.u64 reg(%rd1) mem(k_param_0)"},
      {"ld.global.nc.v4.f32 {%f1, %f2, _, %f4}, [%rd1+-16];",
       "ld.global.nc.v4.f32 vec(reg(%f1) reg(%f2) _ reg(%f4)) mem(%rd1-16)"},
      {"ld.shared.u32 %r1, [128];", "ld.shared.u32 reg(%r1) mem(+128)"},
      {"ld.shared.u32 %r1, [tile+4*8-2];", "ld.shared.u32 reg(%r1) mem(tile+30)"},
      {"ld.const.f32 %f1, [c].unified;", "ld.const.f32 reg(%f1) mem(c)"},
      {"fma.rn.f32 %f1, %f2, 0f3F8CCCCD, 1.5;",
       "fma.rn.f32 reg(%f1) reg(%f2) f32(3f8ccccd) f64(1.5)"},
      {"add.f64 %fd1, %fd2, 0dBFF0000000000000;", "add.f64 reg(%fd1) reg(%fd2) f64(-1)"},
      {"mov.f32 %f1, -0f3F800000;", "mov.f32 reg(%f1) f32(bf800000)"},
      {"setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;",
       "setp.lt.and.s32 pair(reg(%p1) reg(%p2)) reg(%r1) reg(%r2) reg(!%p3)"},
      {"elect.sync _|%p1, 0xffffffff;", "elect.sync pair(_ reg(%p1)) int(4294967295)"},
      {"shfl.sync.down.b32 %r1|%p1, %r2, 16, WARP_SZ-1, -1;",
       "shfl.sync.down.b32 pair(reg(%r1) reg(%p1)) reg(%r2) int(16) int(31) int(-1)"},
      {"tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%rd1, {%f2, %f3}];",
       "tex.2d.v4.f32.f32 vec(reg(%f4) reg(%f5) reg(%f6) reg(%f7)) mem(%rd1 | vec(reg(%f2) reg(%f3)))"},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r8], [%rd30, {%r4, "
       "0}], [%r6+8];",
       "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes mem(%r8) "
       "mem(%rd30 | vec(reg(%r4) int(0))) mem(%r6+8)"},
      {"ld.global.L2::128B.f32 %f1, [%rd1];", "ld.global.L2::128B.f32 reg(%f1) mem(%rd1)"},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2}, %rd1, %rd2, p, 1, 1, 0, 0;",
       "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 vec(reg(%f1) reg(%f2)) reg(%rd1) reg(%rd2) sym(p) "
       "int(1) int(1) "
       "int(0) int(0)"},
      {"vmad.s32.s32.u32 %r1, %r2.h0, -%r3.b3, %r4;",
       "vmad.s32.s32.u32 reg(%r1) reg(%r2 .h0) reg(!%r3 .b3) reg(%r4)"},
      {"ld .global .f32 %f1, [ %rd1 + 4 ];", "ld.global.f32 reg(%f1) mem(%rd1+4)"},
  });
}

TEST_CASE("a call has results, target, arguments and prototype in fixed places") {
  check({
      {"call.uni (retval0),\n_Z3recfi,\n(\nparam0,\nparam1\n);",
       "call.uni vec(sym(retval0)) sym(_Z3recfi) vec(sym(param0) sym(param1))"},
      {"call.uni\n__assertfail,\n(\nparam0\n);",
       "call.uni vec() sym(__assertfail) vec(sym(param0))"},
      {"call f;", "call vec() sym(f) vec()"},
      {"call (r), %rd29, (param0), prototype_7;",
       "call vec(sym(r)) reg(%rd29) vec(sym(param0)) sym(prototype_7)"},
      {"call %rd29, prototype_7;", "call vec() reg(%rd29) vec() sym(prototype_7)"},
  });
}

TEST_CASE("constant expressions follow C's precedence in 64 bits") {
  struct Case {
    const char* text;
    int64_t value;
  };
  const Case cases[] = {{"0x1F", 31},
                        {"0XFFU", 255},
                        {"017", 15},
                        {"0b101", 5},
                        {"0", 0},
                        {"(1+2)*3", 9},
                        {"1+2*3", 7},
                        {"-7/2", -3},
                        {"-7%3", -1},
                        {"7 % 3", 1},
                        {"1<<4|1", 17},
                        {"~0", -1},
                        {"!5", 0},
                        {"2 > 1 ? 10 : 20", 10},
                        {"0 ? 1 : 0 ? 2 : 3", 3},
                        {"-1 >> 1", -1},
                        {"(.u64)-1 >> 63", 1},
                        {"1 == 1 && 2 != 2", 0},
                        {"-1 < 0U", 0},
                        {"1 << 64", 0},
                        {"18446744073709551615", -1},
                        {"(-9223372036854775807-1)/-1", INT64_MIN},
                        {"6^3", 5},
                        {"WARP_SZ*2", 64}};
  for (const Case& row : cases) {
    CAPTURE(row.text);
    const Function function = parse_body(fmt::format("mov.u64 %rd1, {};", row.text));
    const Operand& value = function.instructions.at(0).operands[1];
    REQUIRE(value.kind == Operand::Kind::integer);
    CHECK(value.integer == row.value);
  }
}

TEST_CASE("a NaN literal keeps its payload in the integer") {
  const Function function =
      parse_body("mov.f32 %f1, 0f7FC01234; mov.f64 %fd1, 0d7FF8000000000001;");
  CHECK(function.instructions[0].operands[1].integer == 0x7FC01234);
  CHECK(function.instructions[1].operands[1].integer == 0x7FF8000000000001);
}
