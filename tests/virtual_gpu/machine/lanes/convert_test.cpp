#include <cmath>

#include "tests/virtual_gpu/machine/lanes/cases.h"

using namespace ridge::machine;

TEST_CASE("conversions between integers keep the low bits, extend by the sign, or saturate") {
  check_cases({
      {"cvt.s64.s32", {0xffffffff}, ~0ull},
      {"cvt.u64.u32", {0xffffffff}, 0xffffffff},
      {"cvt.u64.s32", {0xffffffff}, ~0ull},
      {"cvt.u32.u64", {0x1234567890}, 0x34567890},
      {"cvt.u16.u32", {0x12345678}, 0x5678},
      {"cvt.s8.s32", {0x80}, 0xffffff80},
      {"cvt.u8.s32", {0x180}, 0x80},
      {"cvt.sat.s8.s32", {200}, 127},
      {"cvt.sat.u8.s32", {0xffffffff}, 0},
      {"cvt.sat.u8.s32", {300}, 255},
      {"cvt.sat.s32.u32", {0xffffffff}, 0x7fffffff},
      {"cvt.sat.u32.s64", {1ull << 40}, 0xffffffff},
      {"cvt.sat.u64.s64", {~0ull}, 0},
      {"cvt.sat.s64.u64", {~0ull}, ~0ull >> 1},
      {"cvt.sat.s16.s64", {1ull << 63}, 0xffff8000},
      {"cvt.pack.sat.u16.s32", {70000, 5}, 0xffff0005},
      {"cvt.pack.sat.s8.s32.b32", {1000, static_cast<uint32_t>(-1000), 0xabcd1234}, 0x12347f80},
      {"cvt.pack.sat.u4.s32.b32", {99, 3, 1}, 0x1f3},
  });
}

TEST_CASE("floats become integers by their rounding, out of range the nearest, NaN as the manual says") {
  check_cases({
      {"cvt.rni.s32.f32", {bits(2.5f)}, 2},
      {"cvt.rni.s32.f32", {bits(3.5f)}, 4},
      {"cvt.rzi.s32.f32", {bits(-2.9f)}, static_cast<uint32_t>(-2)},
      {"cvt.rmi.s32.f32", {bits(-2.1f)}, static_cast<uint32_t>(-3)},
      {"cvt.rpi.s32.f32", {bits(2.1f)}, 3},
      {"cvt.rzi.s32.f32", {bits(1e20f)}, 0x7fffffff},
      {"cvt.rzi.s32.f32", {bits(-1e20f)}, 0x80000000},
      {"cvt.rzi.s32.f32", {bits(0x1p31f)}, 0x7fffffff},
      {"cvt.rzi.u32.f32", {bits(-5.0f)}, 0},
      {"cvt.rzi.u32.f32", {bits(3e9f)}, 3000000000},
      {"cvt.rzi.u32.f32", {kInfinityF32}, 0xffffffff},
      {"cvt.rzi.u8.f32", {bits(300.0f)}, 255},
      {"cvt.rzi.s8.f32", {bits(-300.0f)}, 0xffffff80},
      {"cvt.rpi.ftz.s32.f32", {1}, 0},
      {"cvt.rpi.s32.f32", {1}, 1},
      {"cvt.rzi.s32.f32", {kNanF32}, 0},
      {"cvt.rzi.s64.f32", {kNanF32}, 1ull << 63},
      {"cvt.rzi.u64.f32", {kNanF32}, 1ull << 63},
      {"cvt.rzi.s32.f64", {kNanF64}, 0x80000000},
      {"cvt.rzi.u32.f64", {kNanF64}, 0x80000000},
      {"cvt.rzi.u64.f64", {kNanF64}, 1ull << 63},
      {"cvt.rzi.u64.f64", {bits(0x1p63)}, 1ull << 63},
      {"cvt.rzi.u64.f64", {bits(1e30)}, ~0ull},
      {"cvt.rzi.s64.f64", {bits(-1e30)}, 1ull << 63},
      {"cvt.rni.s64.f64", {bits(-0.5)}, 0},
      {"cvt.rzi.s32.f16", {0xc500}, static_cast<uint32_t>(-5)},
      {"cvt.rzi.u16.f16", {0x7c00}, 0xffff},
      {"cvt.rni.s32.bf16", {0x4120}, 10},
      {"cvt.rni.f32.f32", {bits(-0.4f)}, kMinusZeroF32},
      {"cvt.rpi.f64.f64", {bits(1.2)}, bits(2.0)},
      {"cvt.rzi.f16.f16", {0x3e00}, 0x3c00},
  });
}

