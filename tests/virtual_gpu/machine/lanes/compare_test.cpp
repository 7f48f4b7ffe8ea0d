#include <string>

#include "tests/virtual_gpu/machine/lanes/cases.h"

using namespace ridge::machine;

TEST_CASE("float comparisons with NaN are false, except the unordered ones") {
  const struct {
    const char* name;
    bool less, equal, greater, unordered;
  } comparisons[] = {
      {"eq", 0, 1, 0, 0},  {"ne", 1, 0, 1, 0},  {"lt", 1, 0, 0, 0},  {"le", 1, 1, 0, 0},  {"gt", 0, 0, 1, 0},
      {"ge", 0, 1, 1, 0},  {"equ", 0, 1, 0, 1}, {"neu", 1, 0, 1, 1}, {"ltu", 1, 0, 0, 1}, {"leu", 1, 1, 0, 1},
      {"gtu", 0, 0, 1, 1}, {"geu", 0, 1, 1, 1}, {"num", 1, 1, 1, 0}, {"nan", 0, 0, 0, 1},
  };
  const struct {
    const char* type;
    uint64_t one, two, nan;
  } types[] = {{".f32", bits(1.0f), bits(2.0f), 0xffc00000},
               {".ftz.f32", bits(1.0f), bits(2.0f), 0x7f800001},
               {".f64", bits(1.0), bits(2.0), kNanF64},
               {".f16", 0x3c00, 0x4000, 0x7e00},
               {".bf16", 0x3f80, 0x4000, 0x7fc0}};
  for (const InstructionSet* set : supported_sets())
    for (const auto& comparison : comparisons)
      for (const auto& type : types) {
        const std::string opcode = std::string("setp.") + comparison.name + type.type;
        INFO(opcode << " on " << set->name);
        const LaneOp* op = lane_table(*set).find(opcode);
        REQUIRE(op != nullptr);
        const auto check = [&](uint64_t a, uint64_t b, bool expected) {
          const Outcome got = run(*op, {a, b});
          CHECK(got.dst == expected);
          CHECK(got.dst2 == !expected);  // q is the opposite
        };
        check(type.one, type.two, comparison.less);
        check(type.two, type.two, comparison.equal);
        check(type.two, type.one, comparison.greater);
        check(type.nan, type.one, comparison.unordered);
        check(type.one, type.nan, comparison.unordered);
        check(type.nan, type.nan, comparison.unordered);
      }
}

TEST_CASE("integer comparisons mind the sign") {
  check_cases({
      {"setp.lt.s32", {0xffffffff, 0}, 1},
      {"setp.lt.u32", {0xffffffff, 0}, 0},
      {"setp.lo.u32", {0, 0xffffffff}, 1},
      {"setp.ls.u32", {5, 5}, 1},
      {"setp.hi.u64", {~0ull, 0}, 1},
      {"setp.hs.u16", {0xffff, 1}, 1},
      {"setp.ge.s64", {1ull << 63, 0}, 0},
      {"setp.ne.b64", {1ull << 32, 0}, 1},
      {"setp.eq.b16", {0x10001, 1}, 1},
      {"setp.gt.s16", {0x7fff, 0x8000}, 1},
      {"setp.le.s32", {0x80000000, 0}, 1},
  });
}

TEST_CASE("setp joins its result, and for q the opposite, with a third predicate") {
  const struct {
    const char* opcode;
    bool less, c, p, q;
  } rows[] = {
      {"setp.lt.and.s32", 1, 1, 1, 0}, {"setp.lt.and.s32", 1, 0, 0, 0},  {"setp.lt.and.s32", 0, 1, 0, 1},
      {"setp.lt.or.s32", 0, 0, 0, 1},  {"setp.lt.or.s32", 0, 1, 1, 1},   {"setp.lt.xor.s32", 1, 1, 0, 1},
      {"setp.lt.xor.s32", 0, 1, 1, 0}, {"setp.geu.and.f32", 0, 1, 1, 0},
  };
  for (const InstructionSet* set : supported_sets())
    for (const auto& row : rows) {
      INFO(row.opcode << " less " << row.less << " c " << row.c << " on " << set->name);
      const LaneOp* op = lane_table(*set).find(row.opcode);
      REQUIRE(op != nullptr);
      const Outcome got = run(*op, {row.less ? 1u : 2u, 2u, row.c});
      CHECK(got.dst == row.p);
      CHECK(got.dst2 == row.q);
    }
}

TEST_CASE("setp without a second destination leaves the carry alone") {
  for (const char* opcode : {"setp.lt.s32", "setp.lt.and.s32", "setp.lt.f16x2"}) {
    const LaneOp* op = find_lane_op(opcode);
    REQUIRE(op != nullptr);
    for (LaneFunction function : {op->full, op->masked}) {
      LaneFile file;
      file.mask(kCarryRow) = 0x12345678;
      LaneOperands operands = LaneFile::operands();
      operands.dst2 = 0;
      function(file.bytes.data(), operands, 0xffff);
      CHECK(file.mask(kCarryRow) == 0x12345678);
    }
  }
}

TEST_CASE("packed comparisons give the low halves to p and the high halves to q") {
  const Outcome got = run(*find_lane_op("setp.lt.f16x2"), {0x40003c00, 0x3c004000});
  CHECK(got.dst == 1);
  CHECK(got.dst2 == 0);
}

TEST_CASE("set returns the true value of its type") {
  check_cases({
      {"set.lt.u32.s32", {1, 2}, 0xffffffff},
      {"set.lt.f32.s32", {1, 2}, bits(1.0f)},
      {"set.gt.f32.f32", {bits(1.0f), bits(2.0f)}, 0},
      {"set.eq.f16.f16", {0x3c00, 0x3c00}, 0x3c00},
      {"set.eq.bf16.bf16", {0x3f80, 0x3f80}, 0x3f80},
      {"set.nan.u32.f64", {kNanF64, 0}, 0xffffffff},
      {"set.lt.and.s32.u32", {1, 2, 0}, 0},
      {"set.lt.f16x2.f16x2", {0x3c003c00, 0x40003c00}, 0x3c000000},
      {"set.lt.u32.f16x2", {0x3c003c00, 0x40003c00}, 0xffff0000},
  });
}
