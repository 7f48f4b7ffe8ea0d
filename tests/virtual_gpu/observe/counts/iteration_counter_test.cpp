#include "virtual_gpu/observe/counts/iteration_counter.h"

#include "tests/catch.h"

using namespace ridge;
using namespace ridge::observe;

namespace {

struct OneWarp final : machine::MachineView {
  const std::byte* registers() const override { return nullptr; }
  const std::byte* shared_window() const override { return nullptr; }
  uint32_t running_warp() const override { return warp; }
  uint32_t warp = 0;
};

// Instructions 2 to 4 in stages of four copies and of one, both of which follow themselves.
std::vector<UnrolledLoop> one_loop() {
  return {{2, 4, {{4, true}, {1, true}}}};
}

bool is(const UnrolledStage& stage, uint64_t issued, uint64_t again, uint64_t mixed, uint64_t parted) {
  return stage.issued == issued && stage.again == again && stage.mixed == mixed && stage.parted == parted;
}

}  // namespace

TEST_CASE("Lanes of 5 and 8 iterations issue a stage of four twice and a stage of one once") {
  std::array<uint32_t, 32> iterations{};
  iterations[0] = 5;
  iterations[31] = 8;
  UnrolledLoop loop = one_loop().front();
  loop.add_entry(iterations);
  CHECK(is(loop.stages[0], 2, 1, 0, 1));
  CHECK(is(loop.stages[1], 1, 0, 1, 0));
}

TEST_CASE("A stage that does not follow itself is issued once at most") {
  std::array<uint32_t, 32> iterations{};
  iterations.fill(7);
  UnrolledLoop loop{2, 4, {{4, true}, {2, false}, {1, true}}};
  loop.add_entry(iterations);
  CHECK(is(loop.stages[0], 1, 0, 0, 0));
  CHECK(is(loop.stages[1], 1, 0, 0, 0));
  CHECK(is(loop.stages[2], 1, 0, 0, 0));
}

TEST_CASE("Iterations are counted per lane and warp, from the entry to the last lane's exit") {
  OneWarp machine;
  IterationCounter counter(one_loop(), 8);
  counter.attach(machine);
  counter.block_begin();
  const auto iterations_of = [&](uint32_t mask, int iterations) {
    for (int k = 0; k < iterations; ++k)
      counter.issued(2, mask);
  };
  counter.issued(0, 3);
  iterations_of(3, 4);   // both lanes
  counter.issued(5, 1);  // lane 0 leaves after 4 iterations
  machine.warp = 1;
  iterations_of(1, 1);  // another warp meanwhile
  machine.warp = 0;
  iterations_of(2, 5);  // lane 1 makes 9
  CHECK(counter.loops()[0].stages[0].issued == 0);
  counter.issued(5, 2);
  CHECK(is(counter.loops()[0].stages[0], 2, 1, 0, 1));
  CHECK(is(counter.loops()[0].stages[1], 1, 0, 1, 0));
  iterations_of(3, 4);  // once more
  counter.block_end();  // lanes that end in the loop
  CHECK(is(counter.loops()[0].stages[0], 3, 1, 0, 1));
  CHECK(is(counter.loops()[0].stages[1], 2, 0, 1, 0));
  CHECK_FALSE(counter.is_mixed());
}

TEST_CASE("Blocks that alternate on one thread are not told apart") {
  OneWarp machine;
  IterationCounter counter(one_loop(), 8);
  counter.attach(machine);
  counter.block_begin();
  counter.block_begin();
  CHECK(counter.is_mixed());
}
