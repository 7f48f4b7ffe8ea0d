// The counter against warp_model, with accesses made by hand.
#include "virtual_gpu/observe/counts/launch_counter.h"

#include <random>

#include "tests/catch.h"
#include "tests/virtual_gpu/observe/small_kernel.h"
#include "virtual_gpu/observe/observer_list.h"
#include "warp_model/access.h"

using namespace ridge;
using machine::Access;
using machine::AccessKind;
using machine::AccessShape;
using machine::AccessSpace;

namespace {

struct Machine final : machine::MachineView {
  uint64_t block = 0;
  const std::byte* registers() const override { return nullptr; }
  const std::byte* shared_window() const override { return nullptr; }
  uint64_t running_block_index() const override { return block; }
};

struct CountedLaunch {
  Machine machine;
  std::shared_ptr<const machine::Program> program = small_program();
  observe::LaunchCounter counter;

  template <typename Act>
  void on_one_thread(Act act) {
    std::unique_ptr<machine::Observer> observer = counter.make(*program);
    observer->attach(machine);
    act(*observer);
    counter.collect(std::move(observer));
  }
};

Access strided(uint32_t instruction, AccessSpace space, uint64_t base, int64_t stride, uint32_t bytes,
               uint32_t mask = 0xffffffff) {
  Access access;
  access.instruction = instruction;
  access.space = space;
  access.shape = stride == 0 ? AccessShape::uniform : AccessShape::strided;
  access.mask = mask;
  access.bytes = bytes;
  access.base = base;
  access.stride = stride;
  return access;
}

}  // namespace

TEST_CASE("a coalesced and a strided load are counted as four and eight sectors per request") {
  CountedLaunch launch;
  const uint32_t load = instruction_named(*launch.program, "ld.global");
  launch.on_one_thread([&](machine::Observer& observer) {
    observer.issued(load, load + 1, 0xffffffff);
    observer.access(strided(load, AccessSpace::global, 0x1000, 4, 4));
    observer.issued(load, load + 1, 0xffff);
    observer.access(strided(load, AccessSpace::global, 0x1000, 8, 4, 0xffff));
  });
  const trace::LaunchReport report = launch.counter.report();
  REQUIRE(report.instructions.size() == 1);
  const trace::InstructionCounts& counts = report.instructions[0];
  CHECK(counts.space == "global");
  CHECK(counts.kind == "load");
  CHECK(counts.line == 4);
  CHECK(counts.file == "small.cu");
  CHECK(counts.executions == 2);
  CHECK(counts.requests == 2);
  CHECK(counts.lanes == 48);
  CHECK(counts.bytes == 192);
  CHECK(counts.sectors == 8);
  CHECK(counts.ideal_sectors == 6);
  CHECK(counts.tags == 2);
  CHECK(counts.wavefronts == 0);
  CHECK(report.warp_instructions == 2);
  CHECK(report.thread_instructions == 48);
}

TEST_CASE("the busiest block is that with most instructions, also where blocks take turns") {
  CountedLaunch launch;
  const auto issue = [&](machine::Observer& observer, uint64_t block, uint32_t instructions) {
    launch.machine.block = block;
    observer.issued(0, instructions, 0xffffffff);
  };
  launch.on_one_thread([&](machine::Observer& observer) {
    for (const uint64_t block : {7u, 8u})
      observer.block_begin(block);
    issue(observer, 7, 2);
    issue(observer, 8, 3);
    issue(observer, 7, 2);
    observer.block_end(7);
    issue(observer, 8, 3);
    observer.block_end(8);
    observer.block_begin(9);
    issue(observer, 9, 3);
    observer.block_end(9);
  });
  launch.on_one_thread([&](machine::Observer& observer) {
    observer.block_begin(0);
    issue(observer, 0, 5);
    observer.block_end(0);
  });
  const trace::LaunchReport report = launch.counter.report();
  CHECK(report.warp_instructions == 18);
  CHECK(report.busiest_block_instructions == 6);
}

