// mbarrier, from PTX written by hand: counts, phases, states, and what is said when they are misused.
#include "virtual_gpu/machine/barriers/mbarrier.h"

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/ptx_kernel.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::Device;
using ridge::machine::test::ptx_kernel;
using ridge::machine::test::ptx_module;

namespace {

const char* const kBar = ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 box[1024];";

struct Run {
  LaunchOutcome outcome;
  std::vector<uint32_t> out;
};

// The kernel's body, launched with one block of so many threads; `out` has 64 words, zero at first.
Run run_body(const std::string& body, uint32_t threads = 1) {
  Device device(ptx_module(ptx_kernel("k", body, kBar)));
  device.config.deadlock_after_s = 0.05;
  const uint64_t out = device.upload(std::vector<uint32_t>(64, 0));
  Run run{device.launch("k", {1, 1, 1}, {threads, 1, 1}, out), {}};
  run.out = device.download<uint32_t>(out, 64);
  return run;
}

// %r0 = whether the phase with parity `parity` has completed, stored as the next word of out.
std::string report(int word, const char* parity) {
  return std::string("mbarrier.test_wait.parity.shared::cta.b64 %p0, [bar], ") + parity +
         ";\nselp.u32 %r0, 1, 0, %p0;\nst.global.u32 [%rd39+" + std::to_string(4 * word) + "], %r0;\n";
}

}  // namespace

TEST_CASE("the bits of an mbarrier hold its state") {
  const Mbarrier cases[] = {
      {1, 1, 0, false},
      {0, 5, 4096, true},
      {Mbarrier::kMaxCount, Mbarrier::kMaxCount, -static_cast<int32_t>(Mbarrier::kMaxCount), true},
      {3, 7, static_cast<int32_t>(Mbarrier::kMaxCount), false}};
  for (const Mbarrier& m : cases) {
    const uint64_t bits = m.to_bits();
    REQUIRE(Mbarrier::is_live(bits));
    const Mbarrier back = Mbarrier::from_bits(bits);
    REQUIRE(back.pending == m.pending);
    REQUIRE(back.expected == m.expected);
    REQUIRE(back.bytes == m.bytes);
    REQUIRE(back.parity == m.parity);
  }
  REQUIRE_FALSE(Mbarrier::is_live(~0ull));
  REQUIRE_FALSE(Mbarrier::is_live(0));
  REQUIRE_FALSE(Mbarrier::is_live(Mbarrier::kInvalidated));
}

TEST_CASE("an mbarrier is initialised once, unless it was invalidated or its bytes hold something else") {
  struct Case {
    const char* what;
    std::string between;
    uint32_t threads;
    bool is_fault;
  };
  const std::string init = "mbarrier.init.shared::cta.b64 [bar], 4;\n";
  const std::string arrive = "mbarrier.arrive.shared::cta.b64 _, [bar];\n";
  const Case cases[] = {
      {"by two threads", "", 2, true},
      {"twice by one thread", init, 1, true},
      {"again after arrivals", arrive + arrive + init, 1, true},
      {"again after a phase", arrive + arrive + arrive + arrive + arrive + init, 1, true},
      {"invalidated in between", "mbarrier.inval.shared.b64 [bar];\n" + init, 1, false},
      {"zeros in between", "mov.u64 %rd1, 0;\nst.shared.u64 [bar], %rd1;\n" + init, 1, false},
      {"once", "", 1, false},
  };
  for (const Case& c : cases) {
    INFO(c.what);
    const Run run = run_body(init + c.between + "mbarrier.inval.shared.b64 [bar];\n", c.threads);
    CHECK(run.outcome.fault.has_value() == c.is_fault);
    if (run.outcome.fault && c.is_fault)
      CHECK(run.outcome.fault->message.find("which is initialised already") != std::string::npos);
  }
}

