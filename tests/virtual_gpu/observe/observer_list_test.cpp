// What the observers of a list agree on about loads that they need not be told of.
#include "virtual_gpu/observe/observer_list.h"

#include "tests/catch.h"
#include "tests/virtual_gpu/observe/small_kernel.h"
#include "virtual_gpu/observe/selective_observer.h"
#include "virtual_gpu/observe/counts/launch_counter.h"

using namespace ridge;
using machine::Access;
using machine::AccessShape;
using machine::AccessSpace;

namespace {

// Elides loads under conditions that the test sets, and keeps the events that it gets.
struct Judge final : observe::SelectiveObserver {
  uint64_t begin = 0, end = ~uint64_t{0};
  bool lets = true, wants_all = false;
  uint64_t told = 0, went = 0, lowest = 0, highest = 0;
  void access(const Access&) override { ++told; }
  bool may_elide(const Access&, observe::ElisionTerms& terms) override {
    terms.keep_inside(begin, end);
    return lets;
  }
  bool wants_every_load() const override { return wants_all; }
  void accesses_elided(uint32_t, AccessSpace, const machine::ElidedAccess& quiet) override {
    went += quiet.times;
    lowest = quiet.lowest;
    highest = quiet.highest;
  }
};

struct Plain final : machine::Observer {
  uint64_t told = 0;
  void access(const Access&) override { ++told; }
};

template <class Made>
struct Factory final : machine::ObserverFactory {
  Made* made = nullptr;
  std::unique_ptr<machine::Observer> make(const machine::Program&) override {
    auto one = std::make_unique<Made>();
    made = one.get();
    return one;
  }
  void collect(std::unique_ptr<machine::Observer>) override {}
};

constexpr uint32_t kLoad = 5;

Access row_at(uint64_t first, bool repeats = true) {
  Access access;
  access.instruction = kLoad;
  access.shape = AccessShape::strided;
  access.mask = 0xffffff00;  // the first active lane is lane 8
  access.bytes = 4;
  access.stride = -4;  // and the highest
  access.base = first + 32;
  access.first = first;
  access.repeats = repeats;
  return access;
}

}  // namespace

TEST_CASE("a load is elided if all observers agree, with all of its bytes") {
  const auto program = small_program();
  Factory<Judge> one, two;
  observe::ObserverList list;
  list.add(one);
  list.add(two);
  const auto everyone = list.make(*program);
  machine::ElidedAccess& quiet = everyone->elided_accesses()[kLoad];
  one.made->begin = 1000, one.made->end = 5000;
  two.made->begin = 2000, two.made->end = 9000;
  everyone->access(row_at(3000, false));
  CHECK_FALSE(quiet.covers(3000));
  everyone->access(row_at(3000));
  // 24 lanes downwards: 92 bytes below the first lane's address to 4 above.
  CHECK(quiet.covers(2092));
  CHECK_FALSE(quiet.covers(2091));
  CHECK(quiet.covers(4996));
  CHECK_FALSE(quiet.covers(4997));
  CHECK(quiet.below == 92);
  CHECK(quiet.bytes == 96);

  everyone->access(row_at(3000, false));  // it lies differently from now on
  CHECK_FALSE(quiet.covers(3000));
  two.made->end = 2050;  // smaller than the access
  everyone->access(row_at(3000));
  CHECK_FALSE(quiet.covers(3000));
  two.made->end = 9000;
  two.made->lets = false;
  everyone->access(row_at(3000));
  CHECK_FALSE(quiet.covers(3000));
}

TEST_CASE("every access that is not a repeated plain load is reported to observers") {
  struct Case {
    const char* what;
    void (*change)(Access& access);
  };
  const Case cases[] = {
      {"a store", [](Access& access) { access.kind = machine::AccessKind::store; }},
      {"an atomic", [](Access& access) { access.kind = machine::AccessKind::atomic; }},
      {"a volatile load", [](Access& access) { access.ordering = machine::Ordering::relaxed; }},
      {"a load that lies differently", [](Access& access) { access.repeats = false; }},
  };
  for (const Case& one : cases) {
    INFO(one.what);
    const auto program = small_program();
    Factory<Judge> judge;
    observe::ObserverList list;
    list.add(judge);
    const auto everyone = list.make(*program);
    Access access = row_at(3000);
    one.change(access);
    everyone->access(access);
    CHECK_FALSE(everyone->elided_accesses()[kLoad].covers(3000));
  }
}

TEST_CASE("an observer without elision terms gets every access") {
  const auto program = small_program();
  Factory<Judge> judge;
  Factory<Plain> plain;
  observe::ObserverList list;
  list.add(judge);
  list.add(plain);
  const auto everyone = list.make(*program);
  everyone->access(row_at(3000));
  CHECK_FALSE(everyone->elided_accesses()[kLoad].covers(3000));
  CHECK(plain.made->told == 1);
}

TEST_CASE("elided accesses are flushed before a different access and at the end of a block") {
  const auto program = small_program();
  Factory<Judge> judge;
  observe::ObserverList list;
  list.add(judge);
  const auto everyone = list.make(*program);
  machine::ElidedAccess& quiet = everyone->elided_accesses()[kLoad];
  everyone->access(row_at(3000));
  for (const uint64_t first : {4000, 3500, 6000})
    quiet.note(first);
  CHECK(judge.made->went == 0);
  everyone->access(row_at(8000, false));
  CHECK(judge.made->went == 3);
  CHECK(judge.made->lowest == 3500);
  CHECK(judge.made->highest == 6000);
  everyone->access(row_at(8000));
  quiet.note(8000);
  everyone->block_end(0);
  CHECK(judge.made->went == 4);
  CHECK(judge.made->lowest == 8000);
  everyone->block_end(1);
  CHECK(judge.made->went == 4);
}

TEST_CASE("an observer may request every load again, and allow elision again") {
  const auto program = small_program();
  Factory<Judge> judge;
  observe::ObserverList list;
  list.add(judge);
  const auto everyone = list.make(*program);
  machine::ElidedAccess& quiet = everyone->elided_accesses()[kLoad];
  everyone->access(row_at(3000));
  CHECK(quiet.covers(3000));
  judge.made->wants_all = true;
  everyone->block_begin(0);
  CHECK_FALSE(quiet.covers(3000));
  everyone->access(row_at(3000));
  CHECK_FALSE(quiet.covers(3000));
  judge.made->wants_all = false;
  everyone->block_end(0);
  everyone->access(row_at(3000));
  CHECK(quiet.covers(3000));
}

TEST_CASE("elided loads are counted like observed ones") {
  const auto program = small_program();
  const uint32_t load = instruction_named(*program, "ld.global");
  const auto report_of = [&](bool quietly) {
    observe::LaunchCounter counter;
    observe::ObserverList list;
    list.add(counter);
    auto everyone = list.make(*program);
    Access access = row_at(0x1000, false);
    access.instruction = load;
    everyone->access(access);
    access.repeats = true;
    for (uint64_t step = 0; step < 200; ++step) {  // aligned in every way
      const uint64_t first = 0x4000 + step * 12;
      machine::ElidedAccess& quiet = everyone->elided_accesses()[load];
      if (quietly && quiet.covers(first)) {
        quiet.note(first);
        continue;
      }
      access.first = first;
      access.base = first + 32;
      everyone->access(access);
    }
    list.collect(std::move(everyone));
    return trace::to_json_line(counter.report());
  };
  CHECK(report_of(true) == report_of(false));
  CHECK(report_of(true).find("\"requests\":201") != std::string::npos);
}
