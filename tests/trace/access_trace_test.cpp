#include "trace/access_trace.h"

#include <filesystem>

#include "tests/catch.h"
#include "tests/trace/example_trace.h"
#include "tests/trace/scratch_folder.h"
#include "trace/block_timeline.h"
#include "trace/byte_stream.h"
#include "trace/trace_sections.h"

using namespace ridge::trace;
using Catch::Matchers::Contains;

TEST_CASE("a trace that is written and read is the same") {
  const ScratchFolder folder;
  write_example(folder.path / "t.rtrace");
  const AccessTrace trace = read_access_trace(folder.path / "t.rtrace");
  const TraceLaunch launch = example_launch();
  CHECK(trace.version == kTraceVersion);
  CHECK(trace.launch.kernel == launch.kernel);
  CHECK(trace.launch.device == launch.device);
  CHECK(trace.launch.grid == launch.grid);
  CHECK(trace.launch.block == launch.block);
  CHECK(trace.launch.static_shared_bytes == 4096);
  CHECK(trace.launch.dynamic_shared_bytes == 128);
  CHECK(trace.launch.registers_per_thread == 32);
  REQUIRE(trace.launch.sources.size() == 2);
  CHECK(trace.launch.sources[0].text == launch.sources[0].text);
  CHECK(trace.launch.ptx_lines == launch.ptx_lines);
  REQUIRE(trace.launch.instructions.size() == 3);
  CHECK(trace.launch.instructions[1].text == "bar.sync 0;");
  CHECK(trace.launch.instructions[1].ptx_line == 44);
  REQUIRE(trace.arrays.size() == 2);
  CHECK(trace.arrays[1].origin == "__device__ int counter");
  CHECK(trace.records_dropped() == 0);
  REQUIRE(trace.blocks.size() == 2);
  CHECK(trace.blocks[1].block() == 23);
  for (uint32_t k = 0; k < 2; ++k) {
    RecordCursor cursor(trace.blocks[k]);
    TraceRecord record;
    for (const TraceRecord& expected : example_records(k + 1, 300)) {
      REQUIRE(cursor.next(record));
      REQUIRE(same(record, expected));
    }
    CHECK_FALSE(cursor.next(record));
    CHECK(cursor.at_end());
  }
}

TEST_CASE("asynchronous work that is written and read is the same") {
  const ScratchFolder folder;
  std::vector<TraceRecord> written = asynchronous_records();
  for (TraceRecord& record : multicast_records())
    written.push_back(std::move(record));
  AccessTraceWriter writer(folder.path / "t", example_launch());
  writer.add_block(packed(0, written));
  writer.finish(TraceEnd{});
  const AccessTrace trace = read_access_trace(folder.path / "t");
  RecordCursor cursor(trace.blocks.at(0));
  TraceRecord record;
  for (const TraceRecord& expected : written) {
    REQUIRE(cursor.next(record));
    CHECK(same(record, expected));
  }
  CHECK(cursor.at_end());
}

TEST_CASE("blocks that a copy goes to or comes from must be of the grid") {
  const uint64_t blocks = example_launch().blocks();
  for (const bool inside : {true, false})
    for (const bool received : {true, false}) {
      std::vector<TraceRecord> records = multicast_records();
      TraceRecord& forged = records[received ? 2 : 0];
      (received ? forged.place.id : forged.receivers.back()) = inside ? blocks - 1 : blocks;
      const ScratchFolder folder;
      AccessTraceWriter writer(folder.path / "t", example_launch());
      writer.add_block(packed(0, records));
      writer.finish(TraceEnd{});
      CAPTURE(inside, received);
      const std::string complaint = complaint_of([&] { read_access_trace(folder.path / "t"); });
      if (inside)
        CHECK(complaint.empty());
      else
        CHECK_THAT(complaint, Contains("a block's index is"));
    }
}

TEST_CASE("a trace without sources takes those that its instructions name, and shapes of shared arrays") {
  const ScratchFolder folder;
  TraceLaunch launch;
  launch.instructions = {{"/lab/tile.cu", 3, 7, "ld.shared.f32"}};
  TraceEnd end;
  end.arrays.push_back({0, 8 * 9 * 4, "__shared__ tile"});
  end.arrays[0].space = RecordSpace::shared;
  end.arrays[0].name = "tile";
  const auto write = [&] {
    AccessTraceWriter writer(folder.path / "t", launch);
    writer.finish(end);
  };
  const std::vector<TraceSource> known = {
      {"/lab/tile.h", "constexpr int kTile = 8;\n"},
      {"/lab/tile.cu", "__shared__ float tile[kTile][kTile + 1];  // [row][column]\n"},
      {"/etc/secret", "no instruction names it"}};
  write();
  annotate_trace(folder.path / "t", {}, known);
  AccessTrace trace = read_access_trace(folder.path / "t");
  REQUIRE(trace.launch.sources.size() == 1);
  CHECK(trace.launch.sources[0].path == "/lab/tile.cu");
  CHECK(trace.arrays.at(0).type == "float32");
  CHECK(trace.arrays[0].extent == std::vector<uint64_t>{8, 9});

  launch.sources = {{"/lab/tile.cu", "what was compiled"}};
  write();
  annotate_trace(folder.path / "t", {}, known);
  trace = read_access_trace(folder.path / "t");
  REQUIRE(trace.launch.sources.size() == 1);
  CHECK(trace.launch.sources[0].text == "what was compiled");
}