TEST_CASE("a phase completes when its arrivals and its bytes have come") {
  struct Case {
    const char* what;
    std::string body;
    uint32_t parity0_complete, parity1_complete;
  };
  const std::string one = "mbarrier.arrive.shared::cta.b64 _, [bar];\n";
  const Case cases[] = {
      {"nothing yet", "mbarrier.init.shared::cta.b64 [bar], 2;\n", 0, 1},
      {"one of two", "mbarrier.init.shared::cta.b64 [bar], 2;\n" + one, 0, 1},
      {"two of two", "mbarrier.init.shared::cta.b64 [bar], 2;\n" + one + one, 1, 0},
      {"a count",
       "mbarrier.init.shared.b64 [bar], 5;\nmbarrier.arrive.release.cta.shared::cta.b64 %rd0, [bar], 5;\n", 1,
       0},
      {"two phases", "mbarrier.init.shared.b64 [bar], 1;\n" + one + one, 0, 1},
      {"bytes missing",
       "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n", 0, 1},
      {"bytes come",
       "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd0, "
       "[bar], 64;\n"
       "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 64;\n",
       1, 0},
      {"bytes come early",
       "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.complete_tx.shared::cta.b64 [bar], 64;\n"
       "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 64;\n" +
           one,
       1, 0},
      {"some of the bytes",
       "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n"
       "mbarrier.complete_tx.shared::cta.b64 [bar], 63;\n",
       0, 1},
      {"dropped",
       "mbarrier.init.shared.b64 [bar], 2;\nmbarrier.arrive_drop.shared::cta.b64 _, [bar];\n" + one, 1, 0},
      {"dropped, then the next phase is smaller",
       "mbarrier.init.shared.b64 [bar], 2;\nmbarrier.arrive_drop.shared.b64 %rd0, [bar];\n" + one + one, 0,
       1},
      {"dropped with a count",
       "mbarrier.init.shared.b64 [bar], 4;\nmbarrier.arrive_drop.release.cta.shared::cta.b64 %rd0, [bar], "
       "3;\n" +
           one + one,
       0, 1},
      {"dropped with bytes",
       "mbarrier.init.shared.b64 [bar], 2;\nmbarrier.arrive_drop.expect_tx.shared::cta.b64 %rd0, [bar], "
       "8;\n" +
           one + "mbarrier.complete_tx.shared::cta.b64 [bar], 8;\n",
       1, 0},
      {"not the last, said so",
       "mbarrier.init.shared.b64 [bar], 3;\nmbarrier.arrive.noComplete.shared.b64 %rd0, [bar], 2;\n" + one, 1,
       0},
      {"generic address",
       "mbarrier.init.shared.b64 [bar], 1;\nmov.u64 %rd1, bar;\ncvta.shared.u64 %rd1, "
       "%rd1;\nmbarrier.arrive.b64 %rd0, [%rd1];\n",
       1, 0},
      {"used anew",
       "mbarrier.init.shared.b64 [bar], 1;\n" + one +
           "mbarrier.inval.shared.b64 [bar];\nmbarrier.init.shared.b64 [bar], 1;\n",
       0, 1},
  };
  for (const Case& c : cases) {
    INFO(c.what);
    const Run run = run_body(c.body + report(0, "0") + report(1, "1"));
    REQUIRE_FALSE(run.outcome.fault);
    REQUIRE(run.out[0] == c.parity0_complete);
    REQUIRE(run.out[1] == c.parity1_complete);
  }
}

TEST_CASE("the state of an arrival tells its phase and what it had pending") {
  const Run run = run_body(R"(mbarrier.init.shared.b64 [bar], 3;
mbarrier.arrive.shared.b64 %rd0, [bar];
mbarrier.arrive.shared.b64 %rd1, [bar];
mbarrier.pending_count.b64 %r1, %rd0;
mbarrier.pending_count.b64 %r2, %rd1;
st.global.u32 [%rd39], %r1;
st.global.u32 [%rd39+4], %r2;
mbarrier.test_wait.shared.b64 %p0, [bar], %rd0;
selp.u32 %r0, 1, 0, %p0;
st.global.u32 [%rd39+8], %r0;
mbarrier.arrive.shared.b64 %rd2, [bar];
mbarrier.test_wait.acquire.cta.shared::cta.b64 %p0, [bar], %rd0;
selp.u32 %r0, 1, 0, %p0;
st.global.u32 [%rd39+12], %r0;
mbarrier.try_wait.shared::cta.b64 %p0, [bar], %rd2, 1000;
selp.u32 %r0, 1, 0, %p0;
st.global.u32 [%rd39+16], %r0;
)");
  REQUIRE_FALSE(run.outcome.fault);
  REQUIRE(std::vector<uint32_t>(run.out.begin(), run.out.begin() + 5) ==
          std::vector<uint32_t>{3, 2, 0, 1, 1});
}

