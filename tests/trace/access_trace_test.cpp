#include "trace/access_trace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/trace/example_trace.h"
#include "tests/trace/scratch_folder.h"
#include "trace/block_timeline.h"
#include "trace/byte_stream.h"
#include "trace/trace_sections.h"

using namespace ridge::trace;
using Catch::Matchers::Contains;

namespace {

bool same(const TraceRecord& a, const TraceRecord& b) {
  return a.warp == b.warp && a.instruction == b.instruction && a.kind == b.kind && a.space == b.space &&
         a.shape == b.shape && a.mask == b.mask && a.other_mask == b.other_mask && a.bytes == b.bytes &&
         a.base == b.base && a.stride == b.stride && a.addresses == b.addresses && a.values == b.values &&
         a.unit == b.unit && a.runs == b.runs && a.owner == b.owner && a.place == b.place &&
         a.moved_bytes == b.moved_bytes && a.receivers == b.receivers;
}

void write_example(const std::filesystem::path& file, size_t records = 300,
                   uint64_t limit = kDefaultTraceLimitBytes) {
  AccessTraceWriter writer(file, example_launch(), limit);
  writer.add_block(packed(0, example_records(1, records)));
  std::vector<TraceRecord> second = example_records(2, records);
  writer.add_block(packed(23, second));
  TraceEnd end;
  end.arrays = {{0x7f0000000000, 65536, "cudaMalloc"}, {0x7f0000100000, 16, "__device__ int counter"}};
  end.placement = {132, 4, {2, 1, 1}};
  end.report = LaunchReport{};
  end.report->kernel = "transpose_tiled";
  end.report->l2_read_sectors = 77;
  writer.finish(end);
}

// The file that a program of version 1 wrote: fewer columns, no values to count, FNV-1a by the byte.
std::vector<uint8_t> file_of_version_1(const std::vector<TraceRecord>& records) {
  std::vector<uint8_t> file(kTraceMagic.begin(), kTraceMagic.end()), index;
  put_fixed(file, uint32_t{1});
  put_fixed(file, kNoCompression);
  const auto section = [&](SectionKind kind, const std::vector<uint8_t>& bytes) {
    put_fixed(index, static_cast<uint32_t>(kind));
    put_fixed(index, uint64_t{file.size()});
    put_fixed(index, uint64_t{bytes.size()});
    file.insert(file.end(), bytes.begin(), bytes.end());
  };
  section(SectionKind::launch, pack_launch(example_launch()));
  section(SectionKind::instructions, pack_instructions(example_launch().instructions));
  const BlockRecords block = packed(5, records);
  REQUIRE(block.size() < 128);  // so that each of the numbers before the columns is one byte
  std::vector<uint8_t> heads, bytes;
  for (const std::span<const uint8_t>& piece : BlockSection::pack(block, heads))
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  REQUIRE(bytes[3] == 0);
  bytes.erase(bytes.begin() + 3);  // without_values
  bytes.resize(bytes.size() - 3);  // three empty columns
  section(SectionKind::block, bytes);
  std::vector<uint8_t> arrays;
  put_varint(arrays, 1);
  put_varint(arrays, 0x7f0000000000);
  put_varint(arrays, 65536);
  put_text(arrays, "cudaMalloc");
  section(SectionKind::arrays, arrays);
  const uint64_t index_offset = file.size();
  file.insert(file.end(), index.begin(), index.end());
  put_fixed(file, index_offset);
  put_fixed(file, checksum_of_version_1(file));
  file.insert(file.end(), kTraceEndMagic.begin(), kTraceEndMagic.end());
  return file;
}

// Puts the right checksum under changed bytes, so that damage reaches the parser behind it.
void mend_checksum(std::vector<uint8_t>& bytes) {
  const uint64_t sum = trace_checksum(bytes.data(), bytes.size() - 16);
  for (size_t k = 0; k < 8; ++k)
    bytes[bytes.size() - 16 + k] = static_cast<uint8_t>(sum >> (8 * k));
}

}  // namespace

