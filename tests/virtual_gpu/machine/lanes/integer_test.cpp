#include "tests/virtual_gpu/machine/lanes/cases.h"

using namespace ridge::machine;

TEST_CASE("integer addition and multiplication wrap") {
  check_cases({
      {"add.s32", {0x7fffffff, 1}, 0x80000000},
      {"add.u64", {~0ull, 2}, 1},
      {"add.u16", {0xffff, 2}, 1},
      {"add.s16", {0x7fff, 1}, 0x8000},
      {"sub.u32", {0, 1}, 0xffffffff},
      {"add.sat.s32", {0x7fffffff, 1}, 0x7fffffff},
      {"add.sat.s32", {0x80000000, 0xffffffff}, 0x80000000},
      {"sub.sat.s32", {0x80000000, 1}, 0x80000000},
      {"mul.lo.s32", {0x80000000, 0xffffffff}, 0x80000000},
      {"mul.lo.u16", {0xffff, 0xffff}, 1},
      {"mul.hi.s32", {0xffffffff, 0xffffffff}, 0},
      {"mul.hi.u32", {0xffffffff, 0xffffffff}, 0xfffffffe},
      {"mul.hi.s64", {~0ull, 5}, ~0ull},
      {"mul.hi.u64", {~0ull, ~0ull}, ~0ull - 1},
      {"mul.hi.s16", {0x8000, 2}, 0xffffffff},
      {"mul.wide.s32", {0xffffffff, 3}, static_cast<uint64_t>(-3)},
      {"mul.wide.u32", {0xffffffff, 3}, 0x2fffffffd},
      {"mul.wide.s16", {0xffff, 3}, 0xfffffffd},
      {"mul.wide.u16", {0xffff, 3}, 0x2fffd},
      {"mad.lo.s32", {7, 0xffffffff, 10}, 3},
      {"mad.hi.u32", {0x80000000, 4, 10}, 12},
      {"mad.hi.sat.s32", {0x7fffffff, 0x7fffffff, 0x7fffffff}, 0x7fffffff},
      {"mad.wide.s32", {0xffffffff, 2, 5}, 3},
      {"mul24.lo.u32", {0xff000002, 3}, 6},
      {"mul24.hi.s32", {0x00ffffff, 0x00ffffff}, 0},
      {"mul24.hi.u32", {0x00ffffff, 0x00ffffff}, 0xfffffe00},
      {"mad24.lo.s32", {0x00ffffff, 2, 5}, 3},
      {"sad.s32", {0x80000000, 0x7fffffff, 1}, 0},
      {"sad.u32", {3, 10, 100}, 107},
      {"add.u16x2", {0x0001ffff, 0x00010001}, 0x00020000},
  });
}

TEST_CASE("only the low bits of a row of narrow values are read") {
  check_cases({
      {"add.u16", {0xabcd0001, 0xffff0002}, 3},
      {"setp.eq.s16", {0xabcd0001, 0x00000001}, 1},
      {"setp.lt.s16", {0x0000ffff, 0x00000000}, 1},
      {"cvt.s32.s8", {0xffffff7f}, 0x7f},
      {"cvt.u32.u8", {0xffffffff}, 0xff},
      {"mul.wide.u16", {0xffff0002, 0xffff0003}, 6},
      {"shr.u16", {0xffff8000, 15}, 1},
  });
}