TEST_CASE("all lanes and warps of a block arrive and wait over many phases") {
  // Each round every thread passes its value on to the next one, through a box that the barrier guards.
  const Run run = run_body(R"(mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra ready;
mbarrier.init.shared.b64 [bar], 64;
ready:
bar.sync 0;
mov.u32 %r2, 0;
mov.u32 %r3, %r1;
mov.u32 %r10, box;
shl.b32 %r4, %r1, 2;
add.u32 %r4, %r4, %r10;
add.u32 %r5, %r1, 1;
and.b32 %r5, %r5, 63;
shl.b32 %r5, %r5, 2;
add.u32 %r5, %r5, %r10;
round:
st.shared.u32 [%r4], %r3;
mbarrier.arrive.shared.b64 %rd0, [bar];
wait1:
mbarrier.try_wait.shared.b64 %p0, [bar], %rd0;
@!%p0 bra wait1;
ld.shared.u32 %r3, [%r5];
mbarrier.arrive.shared.b64 %rd0, [bar];
wait2:
mbarrier.try_wait.shared.b64 %p0, [bar], %rd0;
@!%p0 bra wait2;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p0, %r2, 100;
@%p0 bra round;
mul.wide.u32 %rd1, %r1, 4;
add.u64 %rd1, %rd1, %rd39;
st.global.u32 [%rd1], %r3;
)",
                           64);
  if (run.outcome.fault) FAIL(run.outcome.fault->message);
  for (uint32_t i = 0; i < 64; ++i)
    REQUIRE(run.out[i] == (i + 100) % 64);
}

TEST_CASE("a producer lane and a consumer lane of one warp both make progress") {
  const Run run = run_body(R"(mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared.b64 [bar], 1;
@%p1 bra consumer;
mov.u32 %r2, 7;
st.shared.u32 [box], %r2;
mbarrier.arrive.shared.b64 %rd0, [bar];
bra end;
consumer:
mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p0, [bar], 0, 20000;
@!%p0 bra consumer;
ld.shared.u32 %r2, [box];
st.global.u32 [%rd39], %r2;
end:
)",
                           2);
  if (run.outcome.fault) FAIL(run.outcome.fault->message);
  REQUIRE(run.out[0] == 7);
}

TEST_CASE("copies that cp.async.mbarrier.arrive follows have landed when the phase completes, not before") {
  for (const bool counts_itself : {true, false}) {
    const std::string noinc = counts_itself ? "" : ".noinc";
    const std::string own_arrival = counts_itself ? "mbarrier.arrive.shared.b64 %rd0, [bar];\n" : "";
    const Run run = run_body(
        "mov.u32 %r1, 0;\nst.shared.u32 [box], %r1;\nmov.u32 %r1, 99;\nst.global.u32 [%rd39], %r1;\n"
        "mbarrier.init.shared.b64 [bar], 1;\ncp.async.ca.shared.global [box], [%rd39], 4;\n"
        "cp.async.mbarrier.arrive" +
        noinc + ".shared::cta.b64 [bar];\nld.shared.u32 %r2, [box];\nst.global.u32 [%rd39+4], %r2;\n" +
        own_arrival + report(2, "0") + "ld.shared.u32 %r2, [box];\nst.global.u32 [%rd39+12], %r2;\n");
    if (run.outcome.fault) FAIL(run.outcome.fault->message);
    REQUIRE(run.out[1] == 0);
    REQUIRE(run.out[2] == 1);
    REQUIRE(run.out[3] == 99);
  }
}

TEST_CASE("misuse of an mbarrier ends the launch with the numbers") {
  struct Case {
    std::string body;
    const char* says;
    Fault::Kind kind = Fault::Kind::barrier;
  };
  const std::string one = "mbarrier.arrive.shared.b64 %rd0, [bar];\n",
                    init1 = "mbarrier.init.shared.b64 [bar], 1;\n";
  const Case cases[] = {
      {one, "never initialised: its 8 bytes hold 0xffffffffffffffff"},
      {"mbarrier.test_wait.parity.shared.b64 %p0, [bar], 0;\n", "never initialised"},
      {init1 + "mov.u64 %rd1, 0;\nst.shared.u64 [bar], %rd1;\n" + one, "something has written over it"},
      {init1 + "mbarrier.inval.shared.b64 [bar];\n" + one, "which mbarrier.inval has ended"},
      {"mbarrier.init.shared.b64 [bar], 0;\n", "with 0 arrivals per phase, and it can have 1 to 1048575"},
      {"mbarrier.init.shared.b64 [bar], 3;\n" + one + "mbarrier.arrive.shared::cta.b64 %rd0, [bar], 3;\n",
       "arrives 3 times at the mbarrier `bar`, and its phase 0 has room for 2 more: init gave it 3"},
      {init1 + "mbarrier.arrive.expect_tx.shared::cta.b64 %rd0, [bar], 16;\n" + one,
       "its phase 0 has all 1 of its arrivals already"},
      {init1 + "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 1048575;\n"
               "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 1;\n",
       "wait for 1048576 bytes, and a phase can count 1048575"},
      {init1 + "mbarrier.arrive.noComplete.shared.b64 %rd0, [bar], 1;\n", ".noComplete"},
      {init1 + "mov.u32 %r1, 4;\nmbarrier.arrive.shared.b64 %rd0, [%r1];\n", "not a multiple of 8",
       Fault::Kind::misaligned},
      {"mov.u32 %r1, 4096;\nmbarrier.init.shared.b64 [%r1], 1;\n", "at offset 4096 of shared memory",
       Fault::Kind::out_of_bounds},
      {"mbarrier.init.b64 [%rd39], 1;\n", "which is not in shared memory"},
  };
  for (const Case& c : cases) {
    INFO(c.body);
    const Run run = run_body(c.body);
    REQUIRE(run.outcome.fault);
    INFO(run.outcome.fault->message);
    REQUIRE(run.outcome.fault->kind == c.kind);
    REQUIRE_THAT(run.outcome.fault->message, Catch::Contains(c.says));
  }
}

