// Traces that older versions wrote are read.
#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/trace/example_trace.h"
#include "tests/trace/scratch_folder.h"
#include "trace/byte_stream.h"
#include "trace/trace_sections.h"

using namespace ridge::trace;

namespace {

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

}  // namespace

TEST_CASE("a trace of version 2 is read, and takes notes") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path / "old.rtrace";
  write_example(file, 20);
  std::vector<uint8_t> bytes = bytes_of(file);
  bytes[8] = 2;  // it has nothing that came later
  fix_checksum(bytes);
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
