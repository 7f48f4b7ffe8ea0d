#include "warp_model/sass.h"

#include <vector>

#include "tests/catch.h"

using namespace ridge::warp_model;

namespace {

struct Row {
  const char* text;  // as nvdisasm of CUDA 13.0 shows it
  uint32_t address;
  uint64_t low, high;
  SassClass sass_class;
  SassFlow flow;
  uint32_t lane_bytes;
  bool guarded;
  uint32_t target;
};

const std::vector<Row> kRows = {
    {"LDC R1, c[0x0][0x28]", 0x0, 0x00000a00ff017b82, 0x000fe20000000800, SassClass::constant_load,
     SassFlow::straight, 4, false, 0},
    {"S2R R0, SR_TID.X", 0x10, 0x0000000000007919, 0x000e220000002100, SassClass::move, SassFlow::straight, 0,
     false, 0},
    {"ULDC.64 UR6, c[0x0][0x208]", 0x20, 0x0000820000067ab9, 0x000fe20000000a00, SassClass::uniform,
     SassFlow::straight, 0, false, 0},
    {"BSSY B0, 0x310", 0x30, 0x000002d000007945, 0x000fe20003800000, SassClass::control, SassFlow::converge,
     0, false, 0x310},
    {"@P0 BRA 0x300", 0x50, 0x0000000000a80947, 0x000fea0003800000, SassClass::control, SassFlow::branch, 0,
     true, 0x300},
    {"@!P1 BRA 0x1a0", 0xd0, 0x0000000000309947, 0x000fea0003800000, SassClass::control, SassFlow::branch, 0,
     true, 0x1a0},
    {"BRA 0x240 (itself)", 0x240, 0xfffffffc00fc7947, 0x000fc0000383ffff, SassClass::control,
     SassFlow::branch, 0, false, 0x240},
    {"CALL.REL.NOINC 0x1e0", 0x120, 0x00000000002c7944, 0x003fea0003c00000, SassClass::control,
     SassFlow::call, 0, false, 0x1e0},
    {"CALL.REL.NOINC of another section", 0x120, 0x0000000000007944, 0x003fea0003c00000, SassClass::control,
     SassFlow::call, 0, false, 0},
    {"BRA.DIV UR6, ...", 0x440, 0x0000000206487947, 0x000fea000b800000, SassClass::control,
     SassFlow::straight, 0, false, 0},
    {"STS [R4], R5", 0x170, 0x0000000504007388, 0x0001e40000000800, SassClass::shared_store,
     SassFlow::straight, 4, false, 0},
    {"VIADD R2, R2, 0xffffffff", 0x130, 0xffffffff02027836, 0x000fe20000000000, SassClass::integer,
     SassFlow::straight, 0, false, 0},
};

}  // namespace

TEST_CASE("SASS instructions are of the class, the width and the target that nvdisasm shows") {
  for (const Row& row : kRows) {
    INFO(row.text);
    const SassInstruction i = decode_sass(row.low, row.high, row.address);
    CHECK(i.address == row.address);
    CHECK(name(i.sass_class) == name(row.sass_class));
    CHECK(i.flow == row.flow);
    CHECK(i.lane_bytes == row.lane_bytes);
    CHECK(i.guarded == row.guarded);
    CHECK(i.target == row.target);
  }
}

TEST_CASE("Local memory's accesses say where in the thread's stack they are") {
  CHECK(decode_sass(0x00003c1301007387, 0x0003e80000100800, 0).offset == 0x3c);
  CHECK(decode_sass(0xfffffc0401007983, 0x000ea20000100800, 0).offset == -4);
  CHECK(decode_sass(0x0000000504007388, 0x0001e40000000800, 0).offset == 0);
}

TEST_CASE("Scoreboards are those that nvdisasm -hex shows in the control bits") {
  const SassInstruction load = decode_sass(0xfffffc0401007983, 0x000ea20000100800, 0);  // LDL
  CHECK(int{load.sets_scoreboard} == 2);
  CHECK(int{load.waits_for_scoreboards} == 0);
  const SassInstruction call = decode_sass(0x00000000002c7944, 0x003fea0003c00000, 0x120);
  CHECK(call.sets_scoreboard == kNoScoreboard);
  CHECK(int{call.waits_for_scoreboards} == 0b11);
}

TEST_CASE("Every class has a name of its own") {
  for (uint32_t a = 0; a < kSassClasses; ++a) {
    CHECK(!name(static_cast<SassClass>(a)).empty());
    for (uint32_t b = 0; b < a; ++b)
      CHECK(name(static_cast<SassClass>(a)) != name(static_cast<SassClass>(b)));
  }
}