TEST_CASE("a trace comes back as it was written") {
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

TEST_CASE("asynchronous work comes back as it was written") {
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

TEST_CASE("a trace of version 2 is read, and takes notes") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path / "old.rtrace";
  write_example(file, 20);
  std::vector<uint8_t> bytes = bytes_of(file);
  bytes[8] = 2;  // it has nothing that came later
  mend_checksum(bytes);
  write_bytes(file, bytes);
  const AccessTrace old = read_access_trace(file);
  CHECK(old.version == 2);
  CHECK(old.records() == 40);
  annotate_trace(file, example_notes());
  const AccessTrace trace = read_access_trace(file);
  CHECK(trace.version == kTraceVersion);
  CHECK(trace.records() == 40);
  CHECK(trace.notes.title == example_notes().title);
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
  // Named where it was touched, added where it was not.
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

TEST_CASE("a shape that its array cannot hold is forgotten") {
  std::vector<TraceArray> arrays{{4096, 64, "cudaMalloc"}};
  TraceNotes notes;
  notes.arrays = {{4096, 64, "in", "float32", "", 4, {4, 5}}};
  name_arrays(arrays, notes);
  CHECK(arrays[0].name == "in");
  CHECK(arrays[0].extent.empty());
}

TEST_CASE("a trace of version 1 is read") {
  std::vector<TraceRecord> records = example_records(3, 30);
  const AccessTrace trace = parse_access_trace(file_of_version_1(records));
  CHECK(trace.version == 1);
  REQUIRE(trace.blocks.size() == 1);
  CHECK(trace.blocks[0].block() == 5);
  RecordCursor cursor(trace.blocks[0]);
  TraceRecord record;
  for (const TraceRecord& expected : records) {
    REQUIRE(cursor.next(record));
    REQUIRE(same(record, expected));
  }
  CHECK(trace.arrays.at(0).origin == "cudaMalloc");
  CHECK_FALSE(trace.placement.known());
}

TEST_CASE("the checksum does not depend on how the bytes came") {
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

TEST_CASE("no file appears before the trace is whole, and none is left when it never is") {
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

TEST_CASE("a trace takes the place of an older file and of nothing else") {
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

TEST_CASE("what is not a trace, or not one for this program, is told apart") {
  const ScratchFolder folder;
  write_example(folder.path / "t", 20);
  const std::vector<uint8_t> good = bytes_of(folder.path / "t");
  const auto complaint = [&](const std::vector<uint8_t>& bytes) {
    write_bytes(folder.path / "bad", bytes);
    return complaint_of([&] { read_access_trace(folder.path / "bad"); });
  };
  CHECK_THAT(complaint({}), Contains("not an access trace"));
  CHECK_THAT(complaint(std::vector<uint8_t>(100, 'x')), Contains("not an access trace"));
  std::vector<uint8_t> newer = good;
  newer[8] = kTraceVersion + 1;
  CHECK_THAT(complaint(newer),
             Contains("version " + std::to_string(kTraceVersion + 1)) && Contains("newer Ridgepoint"));
  std::vector<uint8_t> flipped = good;
  flipped[good.size() / 2] ^= 4;
  CHECK_THAT(complaint(flipped), Contains("damaged"));
  CHECK_THAT(complaint({good.begin(), good.end() - 1}), Contains("cut off"));
  for (const auto& [begin, says] :
       {std::pair(std::string(kTraceMagic), "8.0 GB"), {"words", "not an access trace"}}) {
    write_text(folder.path / "huge", begin);
    std::filesystem::resize_file(folder.path / "huge", uint64_t{8} << 30);  // holes, which are not read
    CHECK_THAT(complaint_of([&] { read_access_trace(folder.path / "huge"); }), Contains(says));
  }
  CHECK_THAT(complaint_of([&] { read_access_trace(folder.path); }), Contains("this is a folder"));
  std::filesystem::create_symlink("nowhere", folder.path / "link");
  CHECK_THAT(complaint_of([&] { read_access_trace(folder.path / "link"); }), Contains("no such trace"));
  REQUIRE(mkfifo((folder.path / "pipe").c_str(), 0600) == 0);  // and does not wait for who writes to it
  CHECK_THAT(complaint_of([&] { read_access_trace(folder.path / "pipe"); }), Contains("a pipe or a device"));
  if (geteuid() != 0) {  // root may read all
    std::ofstream(folder.path / "mine") << "RTRACE";
    std::filesystem::permissions(folder.path / "mine", std::filesystem::perms::none);
    CHECK_THAT(complaint_of([&] { read_access_trace(folder.path / "mine"); }),
               Contains("cannot be read: Permission denied"));
  }
  CHECK_THAT(complaint_of([&] { read_access_trace(folder.path / "none"); }), Contains("no such trace"));
}

TEST_CASE("every truncation and every flipped byte is refused") {
  const ScratchFolder folder;
  write_example(folder.path / "t", 12);
  const std::vector<uint8_t> good = bytes_of(folder.path / "t");
  size_t accepted = 0;
  for (size_t size = 0; size < good.size(); ++size) {
    accepted += complaint_of([&] { parse_access_trace(std::span(good).first(size)); }).empty();
  }
  for (size_t at = 0; at < good.size(); ++at) {
    std::vector<uint8_t> bad = good;
    bad[at] ^= static_cast<uint8_t>(1 + at * 37 % 255);
    accepted += complaint_of([&] { parse_access_trace(bad); }).empty();
  }
  CHECK(accepted == 0);
}

TEST_CASE("damage under a right checksum may change a picture but never crashes the reader") {
  const ScratchFolder folder;
  write_example(folder.path / "t", 40);
  const std::vector<uint8_t> good = bytes_of(folder.path / "t");
  std::mt19937 random(7);
  size_t refused = 0, read = 0, differently = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<uint8_t> bad = good;
    // One to three bytes anywhere but in the end mark; sometimes all ones, which makes the largest numbers.
    for (uint32_t k = 0; k <= random() % 3; ++k) {
      bad[random() % (bad.size() - 8)] = random() % 3 == 0 ? 0xff : static_cast<uint8_t>(random());
    }
    mend_checksum(bad);
    differently +=
        complaint_of([&] { open_access_trace(bad); }) != complaint_of([&] { parse_access_trace(bad); });
    try {
      const AccessTrace trace = parse_access_trace(bad);
      TraceRecord record;
      for (const BlockRecords& block : trace.blocks) {
        RecordCursor cursor(block);
        while (cursor.next(record))
          REQUIRE(record.instruction < trace.launch.instructions.size());
      }
      ++read;
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  CHECK(differently == 0);
  CHECK(refused > 500);
  CHECK(read > 100);
}
