#include <cstdlib>
#include <string>

#include "tests/virtual_gpu/machine/lanes/cases.h"

using namespace ridge::machine;

TEST_CASE("everything nvcc emits that is arithmetic has its lane operation") {
  // From twelve probe programs that span the course, compiled by nvcc 13.0.
  const char* opcodes[] = {"abs.f16",
                           "abs.f32",
                           "abs.s32",
                           "add.bf16",
                           "add.f16",
                           "add.f32",
                           "add.f64",
                           "add.rn.f32",
                           "add.rn.f64",
                           "add.s32",
                           "add.s64",
                           "add.u64",
                           "and.b32",
                           "and.b64",
                           "and.pred",
                           "bfi.b32",
                           "bfi.b64",
                           "bfind.shiftamt.u32",
                           "brev.b32",
                           "clz.b32",
                           "copysign.f32",
                           "cvt.f32.bf16",
                           "cvt.f32.f16",
                           "cvt.f64.f32",
                           "cvt.rmi.f32.f32",
                           "cvt.rn.bf16.f32",
                           "cvt.rn.bf16x2.f32",
                           "cvt.rn.f16.f32",
                           "cvt.rn.f16x2.e4m3x2",
                           "cvt.rn.f32.f64",
                           "cvt.rn.f32.s32",
                           "cvt.rn.f32.u32",
                           "cvt.rn.f64.s64",
                           "cvt.rn.satfinite.e4m3x2.f32",
                           "cvt.rn.satfinite.e5m2x2.f32",
                           "cvt.rna.tf32.f32",
                           "cvt.rni.f32.f32",
                           "cvt.rni.s32.f32",
                           "cvt.rzi.f32.f32",
                           "cvt.rzi.s32.f32",
                           "cvt.rzi.s64.f64",
                           "cvt.s64.s32",
                           "cvt.sat.f32.f32",
                           "cvt.u16.u32",
                           "cvt.u32.u64",
                           "cvt.u64.u32",
                           "div.approx.f32",
                           "div.rn.f32",
                           "div.rn.f64",
                           "div.s32",
                           "div.s64",
                           "div.u32",
                           "dp4a.s32.s32",
                           "ex2.approx.f32",
                           "ex2.approx.ftz.f32",
                           "fma.rm.f32",
                           "fma.rn.bf16",
                           "fma.rn.bf16x2",
                           "fma.rn.f16",
                           "fma.rn.f16x2",
                           "fma.rn.f32",
                           "fma.rn.f64",
                           "fma.rz.f32",
                           "lg2.approx.f32",
                           "mad.lo.s32",
                           "mad.wide.u32",
                           "max.f16",
                           "min.f32",
                           "min.s32",
                           "min.u32",
                           "mov.b16",
                           "mov.b32",
                           "mov.b64",
                           "mov.f32",
                           "mov.f64",
                           "mov.u16",
                           "mov.u32",
                           "mov.u64",
                           "mul.bf16",
                           "mul.f16x2",
                           "mul.f32",
                           "mul.f64",
                           "mul.hi.s32",
                           "mul.hi.s64",
                           "mul.lo.s32",
                           "mul.lo.s64",
                           "mul.rn.f32",
                           "mul.wide.s32",
                           "mul.wide.u16",
                           "mul.wide.u32",
                           "neg.f32",
                           "neg.s32",
                           "not.b32",
                           "not.pred",
                           "or.b32",
                           "or.b64",
                           "or.pred",
                           "popc.b32",
                           "popc.b64",
                           "prmt.b32",
                           "rcp.approx.ftz.f32",
                           "rcp.rn.f32",
                           "rsqrt.approx.f32",
                           "sad.s32",
                           "selp.b32",
                           "selp.f32",
                           "selp.f64",
                           "selp.u16",
                           "selp.u32",
                           "set.eq.f16.f16",
                           "setp.eq.f32",
                           "setp.eq.s16",
                           "setp.eq.s32",
                           "setp.eq.s64",
                           "setp.ge.f32",
                           "setp.ge.s32",
                           "setp.ge.u32",
                           "setp.ge.u64",
                           "setp.geu.f32",
                           "setp.gt.f16",
                           "setp.gt.f32",
                           "setp.gt.s32",
                           "setp.gt.u32",
                           "setp.gtu.f32",
                           "setp.lt.f16",
                           "setp.lt.f32",
                           "setp.lt.f64",
                           "setp.lt.s32",
                           "setp.lt.s64",
                           "setp.lt.u32",
                           "setp.lt.u64",
                           "setp.ltu.f32",
                           "setp.ne.b32",
                           "setp.ne.s32",
                           "setp.ne.s64",
                           "shf.l.wrap.b32",
                           "shl.b32",
                           "shl.b64",
                           "shr.s32",
                           "shr.s64",
                           "shr.u32",
                           "shr.u64",
                           "sin.approx.f32",
                           "sqrt.approx.ftz.f32",
                           "sqrt.rn.f32",
                           "sqrt.rn.f64",
                           "sub.f16x2",
                           "sub.f32",
                           "sub.s32",
                           "sub.s64",
                           "xor.b32"};
  for (const char* opcode : opcodes) {
    INFO(opcode);
    REQUIRE(find_lane_op(opcode) != nullptr);
    CHECK(find_lane_op(opcode)->opcode == opcode);
  }
}

