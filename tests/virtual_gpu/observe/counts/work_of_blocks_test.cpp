#include "virtual_gpu/observe/counts/work_of_blocks.h"

#include "tests/catch.h"

using namespace ridge;
using namespace ridge::observe;

namespace {

struct OneBlock final : machine::MachineView {
  const std::byte* registers() const override { return nullptr; }
  const std::byte* shared_window() const override { return nullptr; }
  uint64_t running_block_index() const override { return block; }
  uint64_t block = 0;
};

// A host thread: the blocks that it runs, and how many instructions it has issued.
struct Thread {
  Thread() { work.attach(machine); }
  void begin(uint64_t block) { work.begin_block(block, total); }
  void issue(uint64_t block, uint64_t instructions) {
    machine.block = block;
    total += instructions;
    work.issued(instructions);
  }
  uint64_t end(uint64_t block) { return work.end_block(block, total); }
  OneBlock machine;
  WorkOfBlocks work;
  uint64_t total = 0;
};

}  // namespace

TEST_CASE("Blocks that run one after the other have their own instructions each") {
  Thread thread;
  for (const uint64_t block : {3, 7, 4}) {
    thread.begin(block);
    thread.issue(block, block);
    thread.issue(block, 100);
    CHECK(thread.end(block) == 100 + block);
  }
}

TEST_CASE("Blocks that alternate have their own instructions each, before, during and after that") {
  Thread thread;
  thread.begin(1);
  thread.issue(1, 5);  // alone so far
  thread.begin(2);
  thread.issue(2, 10);
  thread.issue(1, 20);
  thread.begin(3);
  thread.issue(3, 40);
  thread.issue(2, 80);
  CHECK(thread.end(2) == 90);
  thread.issue(1, 160);
  CHECK(thread.end(3) == 40);
  thread.issue(1, 320);  // alone again
  CHECK(thread.end(1) == 505);
  thread.begin(4);
  thread.issue(4, 640);
  CHECK(thread.end(4) == 640);
}

TEST_CASE("A block that issues nothing beside another has no instructions") {
  Thread thread;
  thread.begin(1);
  thread.begin(2);
  thread.issue(1, 5);
  CHECK(thread.end(2) == 0);
  CHECK(thread.end(1) == 5);
}