TEST_CASE("each space is counted by its own rule, and a generic instruction has a row for each") {
  CountedLaunch launch;
  const uint32_t load = instruction_named(*launch.program, "ld.global");
  const uint32_t store = instruction_named(*launch.program, "st.shared");
  launch.on_one_thread([&](machine::Observer& observer) {
    observer.access(strided(load, AccessSpace::global, 0x1000, 4, 4, 0xff));
    observer.access(strided(load, AccessSpace::shared, 0, 128, 4, 0xff00));
    observer.access(strided(load, AccessSpace::local, 16, 0, 4));
    observer.access(strided(load, AccessSpace::constant, 0x2000, 0, 4));
    observer.access(strided(load, AccessSpace::param, 0, 0, 8));
    Access padded = strided(store, AccessSpace::shared, 0, 132, 4);
    padded.kind = AccessKind::store;
    observer.access(padded);
  });
  const trace::LaunchReport report = launch.counter.report();
  struct Row {
    std::string_view space, kind;
    uint64_t sectors, wavefronts, ideal_wavefronts;
  };
  const Row expected[] = {{"global", "load", 1, 0, 0},
                          {"shared", "load", 0, 8, 1},
                          {"local", "load", 4, 0, 0},
                          {"constant", "load", 0, 1, 1},
                          {"shared", "store", 0, 1, 1}};
  REQUIRE(report.instructions.size() == std::size(expected));
  for (size_t k = 0; k < std::size(expected); ++k) {
    CAPTURE(k);
    CHECK(report.instructions[k].space == expected[k].space);
    CHECK(report.instructions[k].kind == expected[k].kind);
    CHECK(report.instructions[k].sectors == expected[k].sectors);
    CHECK(report.instructions[k].wavefronts == expected[k].wavefronts);
    CHECK(report.instructions[k].ideal_wavefronts == expected[k].ideal_wavefronts);
  }
}

TEST_CASE("scattered and strided forms of one access count the same") {
  std::mt19937 random(3);
  for (AccessSpace space :
       {AccessSpace::global, AccessSpace::shared, AccessSpace::local, AccessSpace::constant}) {
    for (int trial = 0; trial < 500; ++trial) {
      CountedLaunch as_strided, as_scattered;
      const uint32_t bytes = 1u << random() % 5;
      const Access access =
          strided(3, space, 4096 + random() % 64 * bytes, static_cast<int64_t>(random() % 40) * bytes, bytes,
                  trial % 2 ? 0xffffffff : static_cast<uint32_t>(random()));
      as_strided.on_one_thread([&](machine::Observer& observer) { observer.access(access); });
      uint64_t addresses[32];
      machine::fill_addresses(access, addresses);
      Access scattered = access;
      scattered.shape = AccessShape::scattered;
      scattered.addresses = addresses;
      as_scattered.on_one_thread([&](machine::Observer& observer) { observer.access(scattered); });
      CAPTURE(static_cast<int>(space), trial, bytes, access.stride, access.mask);
      REQUIRE(trace::to_json_line(as_strided.counter.report()) ==
              trace::to_json_line(as_scattered.counter.report()));
    }
  }
}

TEST_CASE("threads' counts add up to the same report in any split") {
  CountedLaunch one, two;
  const uint32_t store = instruction_named(*one.program, "st.global");
  const auto act = [&](machine::Observer& observer, int times) {
    for (int k = 0; k < times; ++k) {
      Access access = strided(store, AccessSpace::global, 0x1000 + static_cast<uint64_t>(k) * 12, 4, 4);
      access.kind = AccessKind::store;
      observer.access(access);
      observer.issued(store - 2, store + 1, 0xffffffff);
      observer.barrier(0, 0, store, 0xffffffff);
      observer.warp_diverged(0, 0, store, 1, 2);
    }
  };
  one.on_one_thread([&](machine::Observer& observer) {
    act(observer, 10);
    act(observer, 3);
  });
  two.on_one_thread([&](machine::Observer& observer) { act(observer, 10); });
  two.on_one_thread([](machine::Observer&) {});  // a thread that found nothing to do
  two.on_one_thread([&](machine::Observer& observer) { act(observer, 3); });
  const trace::LaunchReport report = one.counter.report();
  CHECK(trace::to_json_line(report) == trace::to_json_line(two.counter.report()));
  CHECK(report.barriers == 13);
  CHECK(report.divergent_branches == 13);
  CHECK(report.warp_instructions == 39);
  REQUIRE(report.instructions.size() == 1);
  CHECK(report.instructions[0].kind == "store");
  CHECK(report.instructions[0].executions == 13);
}

