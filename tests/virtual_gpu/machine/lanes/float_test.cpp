#include <cmath>

#include "tests/virtual_gpu/machine/lanes/cases.h"

using namespace ridge::machine;

TEST_CASE("f32 and f64 arithmetic is IEEE, with the GPU's one NaN") {
  check_cases({
      {"add.f32", {bits(1.0f), bits(2.0f)}, bits(3.0f)},
      {"add.rn.f32", {kInfinityF32, 0xff800000}, kNanF32},
      {"add.f32", {0xffc12345, bits(1.0f)}, kNanF32},
      {"mul.f64", {bits(INFINITY * 1.0), 0}, kNanF64},
      {"fma.rn.f32", {bits(1 + 0x1p-12f), bits(1 + 0x1p-12f), bits(-1 - 0x1p-11f)}, bits(0x1p-24f)},
      {"fma.rn.f64", {bits(1 + 0x1p-30), bits(1 + 0x1p-30), bits(-1 - 0x1p-29)}, bits(0x1p-60)},
      {"div.rn.f32", {bits(1.0f), bits(3.0f)}, bits(1.0f / 3.0f)},
      {"div.rn.f32", {bits(-1.0f), 0}, 0xff800000},
      {"rcp.rn.f64", {bits(3.0)}, bits(1.0 / 3.0)},
      {"sqrt.rn.f32", {bits(2.0f)}, bits(std::sqrt(2.0f))},
      {"sqrt.rn.f32", {bits(-2.0f)}, kNanF32},
      {"sqrt.rn.f64", {bits(-0.0)}, bits(-0.0)},
      {"abs.f32", {0x80000000}, 0},
      {"neg.f32", {0}, 0x80000000},
      {"copysign.f32", {bits(-2.0f), bits(3.0f)}, bits(-3.0f)},
      {"add.f32x2",
       {bits(1.0f) | bits(2.0f) << 32, bits(1.0f) | bits(1.0f) << 32},
       bits(2.0f) | bits(3.0f) << 32},
  });
}

TEST_CASE("subnormals live without .ftz and become zeros of their sign with it") {
  check_cases({
      {"add.f32", {1, 1}, 2},
      {"add.ftz.f32", {1, 1}, 0},
      {"add.ftz.f32", {0x80000001, 0x80000001}, 0x80000000},
      {"mul.f32", {0x00800000, bits(0.5f)}, 0x00400000},
      {"mul.ftz.f32", {0x80800000, bits(0.5f)}, 0x80000000},
      {"fma.rn.f32", {1, bits(1.0f), 0}, 1},
      {"fma.rn.ftz.f32", {1, bits(1.0f), 0}, 0},
      {"abs.ftz.f32", {0x80000001}, 0},
      {"setp.gt.f32", {1, 0}, 1},
      {"setp.gt.ftz.f32", {1, 0}, 0},
      {"add.f16", {1, 1}, 2},
      {"add.ftz.f16", {1, 1}, 0},
      {"cvt.f64.f32", {1}, bits(0x1p-149)},
      {"cvt.ftz.f64.f32", {1}, 0},
      {"cvt.rn.ftz.f32.f64", {bits(-0x1p-130)}, 0x80000000},
  });
}

TEST_CASE("saturation clamps to [0, 1] and sends NaN to +0") {
  check_cases({
      {"add.sat.f32", {bits(1.0f), bits(1.0f)}, bits(1.0f)},
      {"add.sat.f32", {bits(-1.0f), bits(0.5f)}, 0},
      {"add.ftz.sat.f32", {kNanF32, 0}, 0},
      {"fma.rn.sat.f32", {bits(0.5f), bits(0.5f), 0}, bits(0.25f)},
      {"cvt.sat.f32.f32", {kMinusZeroF32}, 0},
      {"mul.rn.sat.f16", {0x4000, 0x4000}, 0x3c00},
      {"fma.rn.relu.f16", {0x3c00, 0xbc00, 0}, 0},
  });
}

