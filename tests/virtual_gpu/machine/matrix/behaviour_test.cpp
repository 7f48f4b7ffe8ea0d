// What matrix instructions do beside multiplying: who must take part, when wgmma's results are there, what
// observers get, what is refused.
#include <cmath>
#include <map>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::Device;

namespace {

// 128 threads; A (64 x 16) at 0 and B (8 x 16) at 4096 hold ones, C is 0: every accumulator of one m64n8k16
// becomes 16. %f0..%f3 are the accumulators, %g0..%g3 spare, %r0..%r3 A as registers, all ones.
std::string warpgroup_kernel(const std::string& body) {
  return R"(.version 8.7
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
  .shared .align 1024 .b8 tile[8192];
  .reg .f32 %f<8>, %g<8>;
  .reg .b32 %r<8>, %t, %one;
  .reg .b64 %a, %b, %o, %x;
  .reg .pred %p;
  mov.u32 %t, %tid.x;
  mov.u32 %one, 0x3c003c00;
  mov.u32 %r4, 0;
FILL:
  mad.lo.u32 %r5, %t, 4, %r4;
  st.shared.b32 [%r5], %one;
  add.u32 %r4, %r4, 512;
  setp.lt.u32 %p, %r4, 8192;
  @%p bra FILL;
  fence.proxy.async;
  bar.sync 0;
  mov.u64 %a, 0x4000004000010000;
  mov.u64 %b, 0x4000004000010100;
  mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000;
  mov.b32 %r0, %one; mov.b32 %r1, %one; mov.b32 %r2, %one; mov.b32 %r3, %one;
  wgmma.fence.sync.aligned;
)" + body +
         R"(
  ld.param.u64 %o, [out];
  mul.wide.u32 %x, %t, 16;
  add.u64 %o, %o, %x;
  st.global.v4.f32 [%o], {%f0, %f1, %f2, %f3};
  wgmma.wait_group.sync.aligned 0;
  ret;
}
)";
}

const std::string kMultiply =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %a, %b, 1, 1, 1, 0, 0;\n";
const std::string kFromRegisters =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, %b, 1, 1, 1, "
    "0;\n";
const std::string kCommit = "wgmma.commit_group.sync.aligned;\n";
const std::string kWait = "wgmma.wait_group.sync.aligned 0;\n",
                  kWaitOne = "wgmma.wait_group.sync.aligned 1;\n";

LaunchOutcome launch(const std::string& ptx, std::vector<float>* values = nullptr, uint32_t threads = 128,
                     ObserverFactory* observers = nullptr) {
  Device device(ptx);
  device.observers = observers;
  const uint64_t out = device.upload(std::vector<float>(512));
  auto outcome = device.launch("k", {1, 1, 1}, {threads, 1, 1}, out);
  if (values != nullptr) *values = device.download<float>(out, 512);
  return outcome;
}

std::string simple_kernel(const std::string& body) {
  return ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
         ".shared .align 128 .b8 tile[4096];\n.reg .b32 %r<40>, %t;\n.reg .b64 %d<40>, %o, %x;\n.reg .pred "
         "%p, %q;\n"
         "mov.u32 %t, %tid.x;\nld.param.u64 %o, [out];\nmul.wide.u32 %x, %t, 4;\nadd.u64 %o, %o, %x;\n" +
         body + "\nst.global.b32 [%o], %r0;\nret;\n}\n";
}

}  // namespace