TEST_CASE("integers become floats by their rounding") {
  check_cases({
      {"cvt.rn.f32.s32", {0xffffffff}, bits(-1.0f)},
      {"cvt.rn.f32.u32", {0xffffffff}, bits(0x1p32f)},
      {"cvt.rz.f32.u32", {0xffffffff}, bits(0x1.fffffep31f)},
      {"cvt.rm.f32.s32", {static_cast<uint32_t>(-16777217)}, bits(-16777218.0f)},
      {"cvt.rp.f32.s32", {static_cast<uint32_t>(-16777217)}, bits(-16777216.0f)},
      {"cvt.rm.f32.u32", {0}, 0},
      {"cvt.rm.f64.u64", {0}, 0},
      {"cvt.rn.f32.u64", {~0ull}, bits(0x1p64f)},
      {"cvt.rz.f32.u64", {~0ull}, bits(0x1.fffffep63f)},
      {"cvt.rn.f64.s64", {1ull << 63}, bits(-0x1p63)},
      {"cvt.rz.f64.u64", {~0ull}, bits(0x1.fffffffffffffp63)},
      {"cvt.rp.f64.s64", {(1ull << 53) + 1}, bits(0x1p53 + 2)},
      {"cvt.rn.f16.s32", {70000}, 0x7c00},
      {"cvt.rz.f16.s32", {70000}, 0x7bff},
      {"cvt.rn.f16.u16", {2049}, 0x6800},
      {"cvt.rp.f16.u16", {2049}, 0x6801},
      {"cvt.rn.bf16.s32",
       {(1 << 30) + (1 << 22) + 1},
       0x4e81},  // just above a tie that float alone would hide
      {"cvt.rn.bf16.u64", {(1ull << 60) + (1ull << 52) + 1}, 0x5d81},
      {"cvt.rn.bf16.u64", {(1ull << 60) + (1ull << 52)}, 0x5d80},
      {"cvt.rn.bf16.s64", {static_cast<uint64_t>(-((1ll << 60) + (1ll << 52) + 1))}, 0xdd81},
  });
}

TEST_CASE("floats become smaller floats with one rounding") {
  check_cases({
      {"cvt.rn.f32.f64", {bits(1e300)}, kInfinityF32},
      {"cvt.rz.f32.f64", {bits(1e300)}, bits(0x1.fffffep127f)},
      {"cvt.rp.f32.f64", {bits(0x1p-1000)}, 1},
      {"cvt.rn.f16.f32", {bits(65519.0f)}, 0x7bff},
      {"cvt.rn.f16.f32", {bits(65520.0f)}, 0x7c00},
      {"cvt.rn.f16.f32", {bits(0x1p-25f)}, 0},
      {"cvt.rn.f16.f32", {bits(0x1.000002p-25f)}, 1},
      {"cvt.rn.f16.f32", {bits(0x1.8p-24f)}, 2},
      {"cvt.rn.f16.f32", {bits(-0x1p-14f)}, 0x8400},
      {"cvt.rn.f16.f32", {0xff812345}, 0x7fff},
      {"cvt.rz.f16.f32", {bits(1e9f)}, 0x7bff},
      {"cvt.rp.f16.f32", {1}, 1},
      {"cvt.rm.f16.f32", {0x80000001}, 0x8001},
      {"cvt.rn.relu.f16.f32", {bits(-3.0f)}, 0},
      {"cvt.rn.f16.f64", {bits(1 + 0x1p-11 + 0x1p-50)}, 0x3c01},
      {"cvt.rn.f16.f64", {bits(1 + 0x1p-11)}, 0x3c00},
      {"cvt.f32.f16", {0x0001}, bits(0x1p-24f)},
      {"cvt.f32.f16", {0xfc00}, 0xff800000},
      {"cvt.f32.f16", {0x7c01}, kNanF32},
      {"cvt.f64.f16", {0x3555}, bits(0x1.554p-2)},
      {"cvt.rn.bf16.f32", {0x3f808000}, 0x3f80},
      {"cvt.rn.bf16.f32", {0x3f818000}, 0x3f82},
      {"cvt.rn.bf16.f32", {0x7f7fffff}, 0x7f80},
      {"cvt.rz.bf16.f32", {0x7f7fffff}, 0x7f7f},
      {"cvt.rn.satfinite.bf16.f32", {kInfinityF32}, 0x7f7f},
      {"cvt.f32.bf16", {0x0001}, 0x00010000},
      {"cvt.rn.f16x2.f32", {bits(1.0f), bits(2.0f)}, 0x3c004000},
      {"cvt.rn.bf16x2.f32", {bits(1.0f), bits(2.0f)}, 0x3f804000},
      {"cvt.rn.relu.bf16x2.f32", {bits(-1.0f), bits(2.0f)}, 0x4000},
      {"cvt.rna.tf32.f32", {0x3f801000}, 0x3f802000},
      {"cvt.rn.tf32.f32", {0x3f801000}, 0x3f800000},
      {"cvt.rna.tf32.f32", {0x3f800fff}, 0x3f800000},
      {"cvt.rna.tf32.f32", {0xffc00000}, 0x7fffe000},
  });
}

TEST_CASE("eight-bit floats saturate to the largest and come back exactly") {
  check_cases({
      {"cvt.rn.satfinite.e4m3x2.f32", {bits(1.0f), bits(-1.0f)}, 0x38b8},
      {"cvt.rn.satfinite.e4m3x2.f32", {bits(1e6f), bits(-500.0f)}, 0x7efe},
      {"cvt.rn.satfinite.e4m3x2.f32", {kNanF32, bits(0x1p-9f)}, 0x7f01},
      {"cvt.rn.satfinite.e4m3x2.f32", {bits(0x1p-10f), bits(0x1.8p-9f)}, 0x0002},
      {"cvt.rn.satfinite.relu.e4m3x2.f32", {bits(-1.0f), bits(1.0f)}, 0x0038},
      {"cvt.rn.satfinite.e5m2x2.f32", {bits(1.0f), bits(1e6f)}, 0x3c7b},
      {"cvt.rn.satfinite.e5m2x2.f32", {kInfinityF32, 0}, 0x7b00},
      {"cvt.rn.satfinite.e4m3x2.f16x2", {0x3c00bc00}, 0x38b8},
      {"cvt.rn.f16x2.e4m3x2", {0x7e01}, 0x5f001800},
      {"cvt.rn.f16x2.e4m3x2", {0xff38}, 0x7fff3c00},
      {"cvt.rn.f16x2.e5m2x2", {0x7c3c}, 0x7c003c00},
  });
}