TEST_CASE("directed rounding is exact in each direction") {
  const uint64_t third = bits(1.0f / 3.0f);  // rounded up: 0x3eaaaaab
  check_cases({
      {"div.rz.f32", {bits(1.0f), bits(3.0f)}, third - 1},
      {"div.rm.f32", {bits(-1.0f), bits(3.0f)}, (third) | 0x80000000},
      {"div.rp.f32", {bits(-1.0f), bits(3.0f)}, (third - 1) | 0x80000000},
      {"add.rp.f32", {bits(1.0f), bits(0x1p-60f)}, bits(1.0f) + 1},
      {"add.rm.f32", {bits(1.0f), bits(-0x1p-60f)}, bits(1.0f) - 1},
      {"add.rz.f32", {bits(1.0f), bits(-0x1p-60f)}, bits(1.0f) - 1},
      {"add.rm.f32", {bits(1.0f), bits(-1.0f)}, kMinusZeroF32},
      {"add.rp.f64", {bits(1.0), bits(0x1p-200)}, bits(1.0) + 1},
      {"mul.rz.f32", {bits(0x1.fffffep127f), bits(2.0f)}, bits(0x1.fffffep127f)},
      {"fma.rm.f32", {bits(1 + 0x1p-23f), bits(1 + 0x1p-23f), 0}, bits(1 + 0x1p-22f)},
      {"fma.rp.f32", {bits(1 + 0x1p-23f), bits(1 + 0x1p-23f), 0}, bits(1 + 0x1p-22f) + 1},
      {"fma.rp.f64", {bits(1.0), bits(1.0), bits(0x1p-100)}, bits(1.0) + 1},
      {"sqrt.rp.f32", {bits(2.0f)}, 0x3fb504f4},
      {"sqrt.rm.f32", {bits(2.0f)}, 0x3fb504f3},
      {"rcp.rz.f32", {bits(3.0f)}, third - 1},
      {"add.rn.f32", {bits(1.0f), bits(0x1p-60f)}, bits(1.0f)},  // and the mode is put back afterwards
  });
}

TEST_CASE("min and max know signed zeros and prefer a number to NaN unless .NaN") {
  check_cases({
      {"min.f32", {0, kMinusZeroF32}, kMinusZeroF32},
      {"min.f32", {kMinusZeroF32, 0}, kMinusZeroF32},
      {"max.f32", {kMinusZeroF32, 0}, 0},
      {"max.f64", {bits(-0.0), 0}, 0},
      {"min.f32", {0x7fc00001, bits(1.0f)}, bits(1.0f)},
      {"max.f32", {bits(1.0f), 0xffc00001}, bits(1.0f)},
      {"min.f32", {0x7fc00001, 0xffc00001}, kNanF32},
      {"max.NaN.f32", {bits(1.0f), 0xffc00001}, kNanF32},
      {"min.xorsign.abs.f32", {bits(-3.0f), bits(2.0f)}, bits(-2.0f)},
      {"max.xorsign.abs.f32", {bits(-3.0f), bits(-2.0f)}, bits(3.0f)},
      {"min3.f32", {bits(3.0f), kNanF32, bits(-2.0f)}, bits(-2.0f)},
      {"max.f16", {0x8000, 0x0000}, 0},
      {"max.f16x2", {0x3c007e00, 0x40003c00}, 0x40003c00},
      {"min.NaN.bf16", {0x7fc0, 0x3f80}, 0x7fff},
  });
}

TEST_CASE("testp classifies") {
  check_cases({
      {"testp.finite.f32", {bits(1.0f)}, 1},
      {"testp.finite.f32", {kInfinityF32}, 0},
      {"testp.infinite.f32", {0xff800000}, 1},
      {"testp.infinite.f32", {kNanF32}, 0},
      {"testp.notanumber.f64", {kNanF64}, 1},
      {"testp.number.f64", {bits(1.0)}, 1},
      {"testp.normal.f32", {1}, 0},
      {"testp.normal.f32", {0x00800000}, 1},
      {"testp.subnormal.f32", {0x80000001}, 1},
      {"testp.subnormal.f32", {0}, 0},
      {"testp.subnormal.f64", {1}, 1},
  });
}

TEST_CASE("approximate functions have the exact special values") {
  check_cases({
      {"ex2.approx.f32", {bits(10.0f)}, bits(1024.0f)},
      {"ex2.approx.f32", {bits(-149.0f)}, 1},
      {"ex2.approx.ftz.f32", {bits(-149.0f)}, 0},
      {"ex2.approx.f32", {kInfinityF32}, kInfinityF32},
      {"ex2.approx.f32", {0xff800000}, 0},
      {"ex2.approx.f32", {kNanF32}, kNanF32},
      {"lg2.approx.f32", {bits(8.0f)}, bits(3.0f)},
      {"lg2.approx.f32", {1}, bits(-149.0f)},
      {"lg2.approx.ftz.f32", {1}, 0xff800000},
      {"lg2.approx.f32", {kMinusZeroF32}, 0xff800000},
      {"lg2.approx.f32", {bits(-1.0f)}, kNanF32},
      {"lg2.approx.f32", {kInfinityF32}, kInfinityF32},
      {"sin.approx.f32", {kMinusZeroF32}, kMinusZeroF32},
      {"sin.approx.f32", {kInfinityF32}, kNanF32},
      {"cos.approx.f32", {0}, bits(1.0f)},
      {"rsqrt.approx.f32", {bits(4.0f)}, bits(0.5f)},
      {"rsqrt.approx.f32", {kMinusZeroF32}, 0xff800000},
      {"rsqrt.approx.f32", {kInfinityF32}, 0},
      {"tanh.approx.f32", {0xff800000}, bits(-1.0f)},
      {"div.approx.f32", {bits(1.0f), bits(0x1p127f)}, 0},
      {"div.approx.f32", {kInfinityF32, bits(0x1p127f)}, kNanF32},
      {"div.full.f32", {bits(1.0f), bits(0x1p127f)}, 0x00400000},
      {"rcp.approx.ftz.f32", {bits(0x1p127f)}, 0},
      {"rcp.approx.ftz.f64", {bits(4.0)}, bits(0.25)},
      {"rcp.approx.ftz.f64", {1}, bits(double{INFINITY})},
  });
}

