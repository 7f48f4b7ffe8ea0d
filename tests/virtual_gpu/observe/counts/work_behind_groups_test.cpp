// What a warp issues between committing a group of cp.async or wgmma and continuing after the wait
// for it.
#include "virtual_gpu/observe/counts/work_behind_groups.h"

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
  observe::WorkBehindGroups work{true};
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

TEST_CASE("groups of wgmma are counted apart from those of cp.async") {
  Setting setting;
  setting.issue(0, 10);
  setting.step(AsyncStep::Kind::commit, 0, 0, Groups::products);
  setting.step(AsyncStep::Kind::commit, 0, 0);
  setting.issue(0, 20);
  setting.step(AsyncStep::Kind::commit, 0, 1, Groups::products);
  setting.issue(0, 300);
  setting.step(AsyncStep::Kind::waited, 0, 1, Groups::products);  // all but the newest
  CHECK(setting.counts.wgmma_groups == 1);
  CHECK(setting.counts.instructions_behind_wgmma == 320);
  CHECK(setting.counts.copy_groups == 0);
  setting.issue(0, 40);
  setting.step(AsyncStep::Kind::waited, 0, 2, Groups::products);
  CHECK(setting.counts.wgmma_groups == 2);
  CHECK(setting.counts.instructions_behind_wgmma == 660);
  setting.step(AsyncStep::Kind::waited, 0, 1);
  CHECK(setting.counts.copy_groups == 1);
  CHECK(setting.counts.instructions_behind_copies == 360);
}

TEST_CASE("groups of bulk copies do not count") {
  Setting setting;
  setting.issue(0, 10);
  setting.step(AsyncStep::Kind::commit, 0, 0, Groups::bulk);
  setting.issue(0, 10);
  setting.step(AsyncStep::Kind::waited, 0, 1, Groups::bulk);
  CHECK(setting.counts.copy_groups == 0);
  CHECK(setting.counts.wgmma_groups == 0);
}

TEST_CASE("a program without cp.async and wgmma is not looked at") {
  std::vector<machine::InstructionSource> sources(2);
  sources[0].opcode = "ld.global.f32";
  sources[1].opcode = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
  CHECK_FALSE(observe::has_async_groups(sources));
  sources[1].opcode = "cp.async.cg.shared.global";
  CHECK(observe::has_async_groups(sources));
  sources[1].opcode = "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16";
  CHECK(observe::has_async_groups(sources));
}
