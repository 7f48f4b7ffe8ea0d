#include "virtual_gpu/observe/counts/sass/sass_executions.h"

#include <vector>

#include "tests/catch.h"
#include "virtual_gpu/observe/counts/sass/sass_counterparts.h"
#include "virtual_gpu/observe/counts/sass/shared_merging.h"

using namespace ridge;
using namespace ridge::observe;
using warp_model::SassClass;
using warp_model::SassFlow;
using warp_model::SassInstruction;

namespace {

// Instructions at 16 bytes each, from what matters of them.
struct Line {
  SassClass sass_class;
  uint32_t ptx_line;
  SassFlow flow = SassFlow::straight;
  bool guarded = false;
  uint32_t target = 0;  // instruction
  uint8_t lane_bytes = 0;
};

std::vector<SassInstruction> code_of(const std::vector<Line>& lines) {
  std::vector<SassInstruction> code;
  for (const Line& line : lines) {
    SassInstruction i;
    i.address = static_cast<uint32_t>(code.size()) * warp_model::kSassBytes;
    i.ptx_line = line.ptx_line;
    i.sass_class = line.sass_class;
    i.flow = line.flow;
    i.guarded = line.guarded;
    i.target = line.target * warp_model::kSassBytes;
    i.lane_bytes = line.lane_bytes;
    code.push_back(i);
  }
  return code;
}

PtxLineCounts counted(uint64_t executions, SassClass counterpart = SassClass::other,
                      uint64_t divergences = 0) {
  PtxLineCounts line;
  line.executions = executions;
  line.counterpart = counterpart;
  line.divergences = divergences;
  return line;
}

}  // namespace

TEST_CASE("A straight kernel issues every instruction once per warp") {
  const auto code = code_of({{SassClass::move, 1},
                             {SassClass::integer, 0},
                             {SassClass::global_store, 4},
                             {SassClass::control, 5, SassFlow::exit}});
  const PtxCounts ptx{{1, counted(8)}, {4, counted(8, SassClass::global_store)}, {5, counted(8)}};
  CHECK(sass_executions(code, ptx, 8) == std::vector<uint64_t>{8, 8, 8, 8});
}

TEST_CASE(
    "A loop is issued as often as its loads, what is before and after it as often as warps come") {
  const auto code = code_of({{SassClass::move, 1},
                             {SassClass::global_load, 3},
                             {SassClass::control, 4, SassFlow::branch, true, 1},
                             {SassClass::integer, 6},
                             {SassClass::control, 7, SassFlow::exit}});
  const PtxCounts ptx{{1, counted(2)},
                      {3, counted(20, SassClass::global_load)},
                      {4, counted(20)},
                      {6, counted(2)},
                      {7, counted(2)}};
  CHECK(sass_executions(code, ptx, 2) == std::vector<uint64_t>{2, 20, 20, 2, 2});
}

TEST_CASE("An unrolled loop makes as many turns as its copies fill") {
  const auto code = code_of({{SassClass::move, 1},
                             {SassClass::global_load, 3},
                             {SassClass::global_load, 3},
                             {SassClass::global_load, 3},
                             {SassClass::global_load, 3},
                             {SassClass::control, 4, SassFlow::branch, true, 1},
                             {SassClass::global_load, 3, SassFlow::straight, true},
                             {SassClass::control, 7, SassFlow::exit}});
  const PtxCounts ptx{{1, counted(2)},
                      {3, counted(2 * 12, SassClass::global_load)},
                      {4, counted(24)},
                      {7, counted(2)}};
  CHECK(sass_executions(code, ptx, 2) == std::vector<uint64_t>{2, 6, 6, 6, 6, 6, 2, 2});
}

TEST_CASE("Turns that do not come out even are as many for each warp, or one more") {
  // Four copies of the load, and a loop of one copy for the turns left over; two warps make 5, two make 6.
  const auto code = code_of({{SassClass::move, 1},
                             {SassClass::control, 0, SassFlow::branch, true, 7},
                             {SassClass::global_load, 2},
                             {SassClass::global_load, 2},
                             {SassClass::global_load, 2},
                             {SassClass::global_load, 2},
                             {SassClass::control, 0, SassFlow::branch, true, 2},
                             {SassClass::control, 0, SassFlow::branch, true, 10},
                             {SassClass::global_load, 2},
                             {SassClass::control, 3, SassFlow::branch, true, 8},
                             {SassClass::control, 5, SassFlow::exit}});
  const PtxCounts ptx{
      {1, counted(4)}, {2, counted(22, SassClass::global_load)}, {3, counted(22)}, {5, counted(4)}};
  CHECK(sass_executions(code, ptx, 4) == std::vector<uint64_t>{4, 4, 4, 4, 4, 4, 4, 4, 6, 6, 4});
}

