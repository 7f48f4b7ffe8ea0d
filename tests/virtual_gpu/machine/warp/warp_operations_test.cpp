#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::Device;

namespace {

// A kernel of one warp that stores %r9 of each lane: `body` computes it from the lane in %r1 and a loaded
// word in %r2.
std::string kernel_with(const std::string& body) {
  return R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
  .reg .pred %p<8>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  add.s64 %rd5, %rd1, %rd3;
  ld.global.u32 %r2, [%rd4];
)" + body +
         R"(
  st.global.u32 [%rd5], %r9;
  ret;
}
)";
}

std::vector<uint32_t> input() {
  std::vector<uint32_t> values(32);
  for (uint32_t i = 0; i < 32; ++i)
    values[i] = 1000 + i * i;
  return values;
}

std::vector<uint32_t> run_body(const std::string& body) {
  Device d(kernel_with(body));
  const uint64_t out = d.upload(std::vector<uint32_t>(32, 0)), in = d.upload(input());
  const auto outcome = d.launch("k", {1, 1, 1}, {32, 1, 1}, out, in);
  INFO((outcome.fault ? outcome.fault->message : ""));
  REQUIRE_FALSE(outcome.fault);
  return d.download<uint32_t>(out, 32);
}

uint32_t in(int lane) {
  return 1000 + static_cast<uint32_t>(lane * lane);
}

}  // namespace

TEST_CASE("shfl in every mode takes the value of the lane that the manual says") {
  struct Row {
    const char* instruction;
    int (*from)(int lane);
  };
  const Row rows[] = {
      {"shfl.sync.idx.b32 %r9|%p1, %r2, 5, 31, -1;", [](int) { return 5; }},
      {"shfl.sync.up.b32 %r9|%p1, %r2, 3, 0, -1;", [](int l) { return l < 3 ? l : l - 3; }},
      {"shfl.sync.down.b32 %r9|%p1, %r2, 7, 31, -1;", [](int l) { return l + 7 > 31 ? l : l + 7; }},
      {"shfl.sync.bfly.b32 %r9|%p1, %r2, 17, 31, -1;", [](int l) { return l ^ 17; }},
      // Segments of 8: c = (32 - 8) << 8 | 31, and | 0 for up.
      {"shfl.sync.idx.b32 %r9|%p1, %r2, 10, 6175, -1;", [](int l) { return (l & 24) | 2; }},
      {"shfl.sync.up.b32 %r9|%p1, %r2, 2, 6144, -1;",
       [](int l) { return (l & 7) < 2 ? l : l - 2; }},
      {"shfl.sync.down.b32 %r9|%p1, %r2, 5, 6175, -1;",
       [](int l) { return (l & 7) + 5 > 7 ? l : l + 5; }},
      {"shfl.sync.bfly.b32 %r9|%p1, %r2, 3, 6175, -1;", [](int l) { return l ^ 3; }},
      {"shfl.sync.idx.b32 %r9, %r2, %r1, 31, 0xffffffff;", [](int l) { return l; }},
      {"shfl.idx.b32 %r9, %r2, 9, 31;", [](int) { return 9; }},
  };
  for (const Row& row : rows) {
    INFO(row.instruction);
    const auto out = run_body(row.instruction);
    for (int lane = 0; lane < 32; ++lane)
      REQUIRE(out[lane] == in(row.from(lane)));
  }
}

TEST_CASE("shfl says in its predicate whether the source was inside the segment") {
  const auto out =
      run_body("shfl.sync.down.b32 %r3|%p1, %r2, 7, 31, -1;\n selp.u32 %r9, 1, 0, %p1;");
  for (uint32_t lane = 0; lane < 32; ++lane)
    REQUIRE(out[lane] == (lane + 7 <= 31 ? 1u : 0u));
}

TEST_CASE("a lane that reads from a lane that does not take part keeps its value") {
  const auto out = run_body(
      "setp.lt.u32 %p2, %r1, 8;\n mov.u32 %r9, 0;\n @!%p2 bra DONE;\n shfl.sync.idx.b32 %r9, %r2, 20, 31, "
      "0xff;\n DONE:");
  for (int lane = 0; lane < 32; ++lane)
    REQUIRE(out[lane] == (lane < 8 ? in(lane) : 0u));
}

TEST_CASE("half-warps can exchange under masks of their own in one instruction") {
  const auto out = run_body(
      "setp.lt.u32 %p2, %r1, 16;\n selp.b32 %r3, 0xffff, 0xffff0000, %p2;\n redux.sync.add.s32 %r9, %r1, "
      "%r3;");
  for (int lane = 0; lane < 32; ++lane)
    REQUIRE(out[lane] == (lane < 16 ? 120u : 376u));
}

