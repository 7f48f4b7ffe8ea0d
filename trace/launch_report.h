// The results of one kernel launch on the virtual GPU: counts for every instruction that accessed
// memory, totals, and the finding that ended it, if any. The virtual GPU writes it as one JSON line
// per launch; the harness reads it.
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

// warp_model/access.h has the definitions. All are sums over the whole launch.
struct InstructionCounts {
  std::string file;  // the student's source, as -lineinfo names it
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
  uint64_t ideal_sectors = 0;  // the number that the distinct requested bytes would fill
  uint64_t tags = 0;           // distinct 128-byte lines
  uint64_t wavefronts = 0;     // shared
  uint64_t ideal_wavefronts = 0;
  uint64_t bytes = 0;  // requested by the active lanes
  // Where global accesses hit, in sectors (observe/cache_model.h): L1 hits of loads, sectors
  // requested from L2, L2 hits, and the bytes that came from DRAM.
  uint64_t l1_hits = 0, l2_sectors = 0, l2_hits = 0, dram_bytes = 0;
  // The same instruction as the GPU executes it, after ptxas merged, duplicated or removed it; all
  // 0 without a cubin and its line table. Wavefronts: shared memory only.
  uint64_t sass_executions = 0, sass_wavefronts = 0, sass_ideal_wavefronts = 0;
  // The part of sass_wavefronts that belongs to loads in the loop that ptxas generates for some
  // shared atomics: a GPU counts them as loads.
  uint64_t sass_loop_load_wavefronts = 0;
};

// A PTX branch at which lanes of one warp diverged.
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

// Executions of one PTX opcode by all warps, as the parser read it. A wait for groups keeps its
// operand: "wgmma.wait_group.sync.aligned 0".
struct OpcodeCounts {
  std::string opcode;
  uint64_t executed = 0;
};

// What crossed the link from one device to another, in one way. A request is one 128-byte line that
// a warp's instruction touches; it moves as many sectors of 32 bytes as it needs.
struct LinkCounts {
  uint32_t source = 0, destination = 0;  // devices: the data go from source to destination
  std::string kind;  // "load" (destination pulls), "store" (source pushes), "atomic", "copy" (runtime)
  uint64_t bytes = 0;
  uint64_t requests = 0;  // of a copy: calls
  uint64_t strong_requests = 0;  // of those, by volatile, relaxed, acquiring or releasing accesses and atomics
  std::array<uint64_t, 4> requests_by_sectors{};  // requests of 32, 64, 96 and 128 bytes; not of copies
};
// Adds `more` to the entries of the same devices and kind.
void add_links(std::vector<LinkCounts>& links, const std::vector<LinkCounts>& more);

struct NamedValue {
  std::string name, text;
};

// A violation that a check found. `check`: "out_of_bounds", "misaligned", "barrier", "deadlock",
// "time_limit", "trap", "assertion", "unknown_instruction", "uninitialised", "race", "leak",
// "internal" (the virtual GPU failed).
struct Finding {
  std::string check;
  std::string message;  // complete sentences for a student
  std::string file;
  uint32_t line = 0, ptx_line = 0;
  std::array<uint32_t, 3> block{}, thread{};
  std::string called_from;  // "gemm.cu:46" when `file` is a header whose function was called there
  // Which of the mistakes that the check finds: "mbarrier_arrivals"; may be empty.
  std::string cause;
  std::string advice;  // the part of `message` after "try:"
  std::vector<NamedValue> values;  // the names and figures of the message
};

struct LaunchReport {
  int version = kReportVersion;
  std::string kernel;  // demangled
  std::string device;  // "H200 (virtual)"
  uint32_t device_number = 0;
  uint32_t range = 0;  // 0, or k inside the k-th cudaProfilerStart/Stop pair of the process
  // The launch's number in its process, from 1: reveals missing or repeated launches.
  uint64_t number = 0;
  bool on_default_stream = false;  // it was launched without a stream
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t registers_per_thread = 0;  // from the cubin; 0 = no cubin
  uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0, local_bytes_per_thread = 0;
  double occupancy = 0;           // resident warps / maximum warps of the SM
  std::string occupancy_limiter;  // "registers", "shared memory", "threads", "blocks"
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;  // lanes summed
  // Those of the block with most of them; in a sum of launches the sum of these.
  uint64_t busiest_block_instructions = 0;
  uint64_t barriers = 0;
  // Programmatic dependent launch: the launch may begin before the previous one has ended. The
  // bytes are those that its lanes loaded from global memory before griddepcontrol.wait.
  bool may_begin_early = false;
  uint64_t early_load_bytes = 0;
  uint64_t divergent_branches = 0;
  uint64_t shared_requests = 0, shared_wavefronts = 0, shared_conflicts = 0;  // of the PTX