TEST_CASE("the modifiers of an opcode may be in any order, its types may not") {
  CHECK(find_lane_op("lg2.approx.f32.ftz") == find_lane_op("lg2.approx.ftz.f32"));
  CHECK(find_lane_op("add.f32.rn") == find_lane_op("add.rn.f32"));
  CHECK(find_lane_op("setp.f32.lt") == find_lane_op("setp.lt.f32"));
  CHECK(find_lane_op("cvt.f32.f64.rn") == find_lane_op("cvt.rn.f32.f64"));
  CHECK(find_lane_op("cvt.f64.f32.rn") != find_lane_op("cvt.rn.f32.f64"));
}

TEST_CASE("what is not arithmetic, or not PTX, is not found") {
  for (const char* opcode : {"", "ld.global.f32", "bra", "add", "add.s32 ", "shfl.sync.idx.b32", "fma.f32"})
    CHECK(find_lane_op(opcode) == nullptr);
}

TEST_CASE("an operation says what its operands are") {
  const LaneOp* op = find_lane_op("mad.wide.s32");
  CHECK(op->dst == RowType::b64);
  CHECK(op->a == RowType::b32);
  CHECK(op->c == RowType::b64);
  CHECK(op->d == RowType::none);
  CHECK(find_lane_op("setp.lt.and.f64")->dst2 == RowType::pred);
  CHECK(find_lane_op("setp.lt.and.f64")->a == RowType::b64);
  CHECK(find_lane_op("setp.lt.and.f64")->c == RowType::pred);
  CHECK(find_lane_op("shl.b64")->b == RowType::b32);
  CHECK(find_lane_op("addc.cc.u64")->c == RowType::none);
  CHECK(find_lane_op("addc.cc.u64")->dst2 == RowType::none);
}

TEST_CASE("the instruction set is the best this machine has, unless RIDGE_ISA names another") {
  const char* wanted = std::getenv("RIDGE_ISA");
  const InstructionSet* expected = supported_sets().front();
  for (const InstructionSet* set : supported_sets())
    if (wanted && std::string(wanted) == set->short_name) expected = set;
  CHECK(lane_instruction_set() == expected->name);
  CHECK(find_lane_op("add.s32")->full == lane_table(*expected).find("add.s32")->full);
}

TEST_CASE("an opcode cannot be in the table twice") {
  LaneTable table;
  table.add({"add", ".x"}, nullptr, nullptr, {});
  CHECK_THROWS_WITH(table.add({"add.", "x"}, nullptr, nullptr, {}), Catch::Contains("add.x"));
}

TEST_CASE("a table grows past its expected size and still finds everything") {
  LaneTable table;
  const auto name = [](int i) { return "op" + std::to_string(i); };
  for (int i = 0; i < 20000; ++i)
    table.add({name(i).c_str()}, nullptr, nullptr, {});
  table.seal();
  for (int i = 0; i < 20000; i += 7) {
    REQUIRE(table.find(name(i)) != nullptr);
    CHECK(table.find(name(i))->opcode == name(i));
  }
  CHECK(table.find("op20000") == nullptr);
}
