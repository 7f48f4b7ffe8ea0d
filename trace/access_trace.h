// The access trace: what every warp of a few blocks did to memory, in the order it was done, with everything
// a picture of it needs (the learner's source, the PTX, the arrays), in one file. Written by the virtual GPU,
// read by the visualizer.
//
// The file (.rtrace), little-endian:
//   header    8 bytes "RTRACE\r\n", u32 version, u32 compression (0 = none; others are kept for later)
//   sections  one after the other, each just bytes
//   index     for each section: u32 kind, u64 offset, u64 bytes
//   footer    u64 offset of the index, u64 FNV-1a checksum of all that comes before it, 8 bytes "RTRACEND"
// Section kinds: 1 launch, 2 source files, 3 PTX lines, 4 instructions, 5 one block's records, 6 arrays.
// Readers skip kinds they do not know. Numbers inside sections are LEB128 varints (signed ones zigzag), texts
// are a length and bytes. A block's records are stored by column, each column after its length in bytes, so
// that like stands beside like: a record takes 7 to 12 bytes when its addresses are uniform or strided, and 1
// to 3 more a lane when they are not.
//
// A trace is bounded: records beyond the limit are left out and counted, never silently. The limit is on the
// records, which grow with the launch; the texts, which do not, come on top.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ridge::trace {

inline constexpr uint32_t kTraceVersion = 1;
inline constexpr uint64_t kDefaultTraceLimitBytes = 64ull << 20;

enum class RecordKind : uint8_t { load, store, atomic, reduction, barrier, divergence };
enum class RecordSpace : uint8_t { none, global, shared, local, constant };
enum class RecordShape : uint8_t { uniform, strided, scattered };

// One warp did one thing.
struct TraceRecord {
  uint32_t warp = 0;         // in the block
  uint32_t instruction = 0;  // index in TraceLaunch::instructions
  RecordKind kind = RecordKind::load;
  RecordSpace space = RecordSpace::none;
  RecordShape shape = RecordShape::uniform;
  uint32_t mask = 0;                     // active lanes; divergence: the lanes that took the branch
  uint32_t other_mask = 0;               // divergence: the lanes that fell through
  uint32_t bytes = 0;                    // a lane; 0 for barrier and divergence
  uint64_t base = 0;                     // uniform, strided: lane 0's address, active or not
  int64_t stride = 0;                    // strided: bytes from lane to lane
  std::array<uint64_t, 32> addresses{};  // every shape; scattered: 0 for inactive lanes
  std::vector<std::byte> values;         // active lanes in order, `bytes` each; empty = not recorded
};

// One block's records, packed as the file has them. Append in the order of execution; read with a
// RecordCursor.
class BlockRecords {
 public:
  explicit BlockRecords(uint64_t block = 0) : block_(block) {}

  uint64_t block() const { return block_; }  // linear index in the grid
  uint64_t size() const { return count_; }
  uint64_t dropped() const { return dropped_; }  // records that came after the limit was reached
  void count_dropped(uint64_t records = 1) { dropped_ += records; }
  uint64_t packed_bytes() const { return packed_bytes_; }

  // record.addresses are looked at for scattered records only.
  void append(const TraceRecord& record);

 private:
  friend class RecordCursor;
  friend struct BlockSection;  // to and from the file
  enum Column : uint8_t {
    warps,
    instructions,
    shapes,
    masks,
    other_masks,
    sizes,
    bases,
    strides,
    scattered,
    values
  };
  static constexpr size_t kColumns = 10;
  uint64_t block_ = 0, count_ = 0, dropped_ = 0, packed_bytes_ = 0;
  std::array<std::vector<uint8_t>, kColumns> columns_;
  uint32_t last_warp_ = 0, last_instruction_ = 0;
  uint64_t last_base_ = 0;
};

// No record takes more when appended: for those who must stay under a limit.
uint64_t packed_bytes_at_most(const TraceRecord& record);

// Walks over a block's records from the first to the last. Holds views: the BlockRecords must outlive it.
class RecordCursor {
 public:
  explicit RecordCursor(const BlockRecords& records) : records_(&records) {}
  // False at the end. `record` is overwritten whole; using the same one again saves allocations.
  // Throws std::runtime_error on damage; the records of a trace that was read are known to be sound.
  bool next(TraceRecord& record);
  // Everything was read and nothing is left over in any column.
  bool at_end() const;

 private:
  const BlockRecords* records_;
  uint64_t done_ = 0;
  std::array<size_t, BlockRecords::kColumns> position_{};
  uint32_t warp_ = 0, instruction_ = 0;
  uint64_t base_ = 0;
};

struct TraceInstruction {
  std::string file;  // the learner's source, as -lineinfo names it
  uint32_t line = 0, ptx_line = 0;
  std::string text;
};
struct TraceSource {
  std::string path, text;
};
struct TraceArray {
  uint64_t address = 0, bytes = 0;
  std::string origin;  // "cudaMalloc", "__device__ float table[256]"
};

struct TraceLaunch {
  std::string kernel, device;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0, registers_per_thread = 0;
  std::vector<TraceSource> sources;
  std::vector<std::string> ptx_lines;
  std::vector<TraceInstruction> instructions;
};

struct AccessTrace {
  uint32_t version = kTraceVersion;
  TraceLaunch launch;
  std::vector<TraceArray> arrays;  // that the recorded blocks touched
  std::vector<BlockRecords> blocks;
  uint64_t records_dropped() const;
};

// Writes beside `file` and renames at finish(): whoever looks sees a whole trace or none.
class AccessTraceWriter {
 public:
  // Throws std::runtime_error when the file cannot be made, or later when the disk is full.
  AccessTraceWriter(std::filesystem::path file, const TraceLaunch& launch,
                    uint64_t limit_bytes = kDefaultTraceLimitBytes);
  ~AccessTraceWriter();  // without finish(): removes what was written
  AccessTraceWriter(const AccessTraceWriter&) = delete;
  AccessTraceWriter& operator=(const AccessTraceWriter&) = delete;

  // A block that would pass the limit is written without records, and all of them count as dropped.
  void add_block(const BlockRecords& records);
  void finish(const std::vector<TraceArray>& arrays);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Throws std::runtime_error in plain words: not a trace, from a newer version, cut off, damaged.
AccessTrace read_access_trace(const std::filesystem::path& file);
// The same from bytes in memory; messages do not name a file.
AccessTrace parse_access_trace(std::span<const uint8_t> bytes);

// The checksum of the footer, over `size` bytes.
uint64_t trace_checksum(const uint8_t* data, size_t size);

}  // namespace ridge::trace
