// The access trace: the memory accesses and synchronisation of every warp of a few blocks, in order
// of execution, with the data that a picture of them needs (the student's source, the PTX, the arrays,
// the counts of the whole launch), in one file. The virtual GPU writes it, the harness completes it
// (trace_notes.h), the visualizer reads it with a BlockTimeline (block_timeline.h).
//
// The file (.rtrace), little-endian:
//   header    8 bytes "RTRACE\r\n", u32 version, u32 compression (0 = none; others are reserved)
//   sections  one after the other, as bytes
//   index     for each section: u32 kind, u64 offset, u64 bytes
//   footer    u64 offset of the index, u64 checksum of everything before it, 8 bytes "RTRACEND"
// Section kinds: 1 launch, 2 source files, 3 PTX lines, 4 instructions, 5 one block's records, 6
// arrays, 7 notes (trace_notes.h), 8 report (launch_report.h, one JSON line), 9 placement of blocks
// on SMs, 10 links between devices (links/device_links.h). Readers skip unknown kinds. Numbers inside
// sections are LEB128 varints (signed ones zigzag); a text is its length and its bytes. A block's
// records are stored by column; each column is preceded by its length in bytes. A record takes 7 to 12 bytes when its addresses are uniform or strided, and
// 1 to 3 more per lane when they are not.
//
// Versions: 1 had accesses, barriers and divergence (columns 0 to 9; FNV-1a per byte); 2 adds
// asynchronous work and its waits, names and shapes of arrays, the report and the notes; 3 adds
// fences, the target blocks of a copy, and data from the copies of other blocks. All versions are
// read; 3 is written.
//
// The size of a trace is limited: records beyond the limit are dropped, and their number is stored.
// The limit applies to the records, which grow with the launch, and not to the texts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/links/device_links.h"
#include "trace/growing_bytes.h"
#include "trace/launch_report.h"
#include "trace/trace_notes.h"