TEST_CASE("wgmma's accumulators arrive when their group was waited for, and not before") {
  struct Row {
    const char* name;
    std::string body;
    float expected;  // NaN: still in flight
  };
  const std::string spoil =
      "st.shared.b32 [4096], 0x40004000;\n bar.sync 0;\n";  // B's first two elements become 2
  const std::string move =
      "mov.f32 %g0, %f0;\nmov.f32 %g1, %f1;\nmov.f32 %g2, %f2;\nmov.f32 %g3, %f3;\nmov.f32 %f0, "
      "0f3f800000;\n";
  const std::string back = "mov.f32 %f0, %g0;\nmov.f32 %f1, %g1;\nmov.f32 %f2, %g2;\nmov.f32 %f3, %g3;\n";
  const Row rows[] = {
      {"waited for", kMultiply + kCommit + kWait, 16},
      {"two in a chain", kMultiply + kMultiply + kCommit + kWait, 32},
      {"two groups of a chain", kMultiply + kCommit + kMultiply + kCommit + kWait, 32},
      {"A from registers", kFromRegisters + kCommit + kWait, 16},
      {"not waited for", kMultiply + kCommit, NAN},
      {"never committed", kMultiply + kWait, NAN},
      {"one group may be pending, and is", kMultiply + kCommit + kWaitOne, NAN},
      {"one group may be pending, another is", kMultiply + kCommit + kCommit + kWaitOne, 16},
      {"the chain's second group is pending", kMultiply + kCommit + kMultiply + kCommit + kWaitOne, NAN},
      {"operand overwritten before the wait", kMultiply + kCommit + spoil + kWait, 18},
      {"moved to other registers in flight", kMultiply + kCommit + move + kWait + back, 16},
      {"goes on in other registers", kMultiply + kCommit + move + back + kMultiply + kCommit + kWait, 32},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    std::vector<float> values;
    const auto outcome = launch(warpgroup_kernel(row.body), &values);
    INFO((outcome.fault ? outcome.fault->message : ""));
    REQUIRE_FALSE(outcome.fault);
    for (const size_t i : {0u, 128u, 509u}) {  // column 0 or 1: with the first elements of B's first row
      if (std::isnan(row.expected))
        CHECK(std::isnan(values[i - i % 16]));
      else
        CHECK(values[i - i % 16] == row.expected);
    }
  }
}

TEST_CASE("touching what a wgmma in flight owns is a fault that names the instruction") {
  struct Row {
    std::string body;
    Fault::Kind kind;
    const char* says;
  };
  const std::string second =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f0,%f2,%f3}, %a, %b, 1, 1, 1, 0, 0;\n";
  const Row rows[] = {
      {kMultiply + "mov.f32 %f1, 0f00000000;\n" + kCommit + kWait, Fault::Kind::race,
       "has written over register 1 of the 4"},
      {kFromRegisters + kCommit + "mov.b32 %r2, 0;\n" + kWait, Fault::Kind::race,
       "changes the registers that hold A"},
      {kMultiply + second + kCommit + kWait, Fault::Kind::race, "another order"},
      {"mov.u64 %b, 0x4000004000013ff0;\n" + kMultiply + kCommit + kWait, Fault::Kind::out_of_bounds,
       "leads to byte 261984"},
      {"setp.lt.u32 %p, %t, 20;\n@%p " + kMultiply + kCommit + kWait, Fault::Kind::barrier,
       "which 12 of the warp's 32 lanes never reach"},
  };
  for (const Row& row : rows) {
    INFO(row.says);
    const auto outcome = launch(warpgroup_kernel(row.body));
    REQUIRE(outcome.fault);
    INFO(outcome.fault->message);
    CHECK(outcome.fault->kind == row.kind);
    CHECK(outcome.fault->message.find(row.says) != std::string::npos);
    CHECK(outcome.fault->message.find("wgmma.mma_async") != std::string::npos);
  }
}

TEST_CASE("a wait is for the whole warpgroup, however far behind one of its warps is") {
  // Warp 3 goes round a loop for longer than a turn; thread 0 overwrites B as soon as its own wait is over.
  const std::string late =
      "setp.lt.u32 %p, %t, 96;\n@%p bra GO;\nLOOP:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p, %r4, 60000;\n@%p "
      "bra LOOP;\nGO:\n";
  const std::string spoil = "setp.eq.u32 %p, %t, 0;\n@%p st.shared.b32 [4096], 0x40004000;\n";
  for (const std::string& product : {kMultiply, kFromRegisters}) {
    std::vector<float> values;
    const auto outcome = launch(warpgroup_kernel(late + product + kCommit + kWait + spoil), &values);
    INFO((outcome.fault ? outcome.fault->message : ""));
    REQUIRE_FALSE(outcome.fault);
    CHECK(values == std::vector<float>(512, 16));
  }
}