TEST_CASE("a wait for a phase that never completes is a deadlock that says what is outstanding") {
  const Run run = run_body(
      "mbarrier.init.shared.b64 [bar], 2;\nmbarrier.arrive.expect_tx.shared::cta.b64 %rd0, [bar], 4096;\n"
      "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0;\n@!%p0 bra again;\n");
  REQUIRE(run.outcome.fault);
  REQUIRE(run.outcome.fault->kind == Fault::Kind::deadlock);
  REQUIRE_THAT(run.outcome.fault->message,
               Catch::Contains("waits at") &&
                   Catch::Contains("phase 0 (parity 0) of the mbarrier `bar`") &&
                   Catch::Contains("still needs 1 of its 2 arrivals and 4096 bytes"));
  CHECK(run.outcome.fault->cause.id == "mbarrier_phase");
}

TEST_CASE("an mbarrier whose phases nobody waits for got more arrivals than init gave it") {
  const Run run = run_body(
      "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.shared::cta.b64 %rd0, [bar];\n"
      "mbarrier.arrive.shared::cta.b64 %rd0, [bar];\n"
      "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0;\n@!%p0 bra again;\n");
  REQUIRE(run.outcome.fault);
  INFO(run.outcome.fault->message);
  REQUIRE(run.outcome.fault->kind == Fault::Kind::deadlock);
  CHECK(run.outcome.fault->cause.id == "mbarrier_overrun");
}

TEST_CASE("warps that wait for the same thing share one line of the report") {
  const Run run = run_body(
      "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra made;\n"
      "mbarrier.init.shared.b64 [bar], 2;\nmade:\nbar.sync 0;\n"
      "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0;\n@!%p0 bra again;\n",
      128);
  REQUIRE(run.outcome.fault);
  const std::string& message = run.outcome.fault->message;
  INFO(message);
  const size_t list = message.find("who waits where:");
  REQUIRE(list != std::string::npos);
  CHECK_THAT(message.substr(list),
             Catch::Contains("thread (0,0,0) of block (0,0,0), and 3 more of its warps, waits"));
  CHECK(message.find("waits at", message.find("waits at", list) + 1) == std::string::npos);
}

TEST_CASE("a wait with a timeout that never succeeds is a deadlock, a delay by the clock is not") {
  const Run stuck = run_body(
      "mbarrier.init.shared.b64 [bar], 2;\nmbarrier.arrive.shared::cta.b64 %rd0, [bar];\n"
      "again:\nmbarrier.test_wait.parity.shared::cta.b64 %p0, [bar], 0;\n@%p0 bra done;\n"
      "mov.u64 %rd1, %globaltimer;\nnanosleep.u32 100;\nbra again;\ndone:\n");
  REQUIRE(stuck.outcome.fault);
  REQUIRE(stuck.outcome.fault->kind == Fault::Kind::deadlock);
  REQUIRE_THAT(stuck.outcome.fault->message, Catch::Contains("still needs 1 of its 2 arrivals"));

  const Run delayed = run_body(
      "mov.u64 %rd1, %globaltimer;\nadd.u64 %rd1, %rd1, 200000000;\nagain:\nnanosleep.u32 100;\n"
      "mov.u64 %rd2, %globaltimer;\nsetp.lt.u64 %p0, %rd2, %rd1;\n@%p0 bra again;\n");
  REQUIRE_FALSE(delayed.outcome.fault);
}
