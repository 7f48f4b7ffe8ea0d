// One kernel with loops hot enough to be compiled, run with the second tier and without: results, counts,
// faults and the observers' events are the same, however the lanes' addresses move while it runs.
#include <array>
#include <cstring>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/ptx_kernel.h"
#include "tests/virtual_gpu/machine/virtual_device.h"
#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/native/native_code.h"
#include "virtual_gpu/observe/checks.h"
#include "virtual_gpu/observe/counts/launch_counter.h"
#include "virtual_gpu/observe/observer_list.h"

using namespace ridge;
using namespace ridge::machine;

namespace {

constexpr uint32_t kBlocks = 3, kThreads = 104, kTurns = 300;  // the last warp is a partial one
constexpr uint64_t kElements = 1 << 16;

// Each turn loads one element per lane and one for all, passes them on through shared memory, and adds up. At
// turn `change` the lanes' addresses come to lie otherwise; at `beyond` they leave the array. The lanes below
// 5 then go through a loop of their own.
const char* const kKernel = R"(
.visible .entry walk(.param .u64 out, .param .u64 in, .param .u32 change, .param .u32 beyond) {
.reg .b32 %r<40>;
.reg .b64 %rd<40>;
.reg .f32 %f<20>;
.reg .pred %p<10>;
.shared .align 16 .b8 tile[2048];
ld.param.u64 %rd1, [out];
ld.param.u64 %rd2, [in];
ld.param.u32 %r1, [change];
ld.param.u32 %r2, [beyond];
mov.u32 %r3, %tid.x;
mov.u32 %r4, %ctaid.x;
mov.u32 %r5, %ntid.x;
mad.lo.s32 %r6, %r4, %r5, %r3;
mul.wide.u32 %rd3, %r6, 4;
add.s64 %rd4, %rd2, %rd3;
mov.u64 %rd5, %rd2;
mov.u32 %r7, tile;
shl.b32 %r8, %r3, 2;
add.s32 %r9, %r7, %r8;
xor.b32 %r10, %r3, 1;
shl.b32 %r11, %r10, 2;
add.s32 %r12, %r7, %r11;
shr.u32 %r13, %r3, 3;
shl.b32 %r14, %r13, 4;
add.s32 %r15, %r7, %r14;
mov.u32 %r16, 0;
mov.f32 %f1, 0f00000000;
mov.f32 %f2, 0f00000000;
TURN:
ld.global.f32 %f3, [%rd4];
ld.global.f32 %f4, [%rd5+4];
ld.global.v4.f32 {%f10, %f11, %f12, %f13}, [%rd5+16];
fma.rn.f32 %f1, %f3, %f4, %f1;
add.f32 %f1, %f1, %f12;
st.shared.f32 [%r9], %f1;
bar.sync 0;
ld.shared.f32 %f5, [%r12];
ld.shared.f32 %f6, [%r7+8];
ld.shared.f32 %f7, [%r15];
ld.shared.f32 %f8, [%r15+4];
bar.sync 0;
fma.rn.f32 %f2, %f5, %f6, %f2;
sub.f32 %f9, %f7, %f8;
fma.rn.f32 %f2, %f9, 0f3f000000, %f2;
mul.f32 %f1, %f1, 0f3e800000;
add.s64 %rd4, %rd4, 8;
add.s64 %rd5, %rd5, 32;
setp.ne.s32 %p1, %r16, %r1;
@%p1 bra AS_BEFORE;
add.s64 %rd4, %rd4, %rd3;
AS_BEFORE:
setp.ne.s32 %p2, %r16, %r2;
@%p2 bra INSIDE;
add.s64 %rd4, %rd4, 1048576;
INSIDE:
add.s32 %r16, %r16, 1;
setp.lt.s32 %p3, %r16, 300;
@%p3 bra TURN;
setp.ge.u32 %p4, %r3, 5;
@%p4 bra REST;
mov.u32 %r17, 0;
SOME:
ld.global.f32 %f14, [%rd2+8];
fma.rn.f32 %f2, %f14, %f2, 0f3f800000;
min.f32 %f2, %f2, 0f42c80000;
add.s32 %r17, %r17, 1;
setp.lt.s32 %p5, %r17, 200;
@%p5 bra SOME;
REST:
add.s64 %rd6, %rd1, %rd3;
add.f32 %f2, %f2, %f1;
st.global.f32 [%rd6], %f2;
ret;
}
)";

// A hash of all events that an observer gets, and their number.
class Listener final : public Observer {
 public:
  void access(const Access& access) override {
    uint64_t lanes[32];
    fill_addresses(access, lanes);
    for (uint32_t lane = 0; lane < 32; ++lane)
      add(access.mask >> lane & 1 ? lanes[lane] - base : 0);
    for (const uint64_t part : {uint64_t{access.instruction}, uint64_t{access.mask}, uint64_t{access.bytes},
                                uint64_t{access.repeats}, access.block, uint64_t{access.warp}})
      add(part);
    ++accesses;
  }
  void issued(uint32_t first, uint32_t last, uint32_t mask) override {
    add(uint64_t{first} << 32 | last);
    add(mask);
    issues += last - first;
  }
  uint64_t hash = 0, accesses = 0, issues = 0;
  uint64_t base = 0;  // of the input: it lies elsewhere in every run

 private:
  void add(uint64_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15u + (hash >> 29); }
};
class Listening final : public ObserverFactory {
 public:
  explicit Listening(uint64_t base) : base_(base) {}
  std::unique_ptr<Observer> make(const Program&) override {
    auto made = std::make_unique<Listener>();
    made->base = base_;
    return made;
  }
  void collect(std::unique_ptr<Observer> observer) override {
    observed = static_cast<Listener&>(*observer);
  }
  Listener observed;