TEST_CASE("every observer of a list sees every event, and gets its own back") {
  const std::shared_ptr<const machine::Program> program = small_program();
  const size_t members = GENERATE(size_t{1}, size_t{2}, size_t{3});
  std::vector<observe::LaunchCounter> counters(members);
  observe::ObserverList list;
  CHECK(list.empty());
  for (observe::LaunchCounter& counter : counters)
    list.add(counter);
  std::unique_ptr<machine::Observer> observer = list.make(*program);
  Machine machine;
  observer->attach(machine);
  observer->block_begin(0);
  observer->access(strided(2, AccessSpace::global, 0, 4, 4));
  observer->issued(0, 3, 0xffffffff);
  observer->barrier(0, 0, 1, 0xffffffff);
  observer->warp_diverged(0, 0, 1, 1, 2);
  observer->block_end(0);
  CHECK_FALSE(observer->wants_values());
  list.collect(std::move(observer));
  for (const observe::LaunchCounter& counter : counters) {
    const trace::LaunchReport report = counter.report();
    CHECK(report.instructions.size() == 1);
    CHECK(report.warp_instructions == 3);
    CHECK(report.barriers == 1);
    CHECK(report.divergent_branches == 1);
  }
}

TEST_CASE("what a list counts without a call is what the counter counts when it is alone") {
  CountedLaunch alone;
  observe::LaunchCounter first, second;
  observe::ObserverList list;
  list.add(first);
  list.add(second);
  const uint32_t load = instruction_named(*alone.program, "ld.global");
  const auto act = [&](machine::Observer& observer) {
    for (uint64_t base : {0x1000, 0x1080, 0x2000, 0x2004, 0x2084, 0x3000}) {  // two of them not aligned
      Access access = strided(load, AccessSpace::global, base, 4, 4);
      access.first = base;
      access.repeats = base != 0x1000;
      observer.access(access);
    }
    observer.access(strided(load, AccessSpace::global, 0x3000, 8, 4));
  };
  alone.on_one_thread(act);
  std::unique_ptr<machine::Observer> both = list.make(*alone.program);
  act(*both);
  list.collect(std::move(both));
  const trace::LaunchReport report = first.report();
  REQUIRE(report.instructions.size() == 1);
  CHECK(report.instructions[0].requests == 7);
  CHECK(report.instructions[0].sectors == 4 * 4 + 2 * 5 + 8);
  CHECK(trace::to_json_line(report) == trace::to_json_line(alone.counter.report()));
  CHECK(trace::to_json_line(report) == trace::to_json_line(second.report()));
}

TEST_CASE(
    "a cp.async whose rows conflict in shared memory is counted wavefront by wavefront, however often") {
  CountedLaunch launch;
  const uint32_t load = instruction_named(*launch.program, "ld.global");
  uint64_t rows[32], row[32];
  for (uint64_t lane = 0; lane < 32; ++lane) {
    rows[lane] = lane * 128;
    row[lane] = lane * 16;
  }
  launch.on_one_thread([&](machine::Observer& observer) {
    Access access = strided(load, AccessSpace::global, 0x1000, 16, 16);
    for (const uint64_t* lands_at : {rows, row, rows}) {
      access.lands_at = lands_at;
      observer.access(access);
    }
    access.repeats = true;  // the places are the caller's, and gone when the counter adds up
    observer.access(access);
    observer.access(access);
    std::fill_n(rows, 32, 0);
  });
  CHECK(launch.counter.report().instructions.at(0).sectors == 32 + 16 + 32 + 2 * 32);
}
