// Which reads and writes of a block happen before what another block does.
#include "virtual_gpu/observe/races/block_messages.h"

#include "tests/catch.h"

using ridge::observe::BlockMessages;
using ridge::observe::BlockVectorClock;
using ridge::observe::EpochKind;

namespace {

constexpr uint64_t kFlag = 256;

BlockVectorClock clock_of(uint64_t block) {
  BlockVectorClock clock;
  clock.block = block;
  return clock;
}

// The block looks at the place after everything that was published there.
void look(BlockMessages& messages, BlockVectorClock& clock, uint64_t place) {
  messages.read(clock, place);
  messages.settle(clock);
}

}  // namespace

TEST_CASE("what a block has seen of many places is merged once, not for every question") {
  BlockMessages messages;
  BlockVectorClock reader = clock_of(0), writer = clock_of(1);
  for (uint64_t place = 0; place < 2000; ++place) {
    ++writer.fences;
    messages.publish(writer, place);
    look(messages, reader, place);
  }
  CHECK(messages.ordered(reader, 1, writer.fences - 1, EpochKind::writes));
  // 2000 steps each would be more than a launch may take, and then all is ordered.
  bool is_ordered = false;
  for (uint32_t epoch = 0; epoch < 60'000; ++epoch)
    is_ordered |= messages.ordered(reader, 2, epoch, EpochKind::writes);
  CHECK_FALSE(is_ordered);
}

TEST_CASE("a message follows the reads before it, and not those after it") {
  BlockMessages messages;
  BlockVectorClock reader = clock_of(0), writer = clock_of(1);
  const uint32_t before = reader.read_epoch();
  ++reader.fences;
  messages.publish(reader, kFlag);
  const uint32_t after = reader.read_epoch();
  look(messages, writer, kFlag);
  CHECK(messages.ordered(writer, 0, before, EpochKind::reads));
  CHECK_FALSE(messages.ordered(writer, 0, after, EpochKind::reads));
  messages.publish(reader, kFlag);  // without a fence
  CHECK_FALSE(messages.ordered(writer, 0, after, EpochKind::reads));
  look(messages, writer, kFlag);
  CHECK(messages.ordered(writer, 0, after, EpochKind::reads));
}

TEST_CASE("a message follows only the writes before a fence") {
  BlockMessages messages;
  BlockVectorClock writer = clock_of(0), reader = clock_of(1);
  const uint32_t before = writer.fences++;
  const uint32_t after = writer.fences;
  messages.publish(writer, kFlag);
  look(messages, reader, kFlag);
  CHECK(messages.ordered(reader, 0, before, EpochKind::writes));
  CHECK_FALSE(messages.ordered(reader, 0, after, EpochKind::writes));
}

TEST_CASE("a message that replaces one that nobody has seen says no less") {
  BlockMessages messages;
  BlockVectorClock writer = clock_of(0), reader = clock_of(1);
  const uint32_t first = writer.fences++;
  messages.publish(writer, kFlag);
  const uint32_t second = writer.fences++;
  messages.publish(writer, kFlag);
  look(messages, reader, kFlag);
  CHECK(messages.ordered(reader, 0, first, EpochKind::writes));
  CHECK(messages.ordered(reader, 0, second, EpochKind::writes));
  const uint32_t third = writer.fences++;
  messages.publish(writer, kFlag);
  CHECK_FALSE(messages.ordered(reader, 0, third, EpochKind::writes));
}

// With several host threads another block may publish between the report of a read and the read.
TEST_CASE("a question in the middle of a flag's read does not end it") {
  BlockMessages messages;
  BlockVectorClock writer = clock_of(0), reader = clock_of(1);
  messages.read(reader, kFlag);
  CHECK_FALSE(messages.ordered(reader, 0, writer.fences, EpochKind::writes));
  const uint32_t written = writer.fences++;
  messages.publish(writer, kFlag);
  messages.settle(reader);  // the read has been executed
  CHECK(messages.ordered(reader, 0, written, EpochKind::writes));
  const uint32_t later = writer.fences++;
  messages.publish(writer, kFlag);
  messages.settle(reader);
  CHECK_FALSE(messages.ordered(reader, 0, later, EpochKind::writes));
}

TEST_CASE("an order is passed on through many blocks") {
  constexpr uint64_t kBlocks = 40;
  BlockMessages messages;
  BlockVectorClock first = clock_of(0);
  const uint32_t epoch = first.fences++;
  messages.publish(first, kFlag);
  BlockVectorClock last;
  for (uint64_t block = 1; block < kBlocks; ++block) {
    last = clock_of(block);
    look(messages, last, kFlag + block - 1);
    ++last.fences;
    messages.publish(last, kFlag + block);
  }
  CHECK(messages.ordered(last, 0, epoch, EpochKind::writes));
  CHECK_FALSE(messages.ordered(last, 0, epoch + 1, EpochKind::writes));
}

TEST_CASE("two blocks stay unordered after any number of barriers of a grid") {
  constexpr uint64_t kBlocks = 64, kBarriers = 12;
  BlockMessages messages;
  std::vector<BlockVectorClock> clocks;
  for (uint64_t block = 0; block < kBlocks; ++block)
    clocks.push_back(clock_of(block));
  for (uint64_t barrier = 0; barrier < kBarriers; ++barrier) {
    for (BlockVectorClock& clock : clocks) {
      ++clock.fences;
      messages.publish(clock, kFlag);
    }
    for (BlockVectorClock& clock : clocks)
      look(messages, clock, kFlag);
  }
  for (uint64_t block = 1; block < kBlocks; ++block) {
    INFO("block " << block);
    CHECK(messages.ordered(clocks[0], block, clocks[block].fences - 1, EpochKind::writes));
    CHECK_FALSE(messages.ordered(clocks[0], block, clocks[block].fences, EpochKind::writes));
    CHECK_FALSE(messages.ordered(clocks[0], block, clocks[block].read_epoch(), EpochKind::reads));
  }
}