TEST_CASE("division never traps: by zero gives all ones, the lowest number by -1 gives itself") {
  check_cases({
      {"div.s32", {static_cast<uint32_t>(-7), 2}, static_cast<uint32_t>(-3)},
      {"rem.s32", {static_cast<uint32_t>(-7), 2}, static_cast<uint32_t>(-1)},
      {"div.u32", {0xffffffff, 0xffffffff}, 1},
      {"div.u32", {0xfffffffe, 0xffffffff}, 0},
      {"rem.u32", {0xffffffff, 10}, 5},
      {"div.u32", {5, 0}, 0xffffffff},
      {"rem.u32", {5, 0}, 0xffffffff},
      {"div.s32", {5, 0}, 0xffffffff},
      {"div.s32", {0x80000000, 0xffffffff}, 0x80000000},
      {"rem.s32", {0x80000000, 0xffffffff}, 0},
      {"div.u16", {5, 0}, 0xffff},
      {"div.s64", {1ull << 63, ~0ull}, 1ull << 63},
      {"rem.s64", {1ull << 63, ~0ull}, 0},
      {"div.u64", {~0ull, 0}, ~0ull},
      {"div.s64", {static_cast<uint64_t>(-7), 2}, static_cast<uint64_t>(-3)},
      {"rem.u64", {~0ull, 10}, 5},
  });
}

TEST_CASE("signs, minima and maxima of integers") {
  check_cases({
      {"abs.s32", {0x80000000}, 0x80000000},
      {"abs.s32", {0xffffffff}, 1},
      {"neg.s64", {1}, ~0ull},
      {"min.s32", {0xffffffff, 1}, 0xffffffff},
      {"min.u32", {0xffffffff, 1}, 1},
      {"max.s16", {0xffff, 1}, 1},
      {"max.relu.s32", {0xffffffff, 0xfffffffe}, 0},
      {"min.s16x2", {0xffff0005, 0x00010006}, 0xffff0005},
      {"max.u16x2", {0xffff0005, 0x00010006}, 0xffff0006},
  });
}

TEST_CASE("dot products of bytes") {
  check_cases({
      {"dp4a.s32.s32", {0xff020304, 0x01010101, 10}, 18},
      {"dp4a.u32.u32", {0xff020304, 0x01010101, 10}, 274},
      {"dp4a.u32.s32", {0xff000000, 0xff000000, 0}, static_cast<uint32_t>(-255)},
      {"dp2a.lo.s32.s32", {0xffff0002, 0x05060708, 0}, 9},
      {"dp2a.hi.s32.s32", {0xffff0002, 0x05060708, 0}, 7},
      {"dp2a.lo.u32.u32", {0x00010002, 0x05060708, 1}, 24},
  });
}

TEST_CASE("carries run through chains of additions and subtractions") {
  struct Step {
    const char* opcode;
    std::array<uint64_t, 4> in;
    bool carry_in;
    uint64_t expected;
    bool carry_out;
  };
  const Step steps[] = {
      {"add.cc.u32", {0xffffffff, 1}, false, 0, true},
      {"add.cc.u32", {0xfffffffe, 1}, true, 0xffffffff, false},  // add.cc does not read the carry
      {"addc.u32", {1, 2}, true, 4, true},                       // addc leaves the carry as it was
      {"addc.cc.s32", {0xffffffff, 0}, true, 0, true},
      {"addc.cc.u64", {~0ull, ~0ull}, true, ~0ull, true},
      // The carry of a subtraction says that there was no borrow.
      {"sub.cc.u32", {0, 1}, false, 0xffffffff, false},
      {"sub.cc.u32", {1, 1}, false, 0, true},
      {"subc.cc.u32", {5, 5}, false, 0xffffffff, false},
      {"subc.u64", {5, 3}, false, 1, false},
      {"subc.cc.u64", {5, 4}, false, 0, true},
      {"mad.lo.cc.u32", {0xffffffff, 2, 2}, false, 0, true},
      {"madc.hi.u32", {0xffffffff, 2, 5}, true, 7, true},
      {"madc.lo.cc.u64", {1, ~0ull, 0}, true, 0, true},
      {"mad.hi.cc.s32", {0xffffffff, 1, 1}, false, 0, true},
  };
  for (const InstructionSet* set : supported_sets())
    for (const Step& step : steps) {
      INFO(step.opcode << " on " << set->name);
      const LaneOp* op = lane_table(*set).find(step.opcode);
      REQUIRE(op != nullptr);
      const Outcome got = run(*op, step.in, step.carry_in);
      CHECK(got.dst == step.expected);
      CHECK(got.carry == step.carry_out);
    }
}
