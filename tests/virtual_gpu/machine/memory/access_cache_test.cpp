// An access has a fast path for a warp whose addresses have the same pattern as in its last execution.
// These tests go through every kind of pattern for a load and a store, repeated, moved and mixed, and
// compare the bytes moved and the observers' events with those computed from the addresses. CTest
// runs them for every instruction set.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::Device;

namespace {

constexpr uint32_t kUnits = 512;  // places in memory, each as large as a lane's access

struct Step {
  uint32_t mask;
  std::array<uint32_t, 32> unit;  // which place each lane goes to
};

template <class F>
Step step(uint32_t mask, F unit) {
  Step result{mask, {}};
  for (uint32_t lane = 0; lane < 32; ++lane)
    result.unit[lane] = unit(lane) % kUnits;
  return result;
}

std::vector<Step> every_shape() {
  std::vector<Step> steps;
  const uint32_t masks[] = {0xffffffffu, 0x0000ffffu, 0xfffffff0u, 0x00010000u, 0x5a5a0ff0u};
  for (const uint32_t mask : masks) {
    for (uint32_t again = 0; again < 3; ++again) {
      const uint32_t at = 40 * again;
      for (uint32_t twice = 0; twice < 3; ++twice) {
        steps.push_back(step(mask, [&](uint32_t l) { return at + twice + l; }));  // side by side
      }
      for (uint32_t twice = 0; twice < 3; ++twice) {
        steps.push_back(step(mask, [&](uint32_t) { return at + 100 * twice; }));  // the same
      }
      for (uint32_t twice = 0; twice < 2; ++twice) {
        steps.push_back(step(mask, [&](uint32_t l) { return at + 400 - 3 * l + twice; }));  // downwards
        steps.push_back(step(mask, [&](uint32_t l) { return at + 400 - 3 * l + twice; }));
        steps.push_back(step(mask, [&](uint32_t l) { return at + l / 16 * 32 + l % 16 + twice; }));  // 16 x 2
        steps.push_back(step(mask, [&](uint32_t l) { return at + 1 + l / 16 * 32 + l % 16 + twice; }));
        steps.push_back(step(mask, [&](uint32_t l) { return at + l / 8 + twice; }));  // shared by eight lanes
        steps.push_back(step(mask, [&](uint32_t l) { return at + 5 + l / 8 + twice; }));
        steps.push_back(step(mask, [&](uint32_t l) { return at + (l ^ 7); }));  // a permutation
        steps.push_back(step(mask, [&](uint32_t l) { return at + 9 + (l ^ 7); }));
        steps.push_back(step(mask, [&](uint32_t l) { return (l * 2654435761u >> 7) + at; }));  // anywhere
        steps.push_back(step(mask, [&](uint32_t l) { return (l * 2654435761u >> 7) + at + 1; }));
      }
      steps.push_back(step(mask, [&](uint32_t l) { return kUnits - 32 + l; }));  // up to the last byte
      steps.push_back(step(mask, [&](uint32_t l) { return kUnits - 32 + l; }));
    }
  }
  // Never the same: the executor stops trying, and has to begin again.
  for (uint32_t k = 0; k < 300; ++k)
    steps.push_back(step(0xffffffffu, [&](uint32_t l) { return (l * (2 * k + 3) * 40503u >> 3) + k; }));
  for (uint32_t k = 0; k < 40; ++k)
    steps.push_back(step(0xffffffffu, [&](uint32_t l) { return k + l; }));
  return steps;
}

struct Width {
  const char* type;
  uint32_t element_bytes, count;
  const char* reg;  // b32 or b64
};
constexpr Width kWidths[] = {{"u8", 1, 1, "b32"},     {"u16", 2, 1, "b32"},    {"b32", 4, 1, "b32"},
                             {"b64", 8, 1, "b64"},    {"v2.b32", 4, 2, "b32"}, {"v4.b32", 4, 4, "b32"},
                             {"v2.b64", 8, 2, "b64"}, {"v2.u8", 1, 2, "b32"},  {"u32", 4, 1, "b64"}};

// For each step: one access under the step's mask. A load's values go to `out`, a store's come from there.
std::string kernel_text(const Width& w, const std::string& space, bool is_load) {
  const bool is_shared = space == "shared";
  const uint32_t bytes = w.element_bytes * w.count, total = bytes * kUnits;
  std::string list = w.count == 1 ? "%v0" : w.count == 2 ? "{%v0, %v1}" : "{%v0, %v1, %v2, %v3}";
  std::string out, clear;
  for (uint32_t k = 0; k < w.count; ++k) {
    const uint32_t cell = std::string_view(w.reg) == "b64" ? 8 : 4;
    out += fmt::format(
        "{}.global.{} {};\n", is_load ? "st" : "ld", w.reg,
        is_load ? fmt::format("[%out+{}], %v{}", k * cell, k) : fmt::format("%v{}, [%out+{}]", k, k * cell));
    clear += fmt::format("mov.{} %v{}, 0;\n", w.reg, k);
  }
  const std::string copy = fmt::format(R"(
  mov.u32 %i, 0;
COPY{0}:
  cvt.u64.u32 %w, %i; add.s64 %w, %w, %data;
  mov.u32 %a, pool; add.u32 %a, %a, %i;
  {1}
  add.u32 %i, %i, 4; setp.lt.u32 %p, %i, {2}; @%p bra COPY{0};
)",
                                       "{0}", "{1}", total);
  const auto copied = [&](int number, const char* text) {
    return is_shared ? fmt::format(fmt::runtime(copy), number, text) : std::string();
  };
  const std::string access =
      is_load ? fmt::format("@%q ld.{}.{} {}, [{}];", space, w.type, list, is_shared ? "%a" : "%w")
              : fmt::format("@%q st.{}.{} [{}], {};", space, w.type, is_shared ? "%a" : "%w", list);
  return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.shared .align 16 .b8 pool[{total}];
.visible .entry k(.param .u64 units, .param .u64 masks, .param .u64 data, .param .u64 out, .param .u32 steps) {{
  .reg .pred %p, %q; .reg .b32 %i, %a, %n, %m, %u, %lane, %bit, %word; .reg .b64 %w, %units, %masks, %data, %out, %t;
  .reg .{reg} %v<4>;
  ld.param.u64 %units, [units]; ld.param.u64 %masks, [masks]; ld.param.u64 %data, [data]; ld.param.u64 %out, [out];
  ld.param.u32 %n, [steps];
  mov.u32 %lane, %tid.x; mov.u32 %bit, 1; shl.b32 %bit, %bit, %lane;
  {copy_in}
  mul.wide.u32 %t, %lane, 4; add.s64 %units, %units, %t;
  mul.wide.u32 %t, %lane, {cells}; add.s64 %out, %out, %t;
LOOP:
  ld.global.u32 %u, [%units]; ld.global.u32 %m, [%masks];
  and.b32 %m, %m, %bit; setp.ne.u32 %q, %m, 0;
  mul.lo.u32 %u, %u, {bytes};
  cvt.u64.u32 %w, %u; add.s64 %w, %w, %data;
  mov.u32 %a, pool; add.u32 %a, %a, %u;
  {before}
  {access}
  {after}
  add.s64 %units, %units, 128; add.s64 %masks, %masks, 4; add.s64 %out, %out, {row};
  add.u32 %n, %n, -1; setp.ne.u32 %p, %n, 0; @%p bra LOOP;
  {copy_out}
  ret;
}}
)",
                     fmt::arg("total", total), fmt::arg("reg", w.reg), fmt::arg("bytes", bytes),
                     fmt::arg("copy_in", copied(1, "ld.global.u32 %word, [%w]; st.shared.u32 [%a], %word;")),
                     fmt::arg("copy_out", copied(2, "ld.shared.u32 %word, [%a]; st.global.u32 [%w], %word;")),
                     fmt::arg("cells", 32), fmt::arg("row", 32 * 32),
                     fmt::arg("before", is_load ? clear : out), fmt::arg("access", access),
                     fmt::arg("after", is_load ? out : ""));
}

