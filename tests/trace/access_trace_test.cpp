#include "trace/access_trace.h"

#include "tests/catch.h"
#include "tests/trace/example_trace.h"
#include "tests/trace/scratch_folder.h"

using namespace ridge::trace;
using Catch::Matchers::Contains;

namespace {

bool same(const TraceRecord& a, const TraceRecord& b) {
  return a.warp == b.warp && a.instruction == b.instruction && a.kind == b.kind && a.space == b.space &&
         a.shape == b.shape && a.mask == b.mask && a.other_mask == b.other_mask && a.bytes == b.bytes &&
         a.base == b.base && a.stride == b.stride && a.addresses == b.addresses && a.values == b.values;
}

void write_example(const std::filesystem::path& file, size_t records = 300,
                   uint64_t limit = kDefaultTraceLimitBytes) {
  AccessTraceWriter writer(file, example_launch(), limit);
  writer.add_block(packed(0, example_records(1, records)));
  writer.add_block(packed(23, example_records(2, records)));
  writer.finish({{0x7f0000000000, 65536, "cudaMalloc"}, {0x7f0000100000, 16, "__device__ int counter"}});
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
  newer[8] = 2;
  CHECK_THAT(complaint(newer), Contains("version 2") && Contains("newer Ridgepoint"));
  std::vector<uint8_t> flipped = good;
  flipped[good.size() / 2] ^= 4;
  CHECK_THAT(complaint(flipped), Contains("damaged"));
  CHECK_THAT(complaint({good.begin(), good.end() - 1}), Contains("cut off"));
  CHECK_THAT(complaint_of([&] { read_access_trace(folder.path); }), Contains("no such trace"));
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
  size_t refused = 0, read = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<uint8_t> bad = good;
    // One to three bytes anywhere but in the end mark; sometimes all ones, which makes the largest numbers.
    for (uint32_t k = 0; k <= random() % 3; ++k) {
      bad[random() % (bad.size() - 8)] = random() % 3 == 0 ? 0xff : static_cast<uint8_t>(random());
    }
    mend_checksum(bad);
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
  CHECK(refused > 500);
  CHECK(read > 100);
}
