// cp.async has a fast path for a warp whose addresses have the same pattern as in its last execution.
// These tests change the pattern (rows, holes, bytes left out, lanes that wait alone, mixed groups),
// and compare the bytes copied and the observers' events with those computed from the addresses.
#include <fmt/format.h>

#include <bit>
#include <map>
#include <random>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::Device;

namespace {

constexpr uint32_t kUnits = 256;  // places in memory, each as large as a lane's copy

using Lanes = std::array<uint32_t, 32>;

struct Step {
  uint32_t mask = ~0u;   // lanes that copy,
  uint32_t waits = ~0u;  // and that wait afterwards for all they have asked for
  Lanes to{}, from{}, sizes{};
};

// An access as an observer events it: addresses of the lanes in `mask`.
struct Event {
  uint32_t mask = 0, bytes = 0;
  std::array<uint64_t, 32> addresses{};
  bool operator==(const Event&) const = default;
};

std::vector<Step> make_steps(uint32_t bytes) {
  std::mt19937 random(bytes);
  const auto pick = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  std::vector<Step> steps(600);
  uint32_t shape = 0, lie = 0;
  for (Step& step : steps) {
    if (pick(6) == 0) shape = pick(4);
    if (pick(6) == 0) lie = pick(3);
    step.mask = pick(8) == 0 ? random() | 1 : ~0u;
    step.waits = pick(6) == 0 ? random() : pick(4) == 0 ? 0 : ~0u;
    const uint32_t at = pick(64);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      step.to[lane] = (at + (shape == 0   ? lane
                             : shape == 1 ? lane / 4 * 5 + lane % 4
                             : shape == 2 ? lane ^ 5
                                          : lane * 3)) *
                      bytes;
      step.from[lane] = (at + (lie == 0 ? lane : lie == 1 ? lane / 4 * 20 + lane % 4 : 0)) * bytes;
      step.sizes[lane] = bytes;
    }
    if (pick(10) == 0) step.sizes[pick(32)] = 0;
    if (pick(10) == 0) step.sizes[pick(32)] = bytes / 2;
  }
  steps.back().waits = ~0u;
  return steps;
}

std::string kernel_text(uint32_t bytes) {
  return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.shared .align 16 .b8 pool[{total}];
.visible .entry k(.param .u64 lanes, .param .u64 masks, .param .u64 data, .param .u64 out, .param .u32 steps) {{
  .reg .pred %p, %q, %r; .reg .b32 %i, %a, %n, %m, %size, %lane, %bit, %word, %zero;
  .reg .b64 %w, %lanes, %masks, %data, %out, %t;
  ld.param.u64 %lanes, [lanes]; ld.param.u64 %masks, [masks]; ld.param.u64 %data, [data]; ld.param.u64 %out, [out];
  ld.param.u32 %n, [steps];
  mov.u32 %lane, %tid.x; mov.u32 %bit, 1; shl.b32 %bit, %bit, %lane; mul.wide.u32 %t, %lane, 4; mov.u32 %zero, 0;
  mov.u32 %i, 0;
CLEAR:
  mov.u32 %a, pool; add.u32 %a, %a, %i; st.shared.u32 [%a], %zero;
  add.u32 %i, %i, 4; setp.lt.u32 %p, %i, {total}; @%p bra CLEAR;
  add.s64 %lanes, %lanes, %t;
LOOP:
  ld.global.u32 %m, [%masks]; and.b32 %m, %m, %bit; setp.ne.u32 %q, %m, 0;
  ld.global.u32 %m, [%masks+4]; and.b32 %m, %m, %bit; setp.ne.u32 %r, %m, 0;
  ld.global.u32 %i, [%lanes]; mov.u32 %a, pool; add.u32 %a, %a, %i;
  ld.global.u32 %i, [%lanes+128]; cvt.u64.u32 %w, %i; add.s64 %w, %w, %data;
  ld.global.u32 %size, [%lanes+256];
  @%q cp.async.ca.shared.global [%a], [%w], {bytes}, %size;
  cp.async.commit_group;
  @!%r bra GOES_ON;
  cp.async.wait_all;
GOES_ON:
  bar.warp.sync -1;
  add.s64 %lanes, %lanes, 384; add.s64 %masks, %masks, 8;
  add.u32 %n, %n, -1; setp.ne.u32 %p, %n, 0; @%p bra LOOP;
  mov.u32 %i, 0;
COPY:
  cvt.u64.u32 %w, %i; add.s64 %w, %w, %out; mov.u32 %a, pool; add.u32 %a, %a, %i;
  ld.shared.u32 %word, [%a]; st.global.u32 [%w], %word;
  add.u32 %i, %i, 4; setp.lt.u32 %p, %i, {total}; @%p bra COPY;
  ret;
}}
)",
                     fmt::arg("total", bytes * kUnits), fmt::arg("bytes", bytes));
}

// Hears the one cp.async, and whether `repeats` was said rightly.
struct Recorder : ObserverFactory {
  std::map<AccessKind, std::vector<Event>> events;
  std::map<AccessKind, uint64_t> repeats;