TEST_CASE("votes count the lanes that take part") {
  const char* const odd =
      "and.b32 %r3, %r1, 1;\n setp.eq.u32 %p1, %r3, 1;\n setp.lt.u32 %p3, %r1, 40;\n";
  const auto vote = [&](const std::string& text) { return run_body(odd + text)[3]; };
  REQUIRE(vote("vote.sync.ballot.b32 %r9, %p1, -1;") == 0xaaaaaaaau);
  REQUIRE(vote("vote.sync.ballot.b32 %r9, !%p1, -1;") == 0x55555555u);
  REQUIRE(vote("vote.sync.all.pred %p2, %p1, -1;\n selp.u32 %r9, 1, 0, %p2;") == 0);
  REQUIRE(vote("vote.sync.all.pred %p2, %p3, -1;\n selp.u32 %r9, 1, 0, %p2;") == 1);
  REQUIRE(vote("vote.sync.any.pred %p2, %p1, -1;\n selp.u32 %r9, 1, 0, %p2;") == 1);
  REQUIRE(vote("vote.sync.any.pred %p2, !%p3, -1;\n selp.u32 %r9, 1, 0, %p2;") == 0);
  REQUIRE(vote("vote.sync.uni.pred %p2, %p3, -1;\n selp.u32 %r9, 1, 0, %p2;") == 1);
  REQUIRE(vote("mov.u32 %r9, 0;\n @%p1 vote.sync.ballot.b32 %r9, %p3, 0xaaaaaaaa;") == 0xaaaaaaaau);
}

TEST_CASE("votes of one mask at two instructions count the lanes of both") {
  const char* const odd =
      "and.b32 %r3, %r1, 1;\n setp.eq.u32 %p1, %r3, 1;\n setp.lt.u32 %p2, %r1, 8;\n";
  const auto out =
      run_body(odd + std::string("@%p2 bra LOW;\n vote.sync.ballot.b32 %r9, %p1, -1;\n bra DONE;\n"
                                 " LOW: vote.sync.ballot.b32 %r9, !%p1, -1;\n DONE:"));
  for (uint32_t lane = 0; lane < 32; ++lane)
    REQUIRE(out[lane] == 0xaaaaaa55u);
}

TEST_CASE("match finds the lanes with the same value") {
  const auto any = run_body("and.b32 %r3, %r1, 3;\n match.any.sync.b32 %r9, %r3, -1;");
  for (uint32_t lane = 0; lane < 32; ++lane)
    REQUIRE(any[lane] == 0x11111111u << (lane % 4));
  REQUIRE(run_body("mov.u32 %r3, 7;\n match.all.sync.b32 %r9|%p1, %r3, -1;")[4] == 0xffffffffu);
  REQUIRE(run_body("match.all.sync.b32 %r9|%p1, %r1, -1;")[4] == 0);
  REQUIRE(run_body(
              "cvt.u64.u32 %rd7, %r1;\n shr.u64 %rd8, %rd7, 4;\n match.any.sync.b64 %r9, %rd8, -1;")
              [4] == 0xffffu);
}

TEST_CASE("redux combines values over the warp") {
  struct Row {
    const char* name;
    uint32_t expected;
  };
  for (const Row& row : {Row{"add.s32", 496}, Row{"min.u32", 0}, Row{"max.u32", 31},
                         Row{"and.b32", 0}, Row{"or.b32", 31}, Row{"xor.b32", 0}}) {
    INFO(row.name);
    REQUIRE(run_body(std::string("redux.sync.") + row.name + " %r9, %r1, -1;")[11] == row.expected);
  }
  REQUIRE(run_body("sub.s32 %r3, %r1, 10;\n redux.sync.min.s32 %r9, %r3, -1;")[0] ==
          static_cast<uint32_t>(-10));
  REQUIRE(run_body(
              "cvt.rn.f32.s32 %r3, %r1;\n neg.f32 %r4, %r3;\n redux.sync.min.abs.f32 %r9, %r4, -1;")
              [0] == 0);
}

TEST_CASE("elect chooses the lowest lane") {
  const auto out = run_body(
      "setp.gt.u32 %p1, %r1, 4;\n mov.u32 %r9, 99;\n @!%p1 bra DONE;\n elect.sync %r3|%p2, 0xffffffe0;\n "
      "selp.u32 %r9, 1, 0, %p2;\n DONE:");
  for (uint32_t lane = 0; lane < 32; ++lane)
    REQUIRE(out[lane] == (lane < 5 ? 99u : lane == 5 ? 1u : 0u));
}

TEST_CASE("activemask is the lanes that execute it") {
  const auto out =
      run_body("mov.u32 %r9, 0;\n setp.lt.u32 %p1, %r1, 10;\n @%p1 activemask.b32 %r9;");
  REQUIRE(out[0] == 0x3ffu);
  REQUIRE(out[10] == 0);
}

TEST_CASE("lane masks and ids are those of the lane") {
  REQUIRE(run_body("mov.u32 %r9, %lanemask_lt;")[5] == 31);
  REQUIRE(run_body("mov.u32 %r9, %lanemask_ge;")[5] == 0xffffffe0u);
  REQUIRE(run_body("mov.u32 %r9, %lanemask_gt;")[31] == 0);
  REQUIRE(run_body("mov.u32 %r9, %laneid;")[17] == 17);
}

TEST_CASE("vectors are packed into a wide register and taken apart") {
  REQUIRE(run_body("mov.b64 %rd7, {%r1, %r2};\n mov.b64 {%r8, %r9}, %rd7;")[6] == in(6));
  REQUIRE(run_body("mov.b64 %rd7, {%r2, %r1};\n mov.b64 {%r9, _}, %rd7;")[6] == in(6));
}
