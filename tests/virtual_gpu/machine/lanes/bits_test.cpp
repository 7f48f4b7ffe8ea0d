#include "tests/virtual_gpu/machine/lanes/cases.h"

using namespace ridge::machine;

TEST_CASE("shifts by the width or more are not shifts modulo the width") {
  check_cases({
      {"shl.b32", {1, 31}, 0x80000000},
      {"shl.b32", {1, 32}, 0},
      {"shl.b32", {1, 0xffffffff}, 0},
      {"shl.b64", {1, 63}, 1ull << 63},
      {"shl.b64", {1, 64}, 0},
      {"shl.b16", {1, 16}, 0},
      {"shr.u32", {0x80000000, 32}, 0},
      {"shr.s32", {0x80000000, 32}, 0xffffffff},
      {"shr.s32", {0x80000000, 4000000000}, 0xffffffff},
      {"shr.s64", {1ull << 63, 64}, ~0ull},
      {"shr.u64", {1ull << 63, 63}, 1},
      {"shr.b32", {0x80000000, 31}, 1},
      {"shr.s16", {0x8000, 20}, 0xffffffff},
      {"shf.l.wrap.b32", {0x80000001, 0x12345678, 4}, 0x23456788},
      {"shf.l.wrap.b32", {0x80000001, 0x12345678, 36}, 0x23456788},
      {"shf.l.clamp.b32", {0x80000001, 0x12345678, 36}, 0x80000001},
      {"shf.r.wrap.b32", {0x80000001, 0x12345678, 4}, 0x88000000},
      {"shf.r.clamp.b32", {0x80000001, 0x12345678, 99}, 0x12345678},
      {"shf.r.wrap.b32", {0x80000001, 0x12345678, 32}, 0x80000001},
  });
}

TEST_CASE("lop3 with a predicate combines a nonzero result with another predicate") {
  struct Row {
    const char* opcode;
    uint64_t a;
    bool q, wanted;
  };
  const Row rows[] = {{"lop3.or.b32", 4, false, true},   {"lop3.or.b32", 4, true, true},
                      {"lop3.or.b32", 0, false, false},  {"lop3.or.b32", 0, true, true},
                      {"lop3.and.b32", 4, false, false}, {"lop3.and.b32", 4, true, true},
                      {"lop3.and.b32", 0, false, false}, {"lop3.and.b32", 0, true, false}};
  for (const InstructionSet* set : supported_sets())
    for (const Row& row : rows) {
      const LaneOp* op = lane_table(*set).find(row.opcode);
      INFO(row.opcode << " of " << row.a << " with " << row.q << " on " << set->name);
      REQUIRE(op != nullptr);
      // The table 0xf0 is `a`; the row of q is number 0, which run() fills with its `carry`.
      const Outcome outcome = run(*op, {row.a, 0x55, 0x66, 0xf0}, row.q);
      CHECK(outcome.dst == row.a);
      CHECK(outcome.dst2 == (row.wanted ? 1u : 0u));
    }
}

TEST_CASE("logic of bits and lop3 by its truth table") {
  check_cases({
      {"and.b32", {0xf0f0, 0xff00}, 0xf000},
      {"xor.b64", {~0ull, 1}, ~1ull},
      {"not.b16", {0x00ff}, 0xff00},
      {"cnot.b32", {0}, 1},
      {"cnot.b64", {5}, 0},
      {"lop3.b32", {0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x80}, 0x80808080},  // a & b & c
      {"lop3.b32", {0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xfe}, 0xfefefefe},  // a | b | c
      {"lop3.b32", {0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x96}, 0x96969696},  // a ^ b ^ c
      {"lop3.b32", {0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xca}, 0xcacacaca},  // a ? b : c
      {"lop3.b32", {0x12345678, 0x9abcdef0, 0x0f0f0f0f, 0xc0}, 0x12345678 & 0x9abcdef0},
  });
}

TEST_CASE("counts and searches of bits") {
  check_cases({
      {"popc.b32", {0xffffffff}, 32},
      {"popc.b64", {~0ull}, 64},
      {"clz.b32", {0}, 32},
      {"clz.b64", {0}, 64},
      {"clz.b64", {1}, 63},
      {"bfind.u32", {0}, 0xffffffff},
      {"bfind.u32", {0x10000}, 16},
      {"bfind.s32", {0xffffffff}, 0xffffffff},
      {"bfind.s32", {0xfffffffd}, 1},
      {"bfind.shiftamt.u32", {0x10000}, 15},
      {"bfind.shiftamt.s64", {1}, 63},
      {"bfind.shiftamt.u64", {0}, 0xffffffff},
      {"brev.b32", {1}, 0x80000000},
      {"brev.b32", {0x12345678}, 0x1e6a2c48},
      {"brev.b64", {2}, 1ull << 62},
      {"fns.b32", {0b1011, 0, 1}, 0},
      {"fns.b32", {0b1011, 0, 3}, 3},
      {"fns.b32", {0b1011, 0, 4}, 0xffffffff},
      {"fns.b32", {0b1011, 3, static_cast<uint32_t>(-2)}, 1},
      {"fns.b32", {0b1011, 2, 0}, 0xffffffff},
      {"fns.b32", {0b1011, 1, 0}, 1},
  });
}