  // The limits of resident blocks per SM; 0x7fffffff = no limit.
  uint32_t blocks_per_sm = 0, warps_per_sm = 0;
  uint32_t limit_threads = 0, limit_blocks = 0, limit_registers = 0, limit_shared_memory = 0;
  // The bytes of an SM, as the driver is expected to divide the array.
  uint32_t shared_carveout_bytes = 0, l1_bytes = 0;

  // Counts of the cubin's SASS; 0 without a cubin or for architectures whose encoding is unknown.
  uint64_t sass_instructions = 0;  // issued by all warps
  uint64_t sass_code_bytes = 0;    // up to the last issued instruction: the code that a GPU fetches
  uint64_t sass_shared_wavefronts = 0, sass_shared_conflicts = 0;
  // Waits of warps for loads from global memory; loads that were issued before the wait began take
  // one together.
  uint64_t load_round_trips = 0;
  // Local loads and stores without a corresponding PTX instruction: register spills.
  uint64_t spill_loads_in_code = 0, spill_stores_in_code = 0;
  uint64_t spill_loads = 0, spill_stores = 0;
  std::vector<ClassCounts> classes;  // of the SASS
  std::vector<OpcodeCounts> opcodes;  // of the PTX
  // Groups of cp.async that warps waited for, those without a copy left out, and the instructions
  // that the same warps issued between committing such a group and continuing after the wait: the
  // work that overlapped with the copies.
  uint64_t copy_groups = 0, instructions_behind_copies = 0;
  uint64_t wgmma_groups = 0, instructions_behind_wgmma = 0;  // the same for groups of wgmma
  uint64_t wgmma_drains = 0;  // waits of a warp after which none of its wgmma was in flight any more

  // Sectors and bytes per level, for all global accesses together. Large launches are simulated on
  // some of the SMs and scaled up: `cache_sample` is the simulated fraction.
  uint64_t l1_load_sectors = 0, l1_load_hits = 0;
  uint64_t l2_read_sectors = 0, l2_write_sectors = 0, l2_atomic_sectors = 0, l2_read_hits = 0;
  uint64_t dram_read_bytes = 0, dram_write_bytes = 0;
  uint64_t ideal_bytes = 0;  // sectors of the distinct accessed bytes
  uint64_t peer_ideal_bytes = 0;  // of those: in the memory of other devices
  double cache_sample = 0;

  double host_seconds = 0;  // wall time of the virtual GPU
  unsigned host_threads = 0;
  bool checks = true;
  std::vector<InstructionCounts> instructions;  // memory instructions, in program order
  std::vector<BranchCounts> branches;           // those that diverged, in program order
  std::vector<Finding> findings;
  std::vector<LinkCounts> links;  // to and from other devices
};

// The load on L1's data path in bytes; the path moves 128 bytes per cycle. A request to global or
// local memory takes one cycle even if all lanes access one word, and one more per four additional
// sectors. Shared memory takes one cycle per wavefront, counted on the SASS where it is known
// (ptxas merges several loads into a wide one).
double l1_path_bytes(const LaunchReport& report);

// The operations between cudaProfilerStart and Stop other than kernels: a line of its own in the
// report, written at Stop.
struct RangeSummary {
  uint32_t range = 0;
  uint64_t launches = 0;       // that began in the range
  uint64_t last_number = 0;    // LaunchReport::number of the process's latest launch
  uint64_t copies = 0, copied_bytes = 0;  // cudaMemcpy and its variants, in every direction
  uint64_t fills = 0, filled_bytes = 0;   // cudaMemset and its variants
  // Runtime calls of the host that touch the device, and how many of them were of certain kinds. A
  // synchronization is a call that waits for work of the device: cudaStreamSynchronize and its
  // variants, blocking copies, cudaFree.
  uint64_t api_calls = 0, launch_calls = 0, synchronizations = 0, allocations = 0;
  uint64_t graph_launches = 0, graph_instantiations = 0;
  std::vector<LinkCounts> links;  // of its copies between devices
};
std::string to_json_line(const RangeSummary& summary);
// The summaries of a report file, in order; other lines are ignored.
std::vector<RangeSummary> read_range_summaries(const std::filesystem::path& file);

// Ends with a newline: append it with one write, so that readers see only complete lines.
std::string to_json_line(const LaunchReport& report);
// Parses one line. Throws as read_reports() does, without a file name.
LaunchReport parse_report(std::string_view line);
// Missing fields keep their defaults, unknown ones are skipped. An incomplete last line without a
// newline (the writer is not finished, or was killed) is ignored. Throws std::runtime_error with
// file and line on damage, or when the report is from a newer version.
std::vector<LaunchReport> read_reports(const std::filesystem::path& file);

}  // namespace ridge::trace