// Hears the accesses of one instruction, and whether `repeats` was said rightly.
struct Listener final : Observer {
  std::string wanted;
  const std::vector<InstructionSource>* sources = nullptr;
  std::vector<Step>* events = nullptr;
  Access last;
  std::array<uint64_t, 32> last_addresses{};
  uint64_t* repeats = nullptr;

  void access(const Access& access) override {
    if ((*sources)[access.instruction].text.find(wanted) == std::string::npos) return;
    std::array<uint64_t, 32> addresses{};
    fill_addresses(access, addresses.data());
    Step step{access.mask, {}};
    const auto first = static_cast<size_t>(std::countr_zero(access.mask));
    REQUIRE(access.first == addresses[first]);
    for (size_t lane = 0; lane < 32; ++lane) {
      if (access.mask >> lane & 1) step.unit[lane] = static_cast<uint32_t>(addresses[lane]);
      if (access.repeats && access.mask >> lane & 1)
        REQUIRE(addresses[lane] - access.first == last_addresses[lane] - last.first);
    }
    if (access.repeats) {
      ++*repeats;
      REQUIRE(events->size() > 0);
      REQUIRE(access.mask == last.mask);
      REQUIRE(access.space == last.space);
      REQUIRE(access.kind == last.kind);
      REQUIRE(access.bytes == last.bytes);
      REQUIRE(access.shape == last.shape);
    }
    events->push_back(step);
    last = access;
    last_addresses = addresses;
  }
};

struct Recorder : ObserverFactory {
  std::string wanted;
  std::vector<Step> events;
  uint64_t repeats = 0;
  std::unique_ptr<Observer> make(const Program& program) override {
    auto listener = std::make_unique<Listener>();
    listener->wanted = wanted;
    listener->sources = &sources(program);
    listener->events = &events;
    listener->repeats = &repeats;
    return listener;
  }
  void collect(std::unique_ptr<Observer>) override {}
};

