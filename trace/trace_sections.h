// Encodes and decodes the sections of an .rtrace file. Internal to trace; access_trace.h describes
// the format.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trace/access_trace.h"

namespace ridge::trace {

inline constexpr std::string_view kTraceMagic =
    "RTRACE\r\n";  // the line end detects a file that was converted as text
inline constexpr std::string_view kTraceEndMagic = "RTRACEND";
inline constexpr uint32_t kNoCompression = 0;
inline constexpr size_t kTraceHeaderBytes = 16, kTraceFooterBytes = 24, kIndexEntryBytes = 20;

enum class SectionKind : uint32_t {
  launch = 1,
  sources = 2,
  ptx = 3,
  instructions = 4,
  block = 5,
  arrays = 6,
  notes = 7,
  report = 8,
  placement = 9,
  device_links = 10
};

// The checksum of version 2: four interleaved FNV-1a over 64-bit words, for speed. Bytes at the end
// that do not fill a group of four words are added one by one.
class TraceChecksum {
 public:
  void add(std::span<const uint8_t> bytes);
  uint64_t value() const;

 private:
  static constexpr size_t kLanes = 4, kStripe = kLanes * 8;
  void take_stripe(const uint8_t* from);
  std::array<uint64_t, kLanes> lanes_{0xcbf29ce484222325, 0x84222325cbf29ce4, 0x9ae16a3b2f90404f,
                                      0xc949d7c7509e6557};
  std::array<uint8_t, kStripe> waiting_{};
  size_t waiting_bytes_ = 0;
};
uint64_t checksum_of_version_1(std::span<const uint8_t> bytes);

std::vector<uint8_t> pack_launch(const TraceLaunch& launch);
std::vector<uint8_t> pack_sources(const std::vector<TraceSource>& sources);
std::vector<uint8_t> pack_lines(const std::vector<std::string>& lines);
std::vector<uint8_t> pack_instructions(const std::vector<TraceInstruction>& instructions);
std::vector<uint8_t> pack_arrays(const std::vector<TraceArray>& arrays);
std::vector<uint8_t> pack_notes(const TraceNotes& notes);
std::vector<uint8_t> pack_placement(const BlockPlacement& placement);
std::vector<uint8_t> pack_device_links(const DeviceLinks& links);

// All throw std::runtime_error on invalid bytes.
void unpack_launch(std::span<const uint8_t> bytes, TraceLaunch& launch);  // all but the three lists
std::vector<TraceSource> unpack_sources(std::span<const uint8_t> bytes);
std::vector<std::string> unpack_lines(std::span<const uint8_t> bytes);
std::vector<TraceInstruction> unpack_instructions(std::span<const uint8_t> bytes);
std::vector<TraceArray> unpack_arrays(std::span<const uint8_t> bytes, uint32_t version);
TraceNotes unpack_notes(std::span<const uint8_t> bytes);
BlockPlacement unpack_placement(std::span<const uint8_t> bytes);
DeviceLinks unpack_device_links(std::span<const uint8_t> bytes);
// Copies names, types and shapes from the notes to the arrays, and adds missing arrays.
void name_arrays(std::vector<TraceArray>& arrays, const TraceNotes& notes);

struct RawSection {
  SectionKind kind;
  std::span<const uint8_t> bytes;
};
// Checks magic, version, footer and checksum, then reads the sections of the index. Throws as
// read_access_trace() does.
std::vector<RawSection> find_sections(std::span<const uint8_t> file, uint32_t& version);

// A file in memory, shared by the blocks whose records it contains.
struct TraceBytes {
  std::shared_ptr<const uint8_t[]> data;
  size_t size = 0;
  std::span<const uint8_t> all() const { return {data.get(), size}; }
};
TraceBytes read_whole_trace(const std::filesystem::path& file);
TraceBytes copy_of(std::span<const uint8_t> bytes);
// Does not check the records; BlockTimeline::checked() or check_records() must do that. Throws as
// read_access_trace() does.
AccessTrace parse_unchecked(const TraceBytes& file);
// Calls `act` and prepends the file's name to the text of what it throws.
template <typename Act>
auto with_name_of(const std::filesystem::path& file, Act act) {
  try {
    return act();
  } catch (const std::exception& error) {  // also out of memory because of a forged size
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

struct BlockSection {
  // The section's bytes as pieces to be written one after the other: `heads`, which precede the
  // columns, and the columns without a copy.
  static std::vector<std::span<const uint8_t>> pack(const BlockRecords& records, std::vector<uint8_t>& heads);
  // Decodes only the columns, as views of `file`, which contains `bytes`; check_records() checks
  // their content.
  static BlockRecords unpack(std::span<const uint8_t> bytes, uint32_t version,
                             const std::shared_ptr<const uint8_t[]>& file);
};

// Checks that records are within the launch's grid, block and instructions. Throws
// std::runtime_error.
class RecordCheck {
 public:
  explicit RecordCheck(const TraceLaunch& launch);
  void check_block(uint64_t block) const;
  void check(const TraceRecord& record) const;
  static void check_end(const RecordCursor& cursor);  // all columns end at the same record

 private:
  uint64_t last_block_, last_warp_;
  size_t instructions_;
};
// Runs that check on every record.
void check_records(const BlockRecords& records, const TraceLaunch& launch);

}  // namespace ridge::trace