TEST_CASE(
    "A wait for an mbarrier that succeeds at once never enters the loop of its further tries") {
  // The first try has the line of what comes before it.
  const auto code = code_of({{SassClass::barrier, 1},
                             {SassClass::sync, 2},
                             {SassClass::control, 0, SassFlow::branch, true, 5},
                             {SassClass::shared_load, 4},
                             {SassClass::control, 5, SassFlow::exit},
                             {SassClass::sync, 3},
                             {SassClass::control, 0, SassFlow::branch, true, 5},
                             {SassClass::control, 0, SassFlow::branch, false, 3}});
  const auto tries = [&](uint64_t count) {
    const PtxCounts ptx{{1, counted(4, SassClass::barrier)},
                        {2, counted(4)},
                        {3, counted(count, SassClass::sync)},
                        {4, counted(4, SassClass::shared_load)}};
    return sass_executions(code, ptx, 4);
  };
  CHECK(tries(4) == std::vector<uint64_t>{4, 4, 4, 4, 4, 0, 0, 0});
  CHECK(tries(9)[5] == 5);
}

TEST_CASE("Both sides of a divergent branch are issued, and the warp meets after them once") {
  //  0 BSSY 6   1 @P BRA 4   2 store   3 BRA 5   4 store   5 BSYNC   6 EXIT
  const auto code = code_of({{SassClass::control, 1, SassFlow::converge, false, 6},
                             {SassClass::control, 2, SassFlow::branch, true, 4},
                             {SassClass::global_store, 3},
                             {SassClass::control, 3, SassFlow::branch, false, 5},
                             {SassClass::global_store, 5},
                             {SassClass::control, 6, SassFlow::reconverge},
                             {SassClass::control, 7, SassFlow::exit}});
  const PtxCounts ptx{{1, counted(4)},
                      {2, counted(4, SassClass::other, 4)},
                      {3, counted(4, SassClass::global_store)},
                      {5, counted(4, SassClass::global_store)},
                      {7, counted(4)}};
  CHECK(sass_executions(code, ptx, 4) == std::vector<uint64_t>{4, 4, 4, 4, 4, 8, 4});
}

TEST_CASE("A branch that became guards is issued for those too who would have branched around it") {
  const auto code = code_of({{SassClass::move, 1},
                             {SassClass::barrier, 3},
                             {SassClass::shared_load, 5, SassFlow::straight, true},
                             {SassClass::shared_load, 6, SassFlow::straight, true},
                             {SassClass::shared_store, 7, SassFlow::straight, true},
                             {SassClass::control, 9, SassFlow::branch, true, 1},
                             {SassClass::control, 10, SassFlow::exit}});
  const PtxCounts ptx{{1, counted(4)},
                      {3, counted(32, SassClass::barrier)},
                      {5, counted(12, SassClass::shared_load)},
                      {6, counted(12, SassClass::shared_load)},
                      {7, counted(12, SassClass::shared_store)},
                      {9, counted(32)},
                      {10, counted(4)}};
  CHECK(sass_executions(code, ptx, 4) == std::vector<uint64_t>{4, 32, 32, 32, 32, 32, 4});
}

TEST_CASE("What PTX guards, too, is issued as often as PTX executes it") {
  const auto code = code_of({{SassClass::move, 1},
                             {SassClass::shared_load, 5, SassFlow::straight, true},
                             {SassClass::control, 9, SassFlow::branch, true, 1},
                             {SassClass::control, 10, SassFlow::exit}});
  PtxCounts ptx{
      {1, counted(4)}, {5, counted(12, SassClass::shared_load)}, {9, counted(7)}, {10, counted(4)}};
  ptx[5].is_predicated = true;
  CHECK(sass_executions(code, ptx, 4) == std::vector<uint64_t>{4, 12, 12, 4});
}

TEST_CASE("The loop of an atomic is issued for every attempt, and lanes leave it in each of them") {
  const auto code = code_of({{SassClass::control, 1, SassFlow::converge, false, 6},
                             {SassClass::shared_load, 3},
                             {SassClass::fp32, 3},
                             {SassClass::shared_atomic, 3},
                             {SassClass::control, 3, SassFlow::branch, true, 1},
                             {SassClass::control, 3, SassFlow::reconverge},
                             {SassClass::barrier, 4},
                             {SassClass::control, 5, SassFlow::exit}});
  PtxCounts ptx{{1, counted(4)},
                {3, counted(4, SassClass::shared_atomic)},
                {4, counted(4, SassClass::barrier)},
                {5, counted(4)}};
  ptx[3].attempts = 20;
  CHECK(sass_executions(code, ptx, 4) == std::vector<uint64_t>{4, 20, 20, 20, 20, 20, 4, 4});
}

TEST_CASE("A run that only lies before a loop is not taken for a part of it") {
  // The branch before the loop has no line in PTX, and the run that it leads to has only lines of the loop.
  const auto code = code_of({{SassClass::move, 1},
                             {SassClass::control, 1, SassFlow::branch, true, 5},
                             {SassClass::integer, 6},
                             {SassClass::control, 6, SassFlow::branch, true, 5},
                             {SassClass::integer, 6},
                             {SassClass::global_load, 7},
                             {SassClass::control, 8, SassFlow::branch, true, 5},
                             {SassClass::control, 9, SassFlow::exit}});
  const PtxCounts ptx{{1, counted(4)},
                      {6, counted(400)},
                      {7, counted(400, SassClass::global_load)},
                      {8, counted(400)},
                      {9, counted(4)}};
  const std::vector<uint64_t> issued = sass_executions(code, ptx, 4);
  CHECK(issued[2] <= 4);
  CHECK(issued[4] <= 4);
  CHECK(issued[5] == 400);
}

