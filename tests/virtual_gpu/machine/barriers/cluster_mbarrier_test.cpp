// What crosses blocks of a cluster in PTX: mapa and its relatives, remote arrivals, st.async and red.async.
#include "tests/catch.h"
#include "tests/virtual_gpu/machine/ptx_kernel.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::Device;
using ridge::machine::test::ptx_kernel;
using ridge::machine::test::ptx_module;

namespace {

struct Run {
  LaunchOutcome outcome;
  std::vector<uint32_t> out;
};

// A body run by clusters of so many blocks, a single cluster; out has 64 words per block, %rd38 its block's.
Run run_cluster(const std::string& body, uint32_t blocks, uint32_t threads = 1) {
  const char* const shared = ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 box[1024];";
  const std::string begin = R"(mov.u32 %r39, %cluster_ctarank;
mul.wide.u32 %rd38, %r39, 256;
add.u64 %rd38, %rd38, %rd39;
)";
  Device device(ptx_module(ptx_kernel("k", begin + body, shared)));
  device.config.deadlock_after_s = 0.05;
  device.config.cluster = {blocks, 1, 1};
  const uint64_t out = device.upload(std::vector<uint32_t>(size_t{64} * blocks, 0));
  Run run{device.launch("k", {blocks, 1, 1}, {threads, 1, 1}, out), {}};
  run.out = device.download<uint32_t>(out, size_t{64} * blocks);
  return run;
}

const std::string kSync = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n";

}  // namespace

TEST_CASE("addresses of other blocks' shared memory contain rank and space") {
  const Run run = run_cluster(R"(mov.u32 %r1, box;
xor.b32 %r2, %r39, 1;
mapa.shared::cluster.u32 %r3, %r1, %r2;
getctarank.shared::cluster.u32 %r4, %r3;
st.global.u32 [%rd38], %r4;
getctarank.shared::cluster.u32 %r4, %r1;
st.global.u32 [%rd38+4], %r4;
mov.u64 %rd1, box;
cvta.shared.u64 %rd1, %rd1;
mapa.u64 %rd2, %rd1, %r2;
getctarank.u64 %r4, %rd2;
st.global.u32 [%rd38+8], %r4;
isspacep.shared::cta %p0, %rd2;
selp.u32 %r5, 1, 0, %p0;
isspacep.shared::cluster %p0, %rd2;
selp.u32 %r6, 2, 0, %p0;
isspacep.shared %p0, %rd1;
selp.u32 %r7, 4, 0, %p0;
isspacep.global %p0, %rd2;
selp.u32 %r8, 8, 0, %p0;
add.u32 %r5, %r5, %r6;
add.u32 %r5, %r5, %r7;
add.u32 %r5, %r5, %r8;
st.global.u32 [%rd38+12], %r5;
mapa.u64 %rd3, %rd1, %r39;
isspacep.shared::cta %p0, %rd3;
selp.u32 %r5, 1, 0, %p0;
st.global.u32 [%rd38+16], %r5;
st.u32 [%rd3], %r39;
ld.shared.u32 %r9, [box];
st.global.u32 [%rd38+20], %r9;
mapa.shared::cluster.u64 %rd4, %rd5, %r2;
)" + kSync,
                              4);
  if (run.outcome.fault) FAIL(run.outcome.fault->message);
  for (uint32_t rank = 0; rank < 4; ++rank) {
    const std::vector<uint32_t> expected{rank ^ 1, rank, rank ^ 1, 6, 1, rank};
    REQUIRE(std::vector<uint32_t>(run.out.begin() + rank * 64, run.out.begin() + rank * 64 + 6) == expected);
  }
}

TEST_CASE("every block arrives at the barrier of every other, over many phases") {
  for (const uint32_t blocks : {2u, 4u, 8u, 16u}) {
    const Run run = run_cluster("mov.u32 %r1, " + std::to_string(blocks) + R"(;
mbarrier.init.shared::cta.b64 [bar], %r1;
fence.mbarrier_init.release.cluster;
)" + kSync + R"(mov.u32 %r2, 0;
mov.u32 %r10, bar;
round:
mov.u32 %r3, 0;
peer:
mapa.shared::cluster.u32 %r4, %r10, %r3;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];
add.u32 %r3, %r3, 1;
setp.lt.u32 %p0, %r3, %r1;
@%p0 bra peer;
and.b32 %r5, %r2, 1;
wait:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p0, [bar], %r5;
@!%p0 bra wait;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p0, %r2, 25;
@%p0 bra round;
st.global.u32 [%rd38], %r2;
)" + kSync,
                                blocks);
    if (run.outcome.fault) FAIL(run.outcome.fault->message);
    for (uint32_t rank = 0; rank < blocks; ++rank)
      REQUIRE(run.out[rank * 64] == 25);
  }
}