namespace ridge::trace {

inline constexpr uint32_t kTraceVersion = 3;
inline constexpr uint64_t kDefaultTraceLimitBytes = 64ull << 20;

enum class RecordKind : uint8_t {
  load,
  store,
  atomic,
  reduction,
  barrier,     // the lanes arrive at a barrier of their block
  divergence,  // a branch that the lanes of `mask` took and those of `other_mask` did not
  // Since version 2.
  warp_barrier,  // __syncwarp
  // Asynchronous work starts; records of the same instruction follow when its bytes move.
  issue,
  init,          // `place`, an mbarrier, is initialised
  arrive,        // at `place`
  commit,        // the issued work becomes a group, `place`
  wait,          // for `place`, which has not completed; a spinning warp is recorded once
  waited,        // `place` has completed, perhaps earlier: the lanes continue
  fence,
};
inline constexpr size_t kRecordKinds = 14;

enum class RecordSpace : uint8_t { none, global, shared, local, constant };
// runs: a set of bytes that belongs to no single lane (bulk and tensor copies, wgmma).
enum class RecordShape : uint8_t { uniform, strided, scattered, runs };
// The unit that makes the access or does the work.
enum class RecordUnit : uint8_t {
  // The lanes, by an ordinary instruction (also ldmatrix: 16 bytes per row, at the lane that holds
  // the row's address).
  threads,
  async_copy,   // cp.async: the load at the issue, the store to shared memory when it completes
  bulk_copy,    // cp.async.bulk: the copy engine, one run of bytes
  tensor_copy,  // cp.async.bulk.tensor (TMA): a box
  matrix,       // wgmma reading its operands from shared memory
};
// An object that threads synchronise at or wait for.
enum class PlaceKind : uint8_t {
  none,
  block_barrier,    // id: one of the block's 16 barriers
  mbarrier,         // id: its offset in the shared memory of `owner`
  copy_group,       // groups of the warp's cp.async; phase: number of the group
  bulk_group,       // ... of its bulk copies
  matrix_group,     // ... of its wgmma
  cluster_barrier,  // id: first block of the cluster
  // Since version 3, for accesses only: a copy that another block started (multicast); id: that
  // block. No warp of this block takes part: `mask` is 0, and `warp` is a warp of the other block.
  asked_by,
};
struct RecordPlace {
  PlaceKind kind = PlaceKind::none;
  uint64_t id = 0;
  uint64_t phase = 0;  // from 1; 0: unknown
  bool operator==(const RecordPlace&) const = default;
};
// `count` runs of `bytes` each: the rows of a box. `stride` is the distance between the beginnings
// of two runs.
struct RecordRuns {
  uint64_t begin = 0, bytes = 0;
  int64_t stride = 0;
  uint32_t count = 1;  // at most kMostRuns
  static constexpr uint32_t kMostRuns = 65536;
  uint64_t begin_of(uint64_t run) const { return begin + static_cast<uint64_t>(stride) * run; }
  bool operator==(const RecordRuns&) const = default;
};

// One access or event of one warp.
struct TraceRecord {
  uint32_t warp = 0;         // in the block
  uint32_t instruction = 0;  // index in TraceLaunch::instructions
  RecordKind kind = RecordKind::load;
  RecordSpace space = RecordSpace::none;
  RecordShape shape = RecordShape::uniform;
  RecordUnit unit = RecordUnit::threads;
  uint32_t mask = 0;                     // active lanes; divergence: the lanes that took the branch
  uint32_t other_mask = 0;               // divergence: the lanes that fell through
  uint32_t bytes = 0;                    // per lane; 0 for runs and for events
  uint64_t base = 0;                     // uniform, strided: lane 0's address, active or not
  int64_t stride = 0;                    // strided: bytes from lane to lane
  // Every shape but runs; scattered: 0 for inactive lanes. Shared and local memory: offsets.
  std::array<uint64_t, 32> addresses{};
  std::vector<RecordRuns> runs;          // shape runs
  // Shared memory of another block of the cluster: that block's linear index.
  std::optional<uint64_t> owner;
  // Issue: the blocks that receive the bytes; empty: this block.
  std::vector<uint64_t> receivers;
  // Init, arrive, commit, wait, waited; issue: the place that signals completion.
  RecordPlace place;
  uint64_t moved_bytes = 0;              // issue: number of bytes that will move
  std::vector<std::byte> values;         // active lanes in order, `bytes` each; empty = not recorded

  bool is_access() const { return kind <= RecordKind::reduction; }
  bool is_received() const { return place.kind == PlaceKind::asked_by; }
};

// Adds a run; merges it with the last runs if it continues their row.
void add_run(std::vector<RecordRuns>& runs, uint64_t begin, uint64_t bytes);
uint64_t bytes_of(std::span<const RecordRuns> runs);

// One block's records, packed as in the file. Append in the order of execution; read with a
// RecordCursor.
class BlockRecords {
 public:
  explicit BlockRecords(uint64_t block = 0) : block_(block) {}

  uint64_t block() const { return block_; }  // linear index in the grid
  uint64_t size() const { return count_; }
  uint64_t dropped() const { return dropped_; }  // records after the limit was reached
  void count_dropped(uint64_t records = 1) { dropped_ += records; }
  // Number of accesses whose values exceeded the limit.
  uint64_t without_values() const { return without_values_; }
  void count_without_values(uint64_t records = 1) { without_values_ += records; }
  uint64_t packed_bytes() const { return packed_bytes_; }

  // record.addresses are read for scattered records only. Must not be called on a block that was
  // read from a file.
  void append(const TraceRecord& record);

