#include "trace/block_timeline.h"

#include "tests/catch.h"
#include "tests/trace/example_trace.h"
#include "trace/record_names.h"

using namespace ridge::trace;

namespace {

TraceRecord strided(RecordSpace space, uint64_t base, int64_t stride, uint32_t bytes = 4) {
  TraceRecord record;
  record.space = space;
  record.shape = stride == 0 ? RecordShape::uniform : RecordShape::strided;
  record.mask = 0xffffffff;
  record.bytes = bytes;
  record.base = base;
  record.stride = stride;
  return record;
}

}  // namespace

TEST_CASE("random access to a record equals a sequential walk") {
  std::vector<TraceRecord> records = example_records(4, 1000);
  for (const TraceRecord& record : asynchronous_records())
    records.push_back(record);
  const BlockRecords block = packed(0, records);
  const BlockTimeline timeline(block);
  REQUIRE(timeline.size() == records.size());
  for (const size_t at :
       {size_t{0}, size_t{255}, size_t{256}, size_t{257}, size_t{999}, records.size() - 1}) {
    const TraceRecord found = timeline.record(at);
    CAPTURE(at);
    CHECK(found.instruction == records[at].instruction);
    CHECK(found.kind == records[at].kind);
    CHECK(found.addresses == records[at].addresses);
    CHECK(found.values == records[at].values);
    CHECK(found.runs == records[at].runs);
    CHECK(timeline.mark(at).warp == records[at].warp);
    CHECK(timeline.mark(at).actual == cost_of(records[at]).actual);
  }
  CHECK_THROWS_AS(timeline.record(records.size()), std::out_of_range);
}

TEST_CASE("records of an instruction and of a warp are listed in order, each once") {
  const std::vector<TraceRecord> records = example_records(5, 500);
  const BlockRecords block = packed(0, records);
  const BlockTimeline timeline(block);
  size_t listed = 0;
  for (uint32_t warp = 0; warp < timeline.warps(); ++warp) {
    CHECK(std::is_sorted(timeline.of_warp(warp).begin(), timeline.of_warp(warp).end()));
    for (const uint32_t at : timeline.of_warp(warp))
      CHECK(records[at].warp == warp);
    listed += timeline.of_warp(warp).size();
  }
  CHECK(listed == records.size());
  CHECK(timeline.of_instruction(2).size() ==
        static_cast<size_t>(std::count_if(records.begin(), records.end(), [](const TraceRecord& record) {
          return record.instruction == 2;
        })));
  CHECK(timeline.of_instruction(99).empty());
  CHECK(timeline.of_warp(99).empty());
}

