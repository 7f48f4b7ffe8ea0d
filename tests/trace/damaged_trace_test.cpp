// What is no trace, or a damaged one, is refused with a reason, and never a crash.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/trace/example_trace.h"
#include "tests/trace/scratch_folder.h"
#include "trace/byte_stream.h"
#include "trace/trace_sections.h"

using namespace ridge::trace;
using Catch::Matchers::Contains;

TEST_CASE("files that are not traces, or of a newer version, are distinguished") {
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

TEST_CASE("damage with a valid checksum never crashes the reader") {
  const ScratchFolder folder;
  write_example(folder.path / "t", 40);
  add_links_to_trace(folder.path / "t", example_links());
  const std::vector<uint8_t> good = bytes_of(folder.path / "t");
  std::mt19937 random(7);
  size_t refused = 0, read = 0, differently = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<uint8_t> bad = good;
    // One to three bytes anywhere but in the end mark; sometimes all ones, which makes the largest numbers.
    for (uint32_t k = 0; k <= random() % 3; ++k) {
      bad[random() % (bad.size() - 8)] = random() % 3 == 0 ? 0xff : static_cast<uint8_t>(random());
    }
    fix_checksum(bad);
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