 private:
  friend class RecordCursor;
  friend struct BlockSection;  // converts to and from the file
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
    values,
    kinds,  // from here on: since version 2
    places,
    runs
  };
  void put(Column which, uint64_t value);  // as a varint
  void put_signed(Column which, int64_t value);
  void put_bytes(Column which, const void* bytes, size_t size);
  void append_more(const TraceRecord& record);
  void append_addresses(const TraceRecord& record);
  static constexpr size_t kColumns = 13, kColumnsOfVersion1 = 10;
  std::span<const uint8_t> column(size_t which) const {
    return file_ ? in_file_[which] : columns_[which].all();
  }
  uint64_t block_ = 0, count_ = 0, dropped_ = 0, packed_bytes_ = 0, without_values_ = 0;
  std::array<GrowingBytes, kColumns> columns_;
  // The columns of a block that was read from a file: views of the file's bytes, which all its
  // blocks share.
  std::shared_ptr<const uint8_t[]> file_;
  std::array<std::span<const uint8_t>, kColumns> in_file_;
  uint32_t last_warp_ = 0, last_instruction_ = 0;
  uint64_t last_base_ = 0;
};

// An upper bound on the bytes that one record takes when appended.
uint64_t packed_bytes_at_most(const TraceRecord& record);

// Reads a block's records from the first to the last; a copy continues from the same record. Holds
// views: the BlockRecords must outlive it.
class RecordCursor {
 public:
  explicit RecordCursor(const BlockRecords& records) : records_(&records) {}
  // Returns false at the end. Overwrites `record`; reusing one record saves allocations. Throws
  // std::runtime_error on damaged data; the records of a trace that was read have been checked.
  bool next(TraceRecord& record);
  // The same without values, and without addresses unless they are scattered: three times as fast.
  bool next_brief(TraceRecord& record);
  uint64_t position() const { return done_; }  // index of the record that next() returns
  // True when every column has been read to its end.
  bool at_end() const;

 private:
  struct Column;
  bool step(TraceRecord& record, bool brief);
  void read_more(TraceRecord& record);
  void read_addresses(TraceRecord& record, bool brief);

  const BlockRecords* records_;
  uint64_t done_ = 0;
  std::array<size_t, BlockRecords::kColumns> position_{};
  uint32_t warp_ = 0, instruction_ = 0;
  uint64_t base_ = 0;
};

struct TraceInstruction {
  std::string file;  // the student's source, as -lineinfo names it
  uint32_t line = 0, ptx_line = 0;
  std::string text;
};
struct TraceSource {
  std::string path, text;
};
// An array that the recorded blocks accessed, or that the lab declares.
struct TraceArray {
  uint64_t address = 0, bytes = 0;
  std::string origin;  // "cudaMalloc #3, vector_add.cu:41", "__device__ float table[256]"
  RecordSpace space = RecordSpace::global;  // shared: `address` is the offset in a block's window
  // These are set as far as they are known. Names of a lab's arrays come from its signature, those
  // of __shared__ arrays from their declaration.
  std::string name = {};              // "in", "tile"; empty: show `origin`
  std::string type = {};              // "float32", "float64", "int32", "float16", "bfloat16", "float4", ...
  uint32_t element_bytes = 0;         // 0: unknown
  // {1024, 2048}: rows, columns; the last dimension is contiguous; empty: unknown.
  std::vector<uint64_t> extent = {};
  std::string role = {};              // "input", "output", "in_out"; empty: unknown
  std::string_view shown_name() const { return name.empty() ? origin : name; }
};

struct TraceLaunch {
  std::string kernel, device;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0, registers_per_thread = 0;
  std::vector<TraceSource> sources;
  std::vector<std::string> ptx_lines;
  std::vector<TraceInstruction> instructions;

  uint64_t blocks() const { return uint64_t{grid[0]} * grid[1] * grid[2]; }
  uint32_t threads() const { return block[0] * block[1] * block[2]; }
  uint32_t warps() const { return (threads() + 31) / 32; }
  std::array<uint32_t, 3> block_at(uint64_t linear) const {  // blockIdx
    return {static_cast<uint32_t>(linear % grid[0]), static_cast<uint32_t>(linear / grid[0] % grid[1]),
            static_cast<uint32_t>(linear / grid[0] / grid[1])};
  }
  std::array<uint32_t, 3> thread_at(uint32_t warp, uint32_t lane) const {  // threadIdx
    const uint32_t linear = warp * 32 + lane;
    return {linear % block[0], linear / block[0] % block[1], linear / block[0] / block[1]};
  }
};

