// Where a warp waits for global memory, by the scoreboards of the SASS.
#include "virtual_gpu/observe/counts/sass/round_trips.h"

#include <initializer_list>

#include "tests/catch.h"

using namespace ridge;
using warp_model::SassClass;
using warp_model::SassInstruction;

namespace {

struct Code {
  std::vector<SassInstruction> instructions;

  SassInstruction& add(SassClass sass_class) {
    SassInstruction& i = instructions.emplace_back();
    i.sass_class = sass_class;
    i.address = static_cast<uint32_t>(instructions.size() - 1) * warp_model::kSassBytes;
    return i;
  }
  Code& load(uint8_t scoreboard, SassClass sass_class = SassClass::global_load) {
    add(sass_class).sets_scoreboard = scoreboard;
    return *this;
  }
  Code& use(std::initializer_list<int> scoreboards) {
    SassInstruction& i = add(SassClass::fp32);
    for (const int s : scoreboards)
      i.waits_for_scoreboards |= static_cast<uint8_t>(1 << s);
    return *this;
  }
  Code& back_to(uint32_t instruction) {
    SassInstruction& i = add(SassClass::control);
    i.flow = warp_model::SassFlow::branch;
    i.target = instruction * warp_model::kSassBytes;
    return *this;
  }
  std::vector<int> waits() const {
    const std::vector<uint64_t> issued(instructions.size(), 1);
    const auto trips = observe::round_trips(instructions, issued);
    std::vector<int> at;
    for (size_t k = 0; k < trips.size(); ++k)
      if (trips[k] != 0) at.push_back(static_cast<int>(k));
    return at;
  }
};

using Waits = std::vector<int>;

}  // namespace

TEST_CASE("Loads that are issued before the first wait take one round trip together") {
  CHECK(Code().load(0).load(1).load(2).use({0}).use({1}).use({2}).waits() == Waits{3});
  CHECK(Code().load(0).load(0).use({}).use({0}).waits() == Waits{3});
}

TEST_CASE("A load that is issued after a wait takes another round trip") {
  CHECK(Code().load(0).use({0}).load(1).use({1}).waits() == Waits{1, 3});
  // The second load was issued before the first wait, the third after it.
  CHECK(Code().load(0).load(1).use({0}).load(0).use({1}).use({0}).waits() == Waits{2, 5});
}

TEST_CASE("Waits for anything but a load from memory are no round trips") {
  CHECK(Code()
            .load(0, SassClass::shared_load)
            .use({0})
            .load(1, SassClass::special)
            .use({1})
            .waits() == Waits{});
  CHECK(Code().load(0).use({1}).waits() == Waits{});
  CHECK(Code().load(warp_model::kNoScoreboard).use({0}).waits() == Waits{});
}

TEST_CASE("A loop waits for what its iteration before has loaded") {
  // use the last element; load the next one; jump back: one wait per iteration, for one load.
  CHECK(Code().use({0}).load(0).back_to(0).waits() == Waits{0});
  // Two elements per iteration, loaded together, and one after the other.
  CHECK(Code().load(0).load(1).use({0}).use({1}).back_to(0).waits() == Waits{2});
  CHECK(Code().load(0).use({0}).load(1).use({1}).back_to(0).waits() == Waits{1, 3});
}

TEST_CASE("The last walk through a nested loop decides: its steady state") {
  // The load before the inner loop is waited for in its first iteration only.
  const Code code = Code().load(0).use({0}).load(1).back_to(1).use({1}).back_to(0);
  CHECK(code.waits() == Waits{4});
}

TEST_CASE("Instructions that no warp issued are left out") {
  const Code code = Code().load(0).use({0}).load(1).use({1});
  CHECK(observe::round_trips(code.instructions, std::vector<uint64_t>{1, 0, 1, 1}) ==
        std::vector<uint8_t>{0, 0, 0, 1});
}

TEST_CASE("Code that jumps back from everywhere is walked through in bounded time") {
  Code code;
  code.load(0).use({0});
  for (int k = 0; k < 200; ++k)
    code.back_to(0);
  CHECK(code.waits() == Waits{1});
}