TEST_CASE("approximate functions are within the manual's error") {
  struct Function {
    const char* opcode;
    double (*exact)(double);
    double low, high, absolute, relative;
  };
  const Function functions[] = {
      {"ex2.approx.f32", [](double x) { return std::exp2(x); }, -126, 127, 0, 0x1p-22},
      {"lg2.approx.f32", [](double x) { return std::log2(x); }, 1e-30, 1e30, 0x1p-22, 0x1p-22},
      {"sin.approx.f32", [](double x) { return std::sin(x); }, -3.2, 3.2, 0x1p-20, 0},
      {"cos.approx.f32", [](double x) { return std::cos(x); }, -3.2, 3.2, 0x1p-20, 0},
      {"tanh.approx.f32", [](double x) { return std::tanh(x); }, -9, 9, 0, 0x1p-11},
      {"rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }, 1e-30, 1e30, 0, 0x1p-22},
      {"rcp.approx.f32", [](double x) { return 1 / x; }, 1e-30, 1e30, 0, 0x1p-23},
  };
  for (const InstructionSet* set : supported_sets())
    for (const Function& function : functions) {
      const LaneOp* op = lane_table(*set).find(function.opcode);
      REQUIRE(op != nullptr);
      for (int i = 0; i <= 4000; ++i) {
        const double t = i / 4000.0;
        const bool wide = function.low > 0;  // spread over the exponents
        const auto x = static_cast<float>(wide ? function.low * std::pow(function.high / function.low, t)
                                               : function.low + (function.high - function.low) * t);
        const double exact = function.exact(double{x});
        float got;
        const auto got_bits = static_cast<uint32_t>(run(*op, {bits(x)}).dst);
        std::memcpy(&got, &got_bits, sizeof got);
        if (std::abs(got - exact) > function.absolute + function.relative * std::abs(exact))
          FAIL(function.opcode << "(" << x << ") on " << set->name << ": expected " << exact << ", got "
                               << got);
      }
    }
  SUCCEED();
}

TEST_CASE("a half-precision fma rounds once") {
  // The hard cases: a tie, and a tie broken by bits that a float or a double between would have rounded away.
  check_cases({
      {"fma.rn.f16", {0x3c01, 0x3c01, 0x0000}, 0x3c02},  // (1 + 2^-10)^2 = 1 + 2^-9 + 2^-20
      {"fma.rn.f16", {0x1400, 0x1000, 0x3c00}, 0x3c00},  // 1 + 2^-21
      {"fma.rn.f16", {0x0001, 0x0001, 0x6801}, 0x6801},
      {"fma.rn.f16", {0x3800, 0x1400, 0x3c01}, 0x3c02},  // (1 + 2^-10) + 2^-11: a tie, to even
      {"fma.rn.f16", {0x37ff, 0x1400, 0x3c01}, 0x3c01},  // less than the tie
      {"fma.rn.f16", {0x3800, 0x1401, 0x3c00}, 0x3c01},  // 1 + 2^-11 + 2^-21: above the tie, to odd
      {"fma.rn.f16", {0x7bff, 0x7bff, 0xfc00}, 0xfc00},
      {"fma.rn.f16", {0x7c00, 0x0000, 0x3c00}, 0x7fff},
      {"fma.rn.bf16", {0x3f81, 0x3f81, 0x0000}, 0x3f82},
      {"fma.rn.bf16", {0x7f00, 0x7f00, 0xff80}, 0xff80},
      {"fma.rn.bf16", {0x0080, 0x0080, 0x3f80}, 0x3f80},
      {"fma.rn.bf16", {0x0080, 0x0080, 0x3b80}, 0x3b80},
      {"fma.rn.f16x2", {0x3c013800, 0x3c011400, 0x00003c01}, 0x3c023c02},
      {"add.f16", {0x7bff, 0x7bff}, 0x7c00},
      {"add.bf16", {0x3f80, 0x3b80}, 0x3f80},
      {"mul.bf16", {0x3fc0, 0x3fc0}, 0x4010},
      {"neg.f16x2", {0x3c00bc00}, 0xbc003c00},
      {"abs.bf16", {0xbf80}, 0x3f80},
      {"ex2.approx.ftz.bf16", {0x4040}, 0x4100},
      {"tanh.approx.f16", {0x7c00}, 0x3c00},
      {"add.f32.f16", {0x3c00, bits(2.0f)}, bits(3.0f)},
  });
}