// The modelled placement of blocks: the SMs receive blocks in turn, and a wave is the number of
// blocks that are resident at once. (A GPU starts a later block when one ends; this model is exact
// when all blocks take the same time.)
struct BlockPlacement {
  uint32_t multiprocessors = 0, blocks_per_sm = 0;  // 0: unknown (version 1)
  std::array<uint32_t, 3> cluster{1, 1, 1};
  bool known() const { return multiprocessors != 0 && blocks_per_sm != 0; }
  uint64_t blocks_at_once() const { return uint64_t{multiprocessors} * blocks_per_sm; }
  uint32_t sm_of(uint64_t block) const { return static_cast<uint32_t>(block % multiprocessors); }
  uint64_t wave_of(uint64_t block) const { return block / blocks_at_once(); }
  uint64_t waves(uint64_t blocks) const { return (blocks + blocks_at_once() - 1) / blocks_at_once(); }
};

struct AccessTrace {
  uint32_t version = kTraceVersion;
  TraceLaunch launch;
  std::vector<TraceArray> arrays;  // by space and address
  std::vector<BlockRecords> blocks;
  BlockPlacement placement;
  std::optional<LaunchReport> report;  // counts of the whole launch
  TraceNotes notes;
  DeviceLinks links;  // not known() for a program with one device, or when an older version recorded it
  uint64_t records_dropped() const;
  uint64_t records() const;
  // The array that holds an address; nullptr when no listed array does.
  const TraceArray* array_at(RecordSpace space, uint64_t address) const;
};

// The part of the file after the records.
struct TraceEnd {
  std::vector<TraceArray> arrays;
  BlockPlacement placement;
  std::optional<LaunchReport> report;
};

// Writes to a temporary file and renames it in finish(), so that a reader sees a complete trace or
// none.
class AccessTraceWriter {
 public:
  // Throws std::runtime_error when the file cannot be created, or later when the disk is full.
  AccessTraceWriter(std::filesystem::path file, const TraceLaunch& launch,
                    uint64_t limit_bytes = kDefaultTraceLimitBytes);
  ~AccessTraceWriter();  // without finish(): removes the partial file
  AccessTraceWriter(const AccessTraceWriter&) = delete;
  AccessTraceWriter& operator=(const AccessTraceWriter&) = delete;

  // A block that would exceed the limit is written without records; all its records count as
  // dropped.
  void add_block(const BlockRecords& records);
  void finish(const TraceEnd& end);
  void finish(const std::vector<TraceArray>& arrays) { finish(TraceEnd{arrays, {}, {}}); }

 private:
  friend void annotate_trace(const std::filesystem::path&, const TraceNotes&,
                             const std::vector<TraceSource>&);
  friend void add_links_to_trace(const std::filesystem::path&, const DeviceLinks&);
  struct State;
  std::unique_ptr<State> state_;
};

// Throws std::runtime_error with a message: not a trace, from a newer version, truncated, damaged.
// The file is read once and closed; it may be replaced afterwards.
AccessTrace read_access_trace(const std::filesystem::path& file);
// The same from bytes in memory; messages do not name a file.
AccessTrace parse_access_trace(std::span<const uint8_t> bytes);

// Replaces the notes of an existing trace, through a temporary file and a rename. Adds those of
// `sources` that its instructions name and that it lacks (a sandboxed process can read only some
// files), and sets the shapes of shared arrays that are declared there. Throws as reading and
// writing do.
void annotate_trace(const std::filesystem::path& file, const TraceNotes& notes,
                    const std::vector<TraceSource>& sources = {});

// Replaces the links of an existing trace, in the same way: they are known only when the program or
// the profiled range has ended.
void add_links_to_trace(const std::filesystem::path& file, const DeviceLinks& links);

// The checksum in the footer, over `size` bytes, as defined since version 2.
uint64_t trace_checksum(const uint8_t* data, size_t size);

}  // namespace ridge::trace