  struct Listener final : Observer {
    Recorder* recorder = nullptr;
    const std::vector<InstructionSource>* sources = nullptr;
    void access(const Access& access) override {
      if ((*sources)[access.instruction].text.find("cp.async.ca") == std::string::npos) return;
      Event now{access.mask, access.bytes, {}};
      std::array<uint64_t, 32> addresses{};
      fill_addresses(access, addresses.data());
      REQUIRE(access.first == addresses[static_cast<size_t>(std::countr_zero(access.mask))]);
      REQUIRE((access.space == AccessSpace::shared) == (access.kind == AccessKind::store));
      for (size_t lane = 0; lane < 32; ++lane)
        if (access.mask >> lane & 1) now.addresses[lane] = addresses[lane];
      std::vector<Event>& before = recorder->events[access.kind];
      if (access.repeats) {
        ++recorder->repeats[access.kind];
        REQUIRE_FALSE(before.empty());
        REQUIRE(before.back().mask == now.mask);
        REQUIRE(before.back().bytes == now.bytes);
        const auto first = static_cast<size_t>(std::countr_zero(now.mask));
        for (size_t lane = 0; lane < 32; ++lane)
          if (now.mask >> lane & 1)
            REQUIRE(now.addresses[lane] - now.addresses[first] ==
                    before.back().addresses[lane] - before.back().addresses[first]);
      }
      before.push_back(now);
    }
  };

  std::unique_ptr<Observer> make(const Program& program) override {
    auto listener = std::make_unique<Listener>();
    listener->recorder = this;
    listener->sources = &sources(program);
    return listener;
  }
  void collect(std::unique_ptr<Observer>) override {}
};

// What the steps do, a lane at a time.
struct Model {
  uint32_t bytes;
  std::vector<std::byte> data, pool;
  std::vector<Event> loads, stores;
  std::vector<Step> pending = {};

  void issue(const Step& step, uint64_t data_at) {
    Event whole{0, bytes, {}};
    std::vector<Event> parts;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (!(step.mask >> lane & 1) || step.sizes[lane] == 0) continue;
      Event part{1u << lane, step.sizes[lane], {}};
      Event& which = step.sizes[lane] == bytes ? whole : part;
      which.mask |= 1u << lane;
      which.addresses[lane] = data_at + step.from[lane];
      if (&which == &part) parts.push_back(part);
    }
    if (whole.mask != 0) loads.push_back(whole);
    loads.insert(loads.end(), parts.begin(), parts.end());
    if (step.mask != 0) pending.push_back(step);
  }
  void wait(uint32_t waits) {
    for (Step& copy : pending) {
      Event landed{copy.mask & waits, bytes, {}};
      copy.mask &= ~waits;
      for (uint32_t lane = 0; lane < 32; ++lane) {
        if (!(landed.mask >> lane & 1)) continue;
        landed.addresses[lane] = copy.to[lane];
        for (uint32_t k = 0; k < bytes; ++k)
          pool[copy.to[lane] + k] = k < copy.sizes[lane] ? data[copy.from[lane] + k] : std::byte{0};
      }
      if (landed.mask != 0) stores.push_back(landed);
    }
    std::erase_if(pending, [](const Step& copy) { return copy.mask == 0; });
  }
};

}  // namespace

TEST_CASE("a repeated cp.async pattern reads and writes the addresses of its lanes [isa]", "[isa]") {
  const uint32_t bytes = GENERATE(4u, 8u, 16u);
  const bool observed = GENERATE(true, false);
  CAPTURE(bytes, observed);
  const std::vector<Step> steps = make_steps(bytes);
  Device device(kernel_text(bytes));
  std::vector<uint32_t> lanes, masks;
  Model model{bytes, std::vector<std::byte>(bytes * kUnits), std::vector<std::byte>(bytes * kUnits), {}, {}};
  for (size_t i = 0; i < model.data.size(); ++i)
    model.data[i] = static_cast<std::byte>(i * 2654435761u >> 13);
  const uint64_t data_at = device.upload(model.data), out_at = device.upload(model.pool);
  for (const Step& step : steps) {
    for (const Lanes* part : {&step.to, &step.from, &step.sizes})
      lanes.insert(lanes.end(), part->begin(), part->end());
    masks.insert(masks.end(), {step.mask, step.waits});
    model.issue(step, data_at);
    model.wait(step.waits);
  }
  Recorder recorder;
  if (observed) device.observers = &recorder;
  const LaunchOutcome outcome =
      device.launch("k", {1, 1, 1}, {32, 1, 1}, device.upload(lanes), device.upload(masks), data_at, out_at,
                    static_cast<uint32_t>(steps.size()));
  if (outcome.fault) FAIL(outcome.fault->message);
  CHECK(device.download<std::byte>(out_at, model.pool.size()) == model.pool);
  if (!observed) return;
  CHECK(recorder.events[AccessKind::load] == model.loads);
  CHECK(recorder.events[AccessKind::store] == model.stores);
  CHECK(recorder.repeats[AccessKind::load] > 100);
  CHECK(recorder.repeats[AccessKind::store] > 100);
}
