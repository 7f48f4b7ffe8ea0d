// What one kernel launch did on the virtual GPU: counts for every instruction that touched memory,
// totals, and the finding that ended it, if any. Written by the virtual GPU as one JSON line a
// launch, read by the harness.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::trace {

inline constexpr int kReportVersion = 1;

// Definitions: warp_model/access.h. All are sums over the whole launch.
struct InstructionCounts {
  std::string file;  // the learner's source, as -lineinfo names it
  uint32_t line = 0;
  uint32_t ptx_line = 0;
  std::string text;            // the PTX instruction
  std::string opcode;          // of the parsed PTX, without operands: "ld.global.v4.f32"
  std::string space;           // "global", "shared", "local", "constant"; empty: not a memory instruction
  std::string kind;            // "load", "store", "atomic", "reduction"
  uint64_t executions = 0;     // warps that issued it
  uint64_t lanes = 0;          // active lanes, summed
  uint64_t requests = 0;       // warp memory instructions with at least one active lane
  uint64_t sectors = 0;        // global, local: distinct 32-byte sectors
  uint64_t ideal_sectors = 0;  // as many as the distinct bytes asked for would fill
  uint64_t tags = 0;           // distinct 128-byte lines
  uint64_t wavefronts = 0;     // shared
  uint64_t ideal_wavefronts = 0;
  uint64_t bytes = 0;  // asked for by the active lanes
  // Where global accesses were served, in sectors (observe/cache_model.h): L1's part of the loads,
  // what went on to L2, what L2 had, and the bytes that came from DRAM.
  uint64_t l1_hits = 0, l2_sectors = 0, l2_hits = 0, dram_bytes = 0;
  // The same instruction as the GPU executes it, after ptxas merged, doubled or dropped it; all 0
  // without a cubin and its line table. Wavefronts: shared memory only.
  uint64_t sass_executions = 0, sass_wavefronts = 0, sass_ideal_wavefronts = 0;
  // Of sass_wavefronts, those of the loads in the loop that ptxas makes of some shared atomics: a GPU counts
  // them as loads.
  uint64_t sass_loop_load_wavefronts = 0;
};

// A branch of the PTX that lanes of one warp took both ways.
struct BranchCounts {
  std::string file;
  uint32_t line = 0, ptx_line = 0;
  std::string text;
  uint64_t executions = 0, divergences = 0;
};

// Instructions of one class in the SASS ("fp32", "shared load"; warp_model/sass.h): in the code,
// and issued.
struct ClassCounts {
  std::string name;
  uint64_t in_code = 0, executed = 0;
};

// Executions by all warps of one PTX opcode, as the parser read it. A wait for groups keeps its operand:
// "wgmma.wait_group.sync.aligned 0".
struct OpcodeCounts {
  std::string opcode;
  uint64_t executed = 0;
};

struct NamedValue {
  std::string name, text;
};

// A check that found something. `check`: "out_of_bounds", "misaligned", "barrier", "deadlock",
// "time_limit", "trap", "assertion", "unknown_instruction", "uninitialised", "race", "leak",
// "internal" (the virtual GPU failed).
struct Finding {
  std::string check;
  std::string message;  // complete sentences for a student
  std::string file;
  uint32_t line = 0, ptx_line = 0;
  std::array<uint32_t, 3> block{}, thread{};
  std::string called_from;  // "gemm.cu:46" when `file` is a header whose function was called there
  std::string cause;   // which of the mistakes that the check finds: "mbarrier_arrivals"; may be empty
  std::string advice;  // the part of `message` behind "try:"
  std::vector<NamedValue> values;  // the names and figures of the message
};

struct LaunchReport {
  int version = kReportVersion;
  std::string kernel;  // demangled
  std::string device;  // "H200 (virtual)"
  uint32_t range = 0;  // 0, or k inside the k-th cudaProfilerStart/Stop pair of the process
  uint64_t number = 0;  // the launch's number in its process, from 1: a missing or doubled one shows
  bool on_default_stream = false;  // it was launched without a stream
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t registers_per_thread = 0;  // from the cubin; 0 = no cubin
  uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0, local_bytes_per_thread = 0;
  double occupancy = 0;           // resident warps over the SM's maximum
  std::string occupancy_limiter;  // "registers", "shared memory", "threads", "blocks"
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;  // lanes summed
  uint64_t barriers = 0;
  // Programmatic dependent launch: it may begin before the launch ahead of it has ended, and the bytes that its
  // lanes loaded from global memory before griddepcontrol.wait.
  bool may_begin_early = false;
  uint64_t early_load_bytes = 0;
  uint64_t divergent_branches = 0;
  uint64_t shared_requests = 0, shared_wavefronts = 0, shared_conflicts = 0;  // of the PTX