TEST_CASE("bit fields that reach beyond the top are cut off") {
  check_cases({
      {"bfe.u32", {0xabcdef12, 8, 8}, 0xef},
      {"bfe.s32", {0xabcdef12, 8, 8}, 0xffffffef},
      {"bfe.u32", {0xabcdef12, 0, 32}, 0xabcdef12},
      {"bfe.u32", {0xabcdef12, 24, 20}, 0xab},
      {"bfe.s32", {0xabcdef12, 24, 20}, 0xffffffab},
      {"bfe.s32", {0xabcdef12, 40, 4}, 0xffffffff},
      {"bfe.u32", {0xabcdef12, 40, 4}, 0},
      {"bfe.s32", {0xabcdef12, 8, 0}, 0},
      {"bfe.u32", {0xabcdef12, 0x108, 0x108}, 0xef},
      {"bfe.s64", {1ull << 63, 60, 4}, static_cast<uint64_t>(-8)},
      {"bfe.u64", {~0ull, 0, 255}, ~0ull},
      {"bfi.b32", {0xff, 0, 4, 4}, 0xf0},
      {"bfi.b32", {0xff, 0xffffffff, 28, 8}, 0xffffffff},
      {"bfi.b32", {0, 0xffffffff, 28, 8}, 0x0fffffff},
      {"bfi.b32", {0xff, 7, 32, 4}, 7},
      {"bfi.b32", {0xff, 7, 0, 0}, 7},
      {"bfi.b64", {0xff, 0, 32, 32}, 0xff00000000},
      {"bmsk.wrap.b32", {4, 4}, 0xf0},
      {"bmsk.wrap.b32", {36, 36}, 0xf0},
      {"bmsk.clamp.b32", {4, 40}, 0xfffffff0},
      {"bmsk.clamp.b32", {32, 4}, 0},
      {"bmsk.clamp.b32", {28, 8}, 0xf0000000},
      {"szext.wrap.s32", {0x8, 4}, 0xfffffff8},
      {"szext.wrap.u32", {0xf8, 4}, 0x8},
      {"szext.wrap.u32", {0xf8, 32}, 0},
      {"szext.clamp.s32", {0x80000008, 32}, 0x80000008},
      {"szext.clamp.u32", {0xf8, 0}, 0},
  });
}

TEST_CASE("prmt picks bytes in every mode") {
  constexpr uint64_t kA = 0x83828180, kB = 0x07060504;
  check_cases({
      {"prmt.b32", {kA, kB, 0x7654}, kB},
      {"prmt.b32", {kA, kB, 0x0123}, 0x80818283},
      {"prmt.b32", {kA, kB, 0xc8fb}, 0x00ff00ff},  // the sign of bytes 4, 0, 7, 3
      {"prmt.b32.f4e", {kA, kB, 1}, 0x04838281},
      {"prmt.b32.b4e", {kA, kB, 1}, 0x06078081},
      {"prmt.b32.rc8", {kA, kB, 2}, 0x82828282},
      {"prmt.b32.ecl", {kA, kB, 1}, 0x83828181},
      {"prmt.b32.ecr", {kA, kB, 1}, 0x81818180},
      {"prmt.b32.rc16", {kA, kB, 1}, 0x83828382},
  });
}

TEST_CASE("moves, selections and packing") {
  check_cases({
      {"mov.u16", {0x1234}, 0x1234},
      {"mov.f64", {bits(1.5)}, bits(1.5)},
      {"mov.pred", {1}, 1},
      {"not.pred", {1}, 0},
      {"xor.pred", {1, 0}, 1},
      {"selp.f32", {1, 2, 1}, 1},
      {"selp.b64", {1, 2, 0}, 2},
      {"slct.u32.s32", {1, 2, 0xffffffff}, 2},
      {"slct.u32.f32", {1, 2, kMinusZeroF32}, 1},
      {"slct.f64.f32", {1, 2, kNanF32}, 2},
      {"slct.u32.f32", {1, 2, 0x80000001}, 2},
      {"slct.ftz.u32.f32", {1, 2, 0x80000001}, 1},
      {"pack.b32.b16x2", {0xffff1234, 0x5678}, 0x56781234},
      {"pack.b64.b32x2", {0x12345678, 0x9abcdef0}, 0x9abcdef012345678},
      {"pack.b64.b16x4", {1, 2, 3, 0xffff0004}, 0x0004000300020001},
      {"pack.b32.b8x4", {1, 2, 3, 0x104}, 0x04030201},
      {"unpack.b16x2.b32.1", {0x56781234}, 0x5678},
      {"unpack.b32x2.b64.0", {0x9abcdef012345678}, 0x12345678},
      {"unpack.b16x4.b64.3", {0x0004000300020001}, 4},
      {"unpack.b8x4.b32.2", {0x04030201}, 3},
  });
  const Outcome halves = run(*find_lane_op("unpack.b32x2.b64"), {0x9abcdef012345678});
  CHECK(halves.dst == 0x12345678);
  CHECK(halves.dst2 == 0x9abcdef0);
}
