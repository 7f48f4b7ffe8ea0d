#include "tests/catch.h"
#include "tests/trace/example_trace.h"
#include "tests/trace/scratch_folder.h"
#include "trace/block_timeline.h"

using namespace ridge::trace;
using Catch::Matchers::Contains;

namespace {

constexpr uint64_t kBlocks = 8;
constexpr size_t kRecords = 20'000;  // a block: enough for several threads

// The blocks of `strange` name, half way, an instruction that the launch has not: 100 and the block's number.
void write_large(const std::filesystem::path& file, std::vector<uint64_t> strange = {}) {
  AccessTraceWriter writer(file, example_launch());
  for (uint64_t index = 0; index < kBlocks; ++index) {
    std::vector<TraceRecord> records = example_records(static_cast<uint32_t>(index + 1), kRecords);
    if (std::count(strange.begin(), strange.end(), index) > 0)
      records[kRecords / 2].instruction = static_cast<uint32_t>(100 + index);
    writer.add_block(packed(index, records));
  }
  writer.finish(TraceEnd{});
}

}  // namespace

TEST_CASE("a trace that several threads open has the marks that a walk over it makes") {
  const ScratchFolder folder;
  write_large(folder.path / "t");
  const OpenedTrace opened = open_access_trace(folder.path / "t");
  const AccessTrace walked = read_access_trace(folder.path / "t");
  REQUIRE(opened.timelines.size() == kBlocks);
  REQUIRE(walked.blocks.size() == kBlocks);
  const SharedAccesses shared = shared_accesses_of(walked.launch);
  size_t wrong = 0;
  for (size_t block = 0; block < kBlocks; ++block) {
    const BlockTimeline& timeline = opened.timelines[block];
    CHECK(timeline.block() == block);
    REQUIRE(timeline.size() == kRecords);
    RecordCursor cursor(walked.blocks[block]);
    TraceRecord record;
    for (size_t at = 0; cursor.next(record); ++at) {
      const RecordMark& mark = timeline.mark(at);
      wrong += mark.warp != record.warp || mark.instruction != record.instruction ||
               mark.kind != record.kind || RecordCost{mark.actual, mark.ideal} != cost_of(record, shared);
    }
    CHECK(timeline.record(kRecords - 1).addresses == record.addresses);
  }
  CHECK(wrong == 0);
}

TEST_CASE("of several damaged blocks the first is reported, for any timing of threads") {
  const ScratchFolder folder;
  write_large(folder.path / "t", {3, 4, 7});
  for (int trial = 0; trial < 10; ++trial) {
    try {
      open_access_trace(folder.path / "t");
      FAIL("it was opened");
    } catch (const std::runtime_error& error) {
      CHECK_THAT(error.what(), Contains("instruction 103 of 3") && Contains(folder.path.string()));
    }
  }
}