  // What bounds the resident blocks of an SM: 0x7fffffff = not at all.
  uint32_t blocks_per_sm = 0, warps_per_sm = 0;
  uint32_t limit_threads = 0, limit_blocks = 0, limit_registers = 0, limit_shared_memory = 0;
  uint32_t shared_carveout_bytes = 0, l1_bytes = 0;  // of an SM, as the driver is expected to divide them

  // The SASS of the cubin; 0 without one or for architectures whose encoding is not known.
  uint64_t sass_instructions = 0;  // issued by all warps
  uint64_t sass_code_bytes = 0;    // up to the last instruction issued: what a GPU fetches of the code
  uint64_t sass_shared_wavefronts = 0, sass_shared_conflicts = 0;
  // Local loads and stores without a PTX instruction: register spills.
  uint64_t spill_loads_in_code = 0, spill_stores_in_code = 0;
  uint64_t spill_loads = 0, spill_stores = 0;
  std::vector<ClassCounts> classes;  // of the SASS
  std::vector<OpcodeCounts> opcodes;  // of the PTX
  // Groups of cp.async that warps waited for, and the instructions that the same warps issued between closing
  // such a group and going on after the wait: what they did while the copies were under way.
  uint64_t copy_groups = 0, instructions_behind_copies = 0;

  // Sectors and bytes by level, all global accesses together. Large launches are followed on some
  // of the SMs and scaled up: `cache_sample` is the part that was followed.
  uint64_t l1_load_sectors = 0, l1_load_hits = 0;
  uint64_t l2_read_sectors = 0, l2_write_sectors = 0, l2_atomic_sectors = 0, l2_read_hits = 0;
  uint64_t dram_read_bytes = 0, dram_write_bytes = 0;
  uint64_t ideal_bytes = 0;  // each accessed byte once, in sectors
  double cache_sample = 0;

  double host_seconds = 0;  // how long the virtual GPU took
  unsigned host_threads = 0;
  bool checks = true;
  std::vector<InstructionCounts> instructions;  // memory instructions, in program order
  std::vector<BranchCounts> branches;           // those that diverged, in program order
  std::vector<Finding> findings;
};

// The work of L1's data path, in bytes: it moves 128 per cycle. A request to global or local memory
// takes one cycle even if all lanes access one word, and one more per four further sectors; shared
// memory takes one per wavefront, of the SASS where that is known (ptxas merges several loads into
// a wide one).
double l1_path_bytes(const LaunchReport& report);

// What a cudaProfilerStart/Stop pair held beside kernels: a line of its own in the report, written at Stop.
struct RangeSummary {
  uint32_t range = 0;
  uint64_t launches = 0;       // that began in the range
  uint64_t last_number = 0;    // LaunchReport::number of the newest launch of the process
  uint64_t copies = 0, copied_bytes = 0;  // cudaMemcpy and its relatives, in every direction
  uint64_t fills = 0, filled_bytes = 0;   // cudaMemset and its relatives
  // Calls of the runtime by the host, all that touch the device; some of their kinds are counted apart. A
  // synchronization is a call that waits for work of the device: cudaStreamSynchronize and its relatives, copies
  // that block, cudaFree.
  uint64_t api_calls = 0, launch_calls = 0, synchronizations = 0, allocations = 0;
  uint64_t graph_launches = 0, graph_instantiations = 0;
};
std::string to_json_line(const RangeSummary& summary);
// The summaries of a report file, in their order; other lines are left out.
std::vector<RangeSummary> read_range_summaries(const std::filesystem::path& file);

// Ends with a newline: append it with one write, and readers see complete lines only.
std::string to_json_line(const LaunchReport& report);
// Parses one line. Throws as read_reports() does, without a file name.
LaunchReport parse_report(std::string_view line);
// Missing fields keep their defaults, unknown ones are skipped. A last line without a newline that
// is no whole report yet (the writer is not done, or was killed) is left out. Throws
// std::runtime_error with file and line on damage, and says so when the report is from a newer
// version.
std::vector<LaunchReport> read_reports(const std::filesystem::path& file);

}  // namespace ridge::trace