 private:
  uint64_t base_;
};

enum class Watching { nobody, listener, counter_and_checks };

struct Result {
  std::vector<float> values;
  std::string fault;
  uint64_t warp_instructions = 0;
  std::array<uint64_t, 3> observed{};
  std::vector<uint64_t> counts;
  uint32_t compiled = 0, refused = 0;  // stretches; refused: hot, but the generator failed
};

Result run_walk(bool with_native, Watching watching, uint32_t change, uint32_t beyond,
                unsigned host_threads = 1) {
  test::Device device(test::ptx_module(kKernel));
  std::vector<float> in(kElements);
  for (size_t k = 0; k < in.size(); ++k)
    in[k] = static_cast<float>(static_cast<int>(k * 7 % 64) - 32) * 0.125f;
  const uint64_t in_at = device.upload(in, "in");
  device.memory.record_written(in_at, kElements * sizeof(float));
  const uint64_t out_at = device.upload(std::vector<float>(kBlocks * kThreads), "out");
  // Ours alone: decoded for this run, and made as no const object.
  const auto program = std::const_pointer_cast<Program>(device.program("walk"));
  if (!with_native) program->native = nullptr;
  device.config.grid = {kBlocks, 1, 1};
  device.config.block = {kThreads, 1, 1};
  device.config.host_threads = host_threads;
  device.config.parameters.resize(24);
  std::memcpy(device.config.parameters.data(), &out_at, 8);
  std::memcpy(device.config.parameters.data() + 8, &in_at, 8);
  std::memcpy(device.config.parameters.data() + 16, &change, 4);
  std::memcpy(device.config.parameters.data() + 20, &beyond, 4);

  Listening listening(in_at);
  observe::LaunchCounter counter;
  observe::Checks checks({}, device.config, device.memory);
  observe::ObserverList list;
  if (watching == Watching::listener) list.add(listening);
  if (watching == Watching::counter_and_checks) {
    list.add(checks);
    list.add(counter);
  }
  const LaunchOutcome outcome =
      run(*program, device.config, device.memory, watching == Watching::nobody ? nullptr : &list);
  Result result;
  result.values = device.download<float>(out_at, kBlocks * kThreads);
  if (outcome.fault) {
    result.fault = outcome.fault->message.substr(0, outcome.fault->message.find(':')) + " ptx line " +
                   std::to_string(outcome.fault->ptx_line) + " thread " +
                   std::to_string(outcome.fault->thread.x) + " block " +
                   std::to_string(outcome.fault->block.x);
  }
  result.warp_instructions = outcome.warp_instructions;
  result.observed = {listening.observed.hash, listening.observed.accesses,
                     listening.observed.issues};
  if (watching == Watching::counter_and_checks && !outcome.fault) {
    for (const trace::InstructionCounts& c : counter.report().instructions) {
      for (const uint64_t count : {uint64_t{c.ptx_line}, c.executions, c.lanes, c.requests, c.sectors, c.tags,
                                   c.wavefronts, c.ideal_wavefronts, c.bytes})
        result.counts.push_back(count);
    }
  }
  for (size_t pc = 0; program->native != nullptr && pc < program->ops.size(); ++pc) {
    for (const NativeEntry::Variant* variants :
         {program->native->entries()[pc].full, program->native->entries()[pc].masked})
      for (int k = 0; k < 2; ++k) {
        result.compiled += variants[k].run != nullptr;
        result.refused += variants[k].run == nullptr && variants[k].heat > 40;
      }
  }
  return result;
}

void compare(Watching watching, uint32_t change, uint32_t beyond) {
  CAPTURE(static_cast<int>(watching), change, beyond);
  const Result plain = run_walk(false, watching, change, beyond);
  CAPTURE(plain.fault);
  for (const unsigned host_threads : {1u, 3u}) {
    const Result native =
        run_walk(true, watching, change, beyond, watching == Watching::listener ? 1 : host_threads);
    if (native_tier_text() == "AVX-512") CHECK(native.compiled >= 5);
    CHECK(native.refused == 0);
    CHECK(native.fault == plain.fault);
    CHECK(native.counts == plain.counts);
    CHECK(native.observed == plain.observed);
    if (plain.fault.empty()) {
      CHECK(native.warp_instructions == plain.warp_instructions);
      CHECK(std::memcmp(native.values.data(), plain.values.data(), plain.values.size() * 4) == 0);
    }
  }
}

constexpr uint32_t kNever = 0xffffffffu;

}  // namespace

TEST_CASE("a kernel computes and counts the same with native code and without") {
  for (const Watching watching : {Watching::nobody, Watching::listener, Watching::counter_and_checks})
    compare(watching, kNever, kNever);
  const Result plain = run_walk(false, Watching::nobody, kNever, kNever);
  CHECK(plain.compiled == 0);
  CHECK(plain.values[7] != 0);
  CHECK(run_walk(false, Watching::listener, kNever, kNever).observed[1] > kBlocks * 4 * kTurns * 8);
}

TEST_CASE("native code notices that the lanes of an access no longer lie as they did") {
  for (const Watching watching : {Watching::nobody, Watching::listener, Watching::counter_and_checks})
    compare(watching, 120, kNever);
}

TEST_CASE("an access beyond its array ends the launch with the same fault out of native code") {
  CHECK(run_walk(false, Watching::nobody, kNever, 200).fault.starts_with("Out of bounds"));
  for (const Watching watching : {Watching::nobody, Watching::listener, Watching::counter_and_checks})
    compare(watching, kNever, 200);
}