TEST_CASE("the report, the placement and the notes come with the trace, and notes are replaced whole") {
  const ScratchFolder folder;
  write_example(folder.path / "t", 20);
  TraceNotes first = example_notes();
  first.rung = "another";
  annotate_trace(folder.path / "t", first);
  annotate_trace(folder.path / "t", example_notes());
  const AccessTrace trace = read_access_trace(folder.path / "t");
  CHECK(trace.records() == 40);
  REQUIRE(trace.report);
  CHECK(trace.report->l2_read_sectors == 77);
  CHECK(trace.placement.sm_of(133) == 1);
  CHECK(trace.placement.waves(529) == 2);
  CHECK(trace.notes.rung == "02-coalescing/4-transpose-tiled");
  CHECK(trace.notes.solution);
  CHECK(trace.notes.scene.view == "banks");
  CHECK(trace.notes.scene.warp == 2);
  CHECK(trace.notes.scene.text == "Look.");
  // A named array that was touched keeps its place and gets its name; an untouched one is added.
  REQUIRE(trace.arrays.size() == 3);
  const TraceArray* in = trace.array_at(RecordSpace::global, 0x7f0000000000 + 65535);
  REQUIRE(in != nullptr);
  CHECK(in->name == "in");
  CHECK(in->extent == std::vector<uint64_t>{128, 128});
  CHECK(in->origin == "cudaMalloc");
  CHECK(trace.array_at(RecordSpace::global, 0x7f0000200000)->shown_name() == "never_touched");
  CHECK(trace.array_at(RecordSpace::shared, 0x7f0000200000) == nullptr);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("a block that was read outlives its trace, and takes no more records") {
  const ScratchFolder folder;
  const std::vector<TraceRecord> records = example_records(1, 40);
  AccessTraceWriter writer(folder.path / "t.rtrace", example_launch());
  writer.add_block(packed(3, records));
  writer.finish(TraceEnd{});
  BlockRecords block;
  {
    AccessTrace trace = read_access_trace(folder.path / "t.rtrace");
    block = trace.blocks[0];
  }
  CHECK(block.packed_bytes() == packed(3, records).packed_bytes());
  RecordCursor cursor(block);
  TraceRecord record;
  for (const TraceRecord& expected : records) {
    REQUIRE(cursor.next(record));
    REQUIRE(same(record, expected));
  }
  CHECK(cursor.at_end());
  CHECK_THROWS_AS(block.append(record), std::logic_error);
}

TEST_CASE("a shape that does not match its array's size is dropped") {
  std::vector<TraceArray> arrays{{4096, 64, "cudaMalloc"}};
  TraceNotes notes;
  notes.arrays = {{4096, 64, "in", "float32", "", 4, {4, 5}}};
  name_arrays(arrays, notes);
  CHECK(arrays[0].name == "in");
  CHECK(arrays[0].extent.empty());
}

TEST_CASE("the checksum does not depend on the division into pieces") {
  std::vector<uint8_t> bytes(1000);
  for (size_t k = 0; k < bytes.size(); ++k)
    bytes[k] = static_cast<uint8_t>(k * 7);
  for (const size_t piece : {1u, 5u, 31u, 32u, 33u, 400u}) {
    TraceChecksum sum;
    for (size_t at = 0; at < bytes.size(); at += piece)
      sum.add(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
    CHECK(sum.value() == trace_checksum(bytes.data(), bytes.size()));
  }
}

TEST_CASE("a coalesced access takes at most twelve bytes") {
  BlockRecords records;
  TraceRecord record;
  record.space = RecordSpace::global;
  record.shape = RecordShape::strided;
  record.mask = 0xffffffff;
  record.bytes = 4;
  record.stride = 4;
  for (uint32_t k = 0; k < 1000; ++k) {
    record.warp = k % 32;
    record.base = 0x7f0000000000 + k * 128;
    records.append(record);
  }
  CHECK(records.packed_bytes() <= 12 * 1000);
}

TEST_CASE("a block beyond the limit is left out and counted") {
  const ScratchFolder folder;
  write_example(folder.path / "whole", 300);
  const uint64_t whole = std::filesystem::file_size(folder.path / "whole");
  write_example(folder.path / "less", 300, packed(0, example_records(1, 300)).packed_bytes());
  const AccessTrace trace = read_access_trace(folder.path / "less");
  REQUIRE(trace.blocks.size() == 2);
  CHECK(trace.blocks[0].size() == 300);
  CHECK(trace.blocks[0].dropped() == 0);
  CHECK(trace.blocks[1].size() == 0);
  CHECK(trace.blocks[1].dropped() == 300);
  CHECK(trace.records_dropped() == 300);
  CHECK(std::filesystem::file_size(folder.path / "less") < whole);
}

TEST_CASE("a trace file appears only when it is complete") {
  const ScratchFolder folder;
  {
    AccessTraceWriter writer(folder.path / "t", example_launch());
    writer.add_block(packed(0, example_records(1, 10)));
    CHECK_FALSE(std::filesystem::exists(folder.path / "t"));
  }
  CHECK(std::filesystem::is_empty(folder.path));
  write_example(folder.path / "t");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("a trace replaces an older file and nothing else") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path / "t.rtrace", inside = folder.path / "kept";
  write_example(file, 3);
  write_example(file, 5);
  CHECK(read_access_trace(file).records() == 10);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
  std::filesystem::create_directory(inside);
  CHECK_THROWS(write_example(inside, 3));
  CHECK(std::filesystem::is_directory(inside));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 2);
}

TEST_CASE("a folder that is not there is named") {
  const ScratchFolder folder;
  CHECK_THAT(complaint_of([&] { write_example(folder.path / "none" / "t"); }),
             Contains("the trace cannot be made"));
}