TEST_CASE("st.async and red.async land when their mbarrier is waited for, not before") {
  // Block 0 sends; block 1 looks before the wait and after it.
  const Run run = run_cluster(R"(mov.u32 %r1, 0;
st.shared.v4.u32 [box], {%r1, %r1, %r1, %r1};
mov.u32 %r1, 100;
st.shared.u32 [box+16], %r1;
mov.u64 %rd1, 1;
st.shared.u64 [box+24], %rd1;
mbarrier.init.shared.b64 [bar], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 28;
)" + kSync + R"(setp.ne.u32 %p1, %r39, 0;
@%p1 bra receive;
mov.u32 %r2, box;
mapa.shared::cluster.u32 %r2, %r2, 1;
mov.u32 %r3, bar;
mapa.shared::cluster.u32 %r3, %r3, 1;
mov.u32 %r4, 11;
mov.u32 %r5, 12;
mov.u32 %r6, 13;
mov.u32 %r7, 14;
st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r2], {%r4, %r5, %r6, %r7}, [%r3];
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r2+16], %r4, [%r3];
mov.u64 %rd2, 5;
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r2+24], %rd2, [%r3];
receive:
)" + kSync + R"(@!%p1 bra end;
ld.shared.u32 %r8, [box+4];
st.global.u32 [%rd38], %r8;
wait:
mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0;
@!%p0 bra wait;
ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [box];
st.global.v4.u32 [%rd38+16], {%r10, %r11, %r12, %r13};
ld.shared.u32 %r8, [box+16];
st.global.u32 [%rd38+4], %r8;
ld.shared.u64 %rd3, [box+24];
st.global.u64 [%rd38+8], %rd3;
end:
)" + kSync,
                              2);
  if (run.outcome.fault) FAIL(run.outcome.fault->message);
  REQUIRE(std::vector<uint32_t>(run.out.begin() + 64, run.out.begin() + 72) ==
          std::vector<uint32_t>{0, 111, 6, 0, 11, 12, 13, 14});
}

TEST_CASE("a deadlock on a remote arrival names the mbarrier and the block it is in") {
  const Run run = run_cluster("mbarrier.init.shared.b64 [bar], 2;\n" + kSync + R"(mov.u32 %r1, bar;
mapa.shared::cluster.u32 %r2, %r1, 0;
setp.eq.u32 %p1, %r39, 0;
@%p1 mbarrier.arrive.shared.b64 %rd0, [bar];
wait:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p0, [bar], 0;
@!%p0 bra wait;
)" + kSync,
                              2);
  REQUIRE(run.outcome.fault);
  REQUIRE(run.outcome.fault->kind == Fault::Kind::deadlock);
  REQUIRE_THAT(run.outcome.fault->message, Catch::Contains("still needs 1 of its 2 arrivals") &&
                                               Catch::Contains("still needs 2 of its 2 arrivals") &&
                                               Catch::Contains("block (1,0,0)"));
}

TEST_CASE("data and mbarrier of an asynchronous store must be in the same block") {
  const Run run = run_cluster("mbarrier.init.shared.b64 [bar], 1;\n" + kSync + R"(mov.u32 %r2, box;
mapa.shared::cluster.u32 %r2, %r2, 1;
mov.u32 %r3, bar;
mapa.shared::cluster.u32 %r3, %r3, 0;
st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r2], %r2, [%r3];
)" + kSync,
                              2);
  REQUIRE(run.outcome.fault);
  REQUIRE_THAT(run.outcome.fault->message, Catch::Contains("names an mbarrier of the block with rank 0"));
}

TEST_CASE("an aligned cluster barrier requires all lanes of a warp at one place") {
  const Run run = run_cluster(
      "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 bra other;\n"
      "barrier.cluster.arrive.aligned;\nbra both;\nother:\nbarrier.cluster.arrive.aligned;\nboth:\n"
      "barrier.cluster.wait.aligned;\n",
      2, 32);
  REQUIRE(run.outcome.fault);
  REQUIRE_THAT(run.outcome.fault->message, Catch::Contains("arrive at the cluster's barrier in two places"));
}

TEST_CASE("register counts, dependent launches, elections and all forms of barriers are understood") {
  const Run run = run_cluster(R"(setmaxnreg.dec.sync.aligned.u32 24;
setmaxnreg.inc.sync.aligned.u32 240;
griddepcontrol.wait;
elect.sync %r1|%p0, 0xffffffff;
selp.u32 %r2, 1, 0, %p0;
elect.sync _|%p1, 0xffffffff;
mov.u32 %r3, %tid.x;
setp.eq.u32 %p2, %r3, 0;
bar.sync 1;
bar.sync 1, 64;
bar.cta.sync 1;
barrier.sync 2;
barrier.sync.aligned 2, 64;
barrier.cta.sync 3;
setp.lt.u32 %p5, %r3, 32;
@%p5 barrier.cta.arrive 4, 64;
@!%p5 barrier.cta.sync.aligned 4, 64;
barrier.cta.red.popc.aligned.u32 %r4, 5, %p2;
barrier.red.or.pred %p3, 6, 64, !%p2;
bar.red.and.pred %p4, 7, %p2;
selp.u32 %r5, 10, 0, %p3;
selp.u32 %r6, 100, 0, %p4;
add.u32 %r4, %r4, %r5;
add.u32 %r4, %r4, %r6;
griddepcontrol.launch_dependents;
nanosleep.u32 40;
@!%p2 bra end;
st.global.u32 [%rd38], %r1;
st.global.u32 [%rd38+4], %r2;
st.global.u32 [%rd38+8], %r4;
end:
)",
                              1, 64);
  if (run.outcome.fault) FAIL(run.outcome.fault->message);
  REQUIRE(std::vector<uint32_t>(run.out.begin(), run.out.begin() + 3) == std::vector<uint32_t>{0, 1, 11});
  for (const char* const bad :
       {"setmaxnreg.dec.sync.aligned.u32 20;", "setmaxnreg.inc.sync.aligned.u32 264;"})
    REQUIRE(run_cluster(bad, 1).outcome.fault->kind == Fault::Kind::unknown_instruction);
}