TEST_CASE("warps of a warpgroup that execute different wgmma are reported") {
  struct Row {
    std::string body;
    const char* says;
  };
  const std::string late = "setp.ge.u32 %p, %t, 96;\n", pass = kCommit + kWait;
  const Row rows[] = {
      {late + "@%p mov.u64 %b, 0x4000004000010180;\n" + kMultiply + pass,
       "gives its wgmma the descriptor 0x4000004000010180 of B, and warp 0"},
      {late + "@%p mov.u64 %a, 0x4000004000010080;\n" + kMultiply + pass,
       "gives its wgmma the descriptor 0x4000004000010080 of A, and warp 0"},
      {late + "@%p bra OTHER;\n" + kMultiply + pass + "bra END;\nOTHER:\n" + kFromRegisters + pass + "END:\n",
       "executes, as its wgmma number 1, another one than warp 0"},
      {late + "@%p bra END;\n" + kMultiply + pass + "END:\nbar.sync 0;\n",
       "executes wgmma 1 time in all, and warp 3 of its warpgroup (threads 96 to 127) never: it waits at "
       "__syncthreads"},
      {late + "@%p ret;\n" + kMultiply + pass, "(threads 96 to 127) never"},
      {late + "@%p bra END;\n" + kMultiply + kCommit + "END:\n", "(threads 96 to 127) never"},
  };
  for (const Row& row : rows) {
    INFO(row.says);
    const auto outcome = launch(warpgroup_kernel(row.body));
    REQUIRE(outcome.fault);
    INFO(outcome.fault->message);
    CHECK(outcome.fault->kind == Fault::Kind::barrier);
    CHECK(outcome.fault->message.find(row.says) != std::string::npos);
  }
}

TEST_CASE("lanes that come to a matrix instruction one after the other execute it together") {
  const std::string meet =
      "mov.u32 %r1, 1;\nsetp.lt.u32 %p, %t, 9;\n@%p bra LATE;\nadd.u32 %r1, %r1, 1;\nbra MEET;\nLATE:\n"
      "add.u32 %r1, %r1, 5;\nMEET:\n movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;";
  Device device(simple_kernel(meet));
  const uint64_t out = device.upload(std::vector<uint32_t>(32));
  const auto outcome = device.launch("k", {1, 1, 1}, {32, 1, 1}, out);
  REQUIRE_FALSE(outcome.fault);
  const auto values = device.download<uint32_t>(out, 32);
  REQUIRE(values[0] == (6u | 6u << 16));  // elements (0, 0) and (1, 0): lanes 0 and 4
  REQUIRE(values[1] == (6u | 2u << 16));  // (2, 0) and (3, 0): lanes 8 and 12
  REQUIRE(values[31] == 0);               // the high halves, of lanes 27 and 31
}

TEST_CASE("a warp with missing lanes is reported") {
  const auto outcome = launch(simple_kernel("movmatrix.sync.aligned.m8n8.trans.b16 %r0, %t;"), nullptr, 40);
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->kind == Fault::Kind::barrier);
  REQUIRE(outcome.fault->message.find("8 of the 32 lanes") != std::string::npos);
}

