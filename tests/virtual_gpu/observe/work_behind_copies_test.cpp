// What a warp issues between closing a group of asynchronous copies and going on after the wait for it.
#include "virtual_gpu/observe/counts/work_behind_copies.h"

#include "tests/catch.h"

using namespace ridge;
using machine::AsyncStep;
using machine::Groups;

namespace {

struct Machine final : machine::MachineView {
  uint32_t warp = 0;
  const std::byte* registers() const override { return nullptr; }
  const std::byte* shared_window() const override { return nullptr; }
  uint32_t running_warp() const override { return warp; }
};

struct Setting {
  Machine machine;
  observe::WorkBehindCopies work{true};
  observe::LaunchCounts counts;
  Setting() { work.attach(machine); }
  void issue(uint32_t warp, uint64_t instructions) {
    machine.warp = warp;
    work.issued(instructions);
  }
  void step(AsyncStep::Kind kind, uint32_t warp, uint64_t group, Groups of = Groups::copies) {
    work.step({kind, 0, warp, ~0u, 0, 0, machine::groups_of(of, 0, warp, group)}, counts);
  }
};

}  // namespace

TEST_CASE("only the instructions of the same warp count, until the wait for its group") {
  Setting setting;
  setting.issue(0, 10);
  setting.issue(1, 10);
  setting.step(AsyncStep::Kind::commit, 0, 0);
  setting.issue(0, 300);
  setting.issue(1, 5000);
  setting.step(AsyncStep::Kind::commit, 0, 1);
  setting.step(AsyncStep::Kind::waited, 0, 1);  // group 0 has arrived, group 1 has not
  CHECK(setting.counts.copy_groups == 1);
  CHECK(setting.counts.instructions_behind_copies == 300);
  setting.issue(0, 7);
  setting.step(AsyncStep::Kind::waited, 0, 2);
  CHECK(setting.counts.copy_groups == 2);
  CHECK(setting.counts.instructions_behind_copies == 307);
}

TEST_CASE("a group without a copy is not work behind copies") {
  Setting setting;
  setting.issue(0, 10);
  setting.work.step({AsyncStep::Kind::commit, 0, 0, ~0u, 0, 0, machine::groups_of(Groups::copies, 0, 0, 0), true},
                    setting.counts);
  setting.issue(0, 300);
  setting.step(AsyncStep::Kind::commit, 0, 1);
  setting.issue(0, 7);
  setting.step(AsyncStep::Kind::waited, 0, 2);
  CHECK(setting.counts.copy_groups == 1);
  CHECK(setting.counts.instructions_behind_copies == 7);
}

TEST_CASE("groups of bulk copies and of wgmma are others") {
  Setting setting;
  setting.issue(0, 10);
  setting.step(AsyncStep::Kind::commit, 0, 0, Groups::products);
  setting.issue(0, 10);
  setting.step(AsyncStep::Kind::waited, 0, 1, Groups::products);
  setting.step(AsyncStep::Kind::commit, 0, 0, Groups::bulk);
  setting.step(AsyncStep::Kind::waited, 0, 1, Groups::bulk);
  CHECK(setting.counts.copy_groups == 0);
}

TEST_CASE("a program without cp.async is not looked at") {
  std::vector<machine::InstructionSource> sources(2);
  sources[0].opcode = "ld.global.f32";
  sources[1].opcode = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
  CHECK_FALSE(observe::has_async_copies(sources));
  sources[1].opcode = "cp.async.cg.shared.global";
  CHECK(observe::has_async_copies(sources));
}