// What `out` holds for the lane's k-th element of a step.
uint64_t cell(const std::vector<std::byte>& out, const Width& w, size_t step, size_t lane, size_t k) {
  const size_t bytes = std::string_view(w.reg) == "b64" ? 8 : 4;
  uint64_t value = 0;
  std::memcpy(&value, out.data() + step * 1024 + lane * 32 + k * bytes, bytes);
  return value;
}

}  // namespace

TEST_CASE("a repeated access pattern moves the bytes of its addresses [isa]", "[isa]") {
  const Width width = kWidths[GENERATE(range(0, static_cast<int>(std::size(kWidths))))];
  const std::string space = GENERATE("global", "shared", "generic");
  const bool is_load = GENERATE(true, false);
  const bool observed = GENERATE(true, false);
  CAPTURE(width.type, space, is_load, observed);
  const std::vector<Step> steps = every_shape();
  const uint32_t bytes = width.element_bytes * width.count;

  std::string text = kernel_text(width, space, is_load);
  if (space == "generic")
    for (size_t at; (at = text.find(".generic")) != std::string::npos;)
      text.erase(at, 8);
  Device device(text);
  std::vector<uint32_t> units, masks;
  for (const Step& s : steps) {
    units.insert(units.end(), s.unit.begin(), s.unit.end());
    masks.push_back(s.mask);
  }
  std::vector<std::byte> data(bytes * kUnits), out(steps.size() * 1024);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<std::byte>(i * 2654435761u >> 13);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = is_load ? std::byte{0} : static_cast<std::byte>(i * 2246822519u >> 11);
  const uint64_t data_at = device.upload(data), out_at = device.upload(out);
  Recorder recorder;
  recorder.wanted = is_load ? "@%q ld" : "@%q st";
  if (observed) device.observers = &recorder;
  const LaunchOutcome outcome =
      device.launch("k", {1, 1, 1}, {32, 1, 1}, device.upload(units), device.upload(masks), data_at, out_at,
                    static_cast<uint32_t>(steps.size()));
  if (outcome.fault) FAIL(outcome.fault->message);

  std::vector<std::byte> expected = is_load ? out : data;
  for (size_t s = 0; s < steps.size(); ++s) {
    for (size_t lane = 0; lane < 32; ++lane) {
      if (!(steps[s].mask >> lane & 1)) continue;
      for (size_t k = 0; k < width.count; ++k) {
        const size_t place = steps[s].unit[lane] * bytes + k * width.element_bytes;
        if (is_load) {
          const size_t cell_bytes = std::string_view(width.reg) == "b64" ? 8 : 4;
          std::memcpy(expected.data() + s * 1024 + lane * 32 + k * cell_bytes, data.data() + place,
                      width.element_bytes);
        } else {
          const uint64_t value = cell(out, width, s, lane, k);
          std::memcpy(expected.data() + place, &value, width.element_bytes);
        }
      }
    }
  }
  const auto got = device.download<std::byte>(is_load ? out_at : data_at, expected.size());
  CHECK(got == expected);
  if (!observed) return;
  REQUIRE(recorder.events.size() == steps.size());
  CHECK(recorder.repeats > 100);
  const uint64_t base = space == "shared" ? 0 : data_at;
  for (size_t s = 0; s < steps.size(); ++s) {
    REQUIRE(recorder.events[s].mask == steps[s].mask);
    for (size_t lane = 0; lane < 32; ++lane) {
      if (!(steps[s].mask >> lane & 1)) continue;
      REQUIRE(recorder.events[s].unit[lane] ==
              static_cast<uint32_t>(base + steps[s].unit[lane] * bytes));
    }
  }
}

TEST_CASE("the inline cache of an access does not hide a fault [isa]", "[isa]") {
  struct Row {
    const char* what;
    uint32_t last_unit;  // bytes from the array's begin where the last, bad access starts, side by side
    Fault::Kind kind;
  };
  const Row row = GENERATE(Row{"one word past the end", kUnits * 4 - 31 * 4, Fault::Kind::out_of_bounds},
                           Row{"far past the end", 1u << 20, Fault::Kind::out_of_bounds},
                           Row{"two bytes off", 130, Fault::Kind::misaligned});
  const std::string space = GENERATE("global", "shared");
  CAPTURE(row.what, space);
  const Width width{"b32", 4, 1, "b32"};
  std::string text = kernel_text(width, space, true);
  const std::string scaled = "mul.lo.u32 %u, %u, 4;";
  text.erase(text.find(scaled), scaled.size());  // offsets are in bytes here
  Device device(text);
  std::vector<uint32_t> units, masks(20, 0xffffffffu);
  for (uint32_t k = 0; k < 20; ++k)
    for (uint32_t lane = 0; lane < 32; ++lane)
      units.push_back((k == 19 ? row.last_unit : k * 4) + lane * 4);
  const LaunchOutcome outcome = device.launch(
      "k", {1, 1, 1}, {32, 1, 1}, device.upload(units), device.upload(masks),
      device.upload(std::vector<uint32_t>(kUnits)), device.upload(std::vector<std::byte>(20 * 1024)), 20u);
  REQUIRE(outcome.fault.has_value());
  CHECK(outcome.fault->kind == row.kind);
}