TEST_CASE("a record's cost and ideal cost equal the warp model's") {
  struct Row {
    const char* what;
    TraceRecord record;
    RecordCost cost;
  };
  TraceRecord column = strided(RecordSpace::shared, 0, 128);
  TraceRecord store = strided(RecordSpace::global, 0, 4096);
  store.kind = RecordKind::store;
  TraceRecord box = asynchronous_records()[3];
  TraceRecord narrow_rows = box;
  narrow_rows.runs = {{16, 32, 64, 40}};  // each run lies in two sectors
  const Row rows[] = {
      {"32 neighbouring floats", strided(RecordSpace::global, 0x1000, 4), {4, 4}},
      {"stride of two floats", strided(RecordSpace::global, 0x1000, 8), {8, 4}},
      {"one row apart", store, {32, 4}},
      {"a column of an unpadded tile", column, {32, 1}},
      {"a column of a padded tile", strided(RecordSpace::shared, 0, 132), {1, 1}},
      {"one constant for all", strided(RecordSpace::constant, 64, 0), {1, 1}},
      {"a box of 64 rows of 128 bytes", box, {256, 256}},
      {"rows that straddle sectors", narrow_rows, {80, 40}},
      {"a box landing in shared memory", asynchronous_records()[4], {1, 1}},
      {"a wait", asynchronous_records()[2], {0, 0}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK(cost_of(row.record).actual == row.cost.actual);
    CHECK(cost_of(row.record).ideal == row.cost.ideal);
  }
}

TEST_CASE("the cost of an access is correct when it differs slightly from the previous one") {
  std::vector<TraceRecord> records;
  TraceRecord record = strided(RecordSpace::global, 4096, 4);
  const auto then = [&](auto change) {
    change(record);
    records.push_back(record);
    records.push_back(record);  // and once more, as it was
  };
  then([](TraceRecord&) {});
  then([](TraceRecord& r) { r.base += 4; });
  then([](TraceRecord& r) { r.base += 124; });
  then([](TraceRecord& r) { r.stride = 8; });
  then([](TraceRecord& r) { r.mask = 0xffff; });
  then([](TraceRecord& r) { r.bytes = 8; });
  then([](TraceRecord& r) { r.space = RecordSpace::shared, r.base = 0; });
  then([](TraceRecord& r) { r.stride = 128; });
  then([](TraceRecord& r) { r.kind = RecordKind::atomic, r.stride = 4, r.bytes = 4; });
  then([](TraceRecord& r) { r.shape = RecordShape::uniform, r.stride = 0; });
  then([](TraceRecord& r) { r.kind = RecordKind::load; });
  const BlockRecords block = packed(0, records);
  const BlockTimeline timeline(block);
  for (size_t at = 0; at < records.size(); ++at) {
    CAPTURE(at);
    CHECK(RecordCost{timeline.mark(at).actual, timeline.mark(at).ideal} == cost_of(records[at]));
  }
}

TEST_CASE("the next costly access is found both ways, and there may be none") {
  BlockRecords block(0);
  for (const int64_t stride : {4, 8, 4, 4, 64})
    block.append(strided(RecordSpace::global, 0, stride));
  const BlockTimeline timeline(block);
  CHECK(timeline.next_costly(0) == 1);
  CHECK(timeline.next_costly(1) == 4);
  CHECK(timeline.next_costly(4) == timeline.size());
  CHECK(timeline.previous_costly(4) == 1);
  CHECK(timeline.previous_costly(1) == timeline.size());
  CHECK(timeline.largest_cost() == 32);
}

TEST_CASE("a scene is found by block, warp, line, kind and occurrence; without it, what wastes most") {
  AccessTrace trace;
  trace.launch = example_launch();
  trace.launch.sources = {{"lab.cu", "first\n  tile[x] = in[y];\n  // tile[ in a comment\n"}};
  trace.launch.instructions = {
      {"lab.cu", 1, 0, "ld"}, {"lab.cu", 2, 0, "ld"}, {"lab.cu", 2, 0, "st"}, {"lab.cu", 3, 0, "ld"}};
  for (const uint64_t index : {0, 23}) {
    BlockRecords block(index);
    for (uint32_t k = 0; k < 12; ++k) {
      TraceRecord record = strided(RecordSpace::global, 0, k == 7 ? 64 : 4);
      record.warp = k % 2;
      record.instruction = k % 4;
      record.kind = record.instruction == 2 ? RecordKind::store : RecordKind::load;
      block.append(record);
    }
    trace.blocks.push_back(block);
  }
  const std::vector<BlockTimeline> timelines(trace.blocks.begin(), trace.blocks.end());
  CHECK_FALSE(find_scene(trace, timelines).found);
  CHECK(find_scene(trace, timelines).record == 7);

  trace.notes.scene = {"warp", "last", "tile[", "load", 1, 1, "", "See."};
  SceneMoment moment = find_scene(trace, timelines);
  CHECK(moment.found);
  CHECK(moment.alike);
  CHECK(moment.block == 1);
  CHECK(moment.record == 5);
  trace.notes.scene.occurrence = 99;  // the last there is
  CHECK(find_scene(trace, timelines).record == 9);
  trace.notes.scene.line = "nowhere";
  moment = find_scene(trace, timelines);
  CHECK_FALSE(moment.found);
  CHECK(moment.record == 7);
  trace.notes.scene.kind = "store";  // what wastes most of the same kind
  CHECK(find_scene(trace, timelines).record == 2);
  CHECK(find_scene(trace, timelines).alike);
  trace.notes.scene.kind = "atomic";  // there is none: what it says is of nothing here
  moment = find_scene(trace, timelines);
  CHECK(moment.record == 7);
  CHECK_FALSE(moment.alike);
  CHECK_FALSE(find_scene(AccessTrace{}, {}).alike);
  CHECK(find_scene(AccessTrace{}, {}).record == 0);
}

TEST_CASE("blocks are named by words, indices and coordinates") {
  struct Row {
    const char* word;
    std::optional<uint64_t> block;
  };
  const Row rows[] = {
      {"first", 0},
      {"last", 4 * 3 * 2 - 1},
      {"edge", 3},
      {"middle", 12 + 4 + 2},
      {"17", 17},
      {"24", {}},
      {"3:2:0", 11},
      {"3,2,1", 23},
      {"1:1", 5},
      {"4:0:0", {}},
      {"0:0:2", {}},
      {"", {}},
      {"frist", {}},
      {"1:2:3:4", {}},
      {"-1", {}},
      {"1:", {}},
      {"99999999999999999999", {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.word);
    CHECK(linear_block(row.word, {4, 3, 2}) == row.block);
  }
}