TEST_CASE("What follows a generic atomic for the other spaces is not issued") {
  auto code = code_of({{SassClass::generic_atomic, 1},
                       {SassClass::control, 1, SassFlow::exit, true},
                       {SassClass::other, 1},
                       {SassClass::control, 1, SassFlow::branch, true, 6},
                       {SassClass::shared_load, 1},
                       {SassClass::control, 1, SassFlow::branch, true, 4},
                       {SassClass::control, 1, SassFlow::exit}});
  code[2].asks_for_space = true;
  CHECK(sass_executions(code, {{1, counted(8)}}, 8) == std::vector<uint64_t>{8, 8, 0, 0, 0, 0, 0});
}

TEST_CASE(
    "A function is issued once for each call of it, and its loops as often as their lines say") {
  //  0 CALL 4   1 CALL 4   2 store   3 EXIT   4 move   5 fma   6 @P BRA 5   7 RET
  const auto code = code_of({{SassClass::control, 1, SassFlow::call, false, 4},
                             {SassClass::control, 2, SassFlow::call, false, 4},
                             {SassClass::global_store, 3},
                             {SassClass::control, 4, SassFlow::exit},
                             {SassClass::move, 0},
                             {SassClass::fp32, 12},
                             {SassClass::control, 13, SassFlow::branch, true, 5},
                             {SassClass::control, 14, SassFlow::other}});
  const PtxCounts ptx{{1, counted(3)},
                      {2, counted(3)},
                      {3, counted(3, SassClass::global_store)},
                      {4, counted(3)},
                      {12, counted(33, SassClass::fp32)},
                      {13, counted(33)},
                      {14, counted(6)}};
  CHECK(sass_executions(code, ptx, 3) == std::vector<uint64_t>{3, 3, 3, 3, 6, 33, 33, 6});
}

TEST_CASE(
    "The routine for rare operands of a square root is jumped over, any other call behind a branch is not") {
  //  0 special   1 @P BRA 4   2 CALL 7   3 BRA 5   4 fp32   5 store   6 EXIT   7 integer   8 RET
  const auto code = code_of({{SassClass::special, 2},
                             {SassClass::control, 2, SassFlow::branch, true, 4},
                             {SassClass::control, 2, SassFlow::call, false, 7},
                             {SassClass::control, 2, SassFlow::branch, false, 5},
                             {SassClass::fp32, 2},
                             {SassClass::global_store, 3},
                             {SassClass::control, 4, SassFlow::exit},
                             {SassClass::integer, 0},
                             {SassClass::control, 0, SassFlow::other}});
  PtxCounts ptx{{2, counted(4)}, {3, counted(4, SassClass::global_store)}, {4, counted(4)}};
  ptx[2].rounded = RoundedForm::root_f32;
  CHECK(sass_executions(code, ptx, 4) == std::vector<uint64_t>{4, 4, 0, 0, 4, 4, 4, 0, 0});
  ptx[2].rounded = RoundedForm::none;
  CHECK(sass_executions(code, ptx, 4)[7] == 4);
}

TEST_CASE("Four neighbouring shared loads appear as one of 16 bytes") {
  std::vector<machine::InstructionSource> ptx;
  const char* const texts[] = {"ld.shared.f32 %f1, [%r4+32];", "ld.shared.f32 %f1, [%r4+36];",
                               "ld.shared.f32 %f1, [%r4+40];", "ld.shared.f32 %f1, [%r4+44];"};
  for (uint32_t k = 0; k < 4; ++k) {
    machine::InstructionSource& one = ptx.emplace_back();
    one.file = "a.cu", one.line = 1, one.ptx_line = 10 + k;
    one.text = texts[k];
  }
  const auto merged = code_of({{SassClass::shared_load, 12, SassFlow::straight, false, 0, 16}});
  const std::vector<SharedForm> forms = shared_forms(ptx, merged);
  REQUIRE(forms.size() == 4);
  CHECK(forms[0].bytes == 0);
  CHECK(forms[2].bytes == 16);
  CHECK(forms[2].shift == -8);
  CHECK(shared_forms(ptx, code_of({{SassClass::shared_load, 0}})).empty());
}

TEST_CASE(
    "The counterpart of a PTX instruction is known by its text, with and without a predicate") {
  CHECK(counterpart_of("ld.global.nc.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];") == SassClass::global_load);
  CHECK(counterpart_of("@%p1 st.shared.u32 [%r1], %r2;") == SassClass::shared_store);
  CHECK(counterpart_of("bar.sync 0;") == SassClass::barrier);
  CHECK(counterpart_of("add.s32 %r1, %r2, %r3;") == SassClass::other);
  CHECK(
      counterpart_of(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%r1], 0; selp.b32 %r2, 1, 0, p; "
          "}") == SassClass::sync);
  CHECK(counterpart_of("{ bar.sync 0; st.shared.u32 [%r1], %r2; }") == SassClass::other);
}
