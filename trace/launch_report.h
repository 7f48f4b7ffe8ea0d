// What one kernel launch did on the virtual GPU: counts for every instruction that touched memory, totals,
// and the finding that ended it, if any. Written by the virtual GPU as one JSON line a launch, read by the
// harness.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::trace {

inline constexpr int kReportVersion = 1;

// Definitions: warp_model/access.h. All are sums over the whole launch.
struct InstructionCounts {
  std::string file;  // the learner's source, as -lineinfo names it
  uint32_t line = 0;
  uint32_t ptx_line = 0;
  std::string text;            // the PTX instruction
  std::string space;           // "global", "shared", "local", "constant"; empty: not a memory instruction
  std::string kind;            // "load", "store", "atomic", "reduction"
  uint64_t executions = 0;     // warps that issued it
  uint64_t lanes = 0;          // active lanes, summed
  uint64_t requests = 0;       // warp memory instructions with at least one active lane
  uint64_t sectors = 0;        // global, local: distinct 32-byte sectors
  uint64_t ideal_sectors = 0;  // as many as the distinct bytes asked for would fill
  uint64_t tags = 0;           // distinct 128-byte lines
  uint64_t wavefronts = 0;     // shared: passes over the banks
  uint64_t ideal_wavefronts = 0;
  uint64_t bytes = 0;  // asked for by the active lanes
};

// A check that found something. `check`: "out_of_bounds", "misaligned", "barrier", "deadlock", "time_limit",
// "trap", "assertion", "unknown_instruction", "uninitialised", "race", "leak".
struct Finding {
  std::string check;
  std::string message;  // complete sentences for a learner
  std::string file;
  uint32_t line = 0, ptx_line = 0;
  std::array<uint32_t, 3> block{}, thread{};
};

struct LaunchReport {
  int version = kReportVersion;
  std::string kernel;  // demangled
  std::string device;  // "H200 (virtual)"
  uint32_t range = 0;  // 0, or k inside the k-th cudaProfilerStart/Stop pair of the process
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t registers_per_thread = 0;  // from the cubin; 0 = no cubin
  uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0, local_bytes_per_thread = 0;
  double occupancy = 0;           // resident warps over the SM's maximum
  std::string occupancy_limiter;  // "registers", "shared memory", "threads", "blocks"
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;  // lanes summed
  uint64_t barriers = 0;
  uint64_t divergent_branches = 0;
  double host_seconds = 0;  // how long the virtual GPU took
  unsigned host_threads = 0;
  bool checks = true;
  std::vector<InstructionCounts> instructions;  // memory instructions, in program order
  std::vector<Finding> findings;
};

// Ends with its newline: append it with one write, and readers see whole lines or none.
std::string to_json_line(const LaunchReport& report);
// Missing fields keep their defaults, unknown ones are skipped. A last line without a newline that is no
// whole report yet (the writer is not done, or was killed) is left out. Throws std::runtime_error with file
// and line on damage, and says so when the report is from a newer version.
std::vector<LaunchReport> read_reports(const std::filesystem::path& file);

}  // namespace ridge::trace