TEST_CASE(
    "matrix instructions that sm_90 does not have, or that are not written yet, end the launch with their text") {
  for (const char* instruction :
       {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1,%r2}, [%r0];",
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32 {%r0,%r1,%r2,%r3}, "
        "{%r4,%r5,%r6,%r7}, {%r8,%r9}, "
        "{%r0,%r1,%r2,%r3};",
        "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%r0,%r1,%r2,%r3}, %d0, %d1, %r4, 0, 1, 1, 1, "
        "0, 0;",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, "
        "{%r0,%r1,%r2,%r3};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r8,%r9}, "
        "{%r0,%r1,%r2,%r3};",
        "wmma.load.a.sync.aligned.row.m16n16k4.shared.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%r9];"}) {
    INFO(instruction);
    const auto outcome = launch(simple_kernel(instruction), nullptr, 32);
    REQUIRE(outcome.fault);
    CHECK(outcome.fault->kind == Fault::Kind::unknown_instruction);
    CHECK(outcome.fault->message.find(std::string(instruction).substr(0, 40)) != std::string::npos);
  }
}

TEST_CASE("ldmatrix past the end of shared memory or off a 16-byte boundary is a fault") {
  const auto run = [](const char* address) {
    return launch(simple_kernel(std::string("mad.lo.u32 %r1, %t, 16, ") + address +
                                ";\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r1];"),
                  nullptr, 32);
  };
  REQUIRE_FALSE(run("3968").fault);
  REQUIRE(run("3984").fault->kind == Fault::Kind::out_of_bounds);
  REQUIRE(run("8").fault->kind == Fault::Kind::misaligned);
}

namespace {

struct Observed {
  std::vector<std::pair<uint32_t, uint32_t>> rows;  // mask, bytes
  std::map<uint64_t, int> bulk_bytes;               // by warp
};
struct Listener : Observer {
  explicit Listener(Observed& h) : observed(h) {}
  void access(const Access& a) override {
    if (a.space == AccessSpace::shared && a.kind == AccessKind::load)
      observed.rows.push_back({a.mask, a.bytes});
  }
  void bulk_access(const BulkAccess& a) override {
    for (const auto& run : a.runs)
      observed.bulk_bytes[a.warp] += static_cast<int>(run.bytes);
  }
  Observed& observed;
};
struct Listeners : ObserverFactory {
  std::unique_ptr<Observer> make(const Program&) override {
    return std::make_unique<Listener>(observed);
  }
  void collect(std::unique_ptr<Observer>) override {}
  Observed observed;
};

}  // namespace

TEST_CASE("observers get ldmatrix as rows of 16 bytes, 8 lanes per phase, and of wgmma as runs of bytes") {
  for (const auto& [count, mask] : {std::pair{1, 0xffu}, {2, 0xffffu}, {4, 0xffffffffu}}) {
    Listeners listeners;
    const std::string list = count == 1 ? "{%r0}" : count == 2 ? "{%r0,%r2}" : "{%r0,%r2,%r3,%r4}";
    const auto outcome = launch(simple_kernel("shl.b32 %r1, %t, 4;\nldmatrix.sync.aligned.m8n8.x" +
                                              std::to_string(count) + ".shared.b16 " + list + ", [%r1];"),
                                nullptr, 32, &listeners);
    REQUIRE_FALSE(outcome.fault);
    REQUIRE(listeners.observed.rows == std::vector<std::pair<uint32_t, uint32_t>>{{mask, 16u}});
  }
  Listeners listeners;
  REQUIRE_FALSE(launch(warpgroup_kernel(kMultiply + kCommit + kWait), nullptr, 128, &listeners).fault);
  for (uint64_t warp = 0; warp < 4; ++warp)
    REQUIRE(listeners.observed.bulk_bytes[warp] == 16 * 32 + 8 * 32);  // its rows of A, and B
}

TEST_CASE("in a module compiled for a debugger, a wgmma's result is there at once") {
  std::string ptx = warpgroup_kernel(kMultiply);
  ptx.replace(ptx.find(".target sm_90a"), 14, ".target sm_90a, debug");
  std::vector<float> values;
  REQUIRE_FALSE(launch(ptx, &values).fault);
  REQUIRE(values == std::vector<float>(512, 16.0f));
}
