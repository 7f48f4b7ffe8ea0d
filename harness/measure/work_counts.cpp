#include "harness/measure/work_counts.h"

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "harness/measure/launch_sums.h"
#include "harness/measure/link_counts.h"

namespace ridge::measure {

namespace relative {
namespace {

using trace::InstructionCounts;
using trace::LaunchReport;

constexpr double kWarp = 32, kSectorBytes = 32;
constexpr double kNoAccess = 1e12;  // work per access when there is no access

// Ratios to the work are 0 when nothing was done. Work per access is kNoAccess without an access.
double over(double above, double below) {
  return below > 0 ? above / below : 0;
}
double per_access(double work, double accesses) {
  return accesses > 0 ? work / accesses : kNoAccess;
}

// Atomics return the old value: they count as loads and as stores.
bool is_load(const InstructionCounts& i) {
  return is_global(i) && (i.kind == "load" || i.kind == "atomic");
}
// Excludes polling of flags and counters: the number of polls depends on the scheduler.
bool is_weak_load(const InstructionCounts& i) {
  return is_load(i) && i.kind == "load" && !i.opcode.starts_with("ld.acquire") && !i.opcode.starts_with("ld.relaxed") &&
         !i.opcode.starts_with("ld.volatile");
}
bool is_store(const InstructionCounts& i) {
  return is_global(i) && i.kind != "load";
}
bool is_atomic(const InstructionCounts& i) {
  return is_global(i) && (i.kind == "atomic" || i.kind == "reduction");
}
bool is_async_load(const InstructionCounts& i) {
  return is_load(i) && i.opcode.starts_with("cp.async");
}
bool is_bulk_load(const InstructionCounts& i) {
  return is_load(i) && i.opcode.starts_with("cp.async.bulk");
}
bool is_bulk_store(const InstructionCounts& i) {
  return is_store(i) && i.opcode.find("async.bulk") != std::string::npos;
}

template <InstructionChoice chosen, InstructionField field>
double of_one(const InstructionCounts& i) {
  return chosen(i) ? of(i.*field) : 0;
}

double lane_instructions(Launches launches) {
  double total = 0;
  for (const LaunchReport& launch : launches)
    total += kWarp * of(launch.warp_instructions);
  return total;
}

// Executions by all warps of the opcodes with this prefix.
double executed(Launches launches, std::string_view start) {
  double total = 0;
  for (const LaunchReport& launch : launches)
    for (const trace::OpcodeCounts& counts : launch.opcodes)
      if (counts.opcode.starts_with(start)) total += of(counts.executed);
  return total;
}

// The operations 2 m n k of an opcode with a shape ".m64n128k16"; 0 without a shape.
double operations_of_shape(std::string_view opcode) {
  size_t at = opcode.find(".m");
  while (at != std::string_view::npos && (at + 2 >= opcode.size() || opcode[at + 2] < '0' || opcode[at + 2] > '9'))
    at = opcode.find(".m", at + 1);
  if (at == std::string_view::npos) return 0;
  double product = 2;
  const char* next = opcode.data() + at + 1;
  const char* const end = opcode.data() + opcode.size();
  for (const char letter : {'m', 'n', 'k'}) {
    int extent = 0;
    if (next >= end || *next != letter) return 0;
    const auto [rest, error] = std::from_chars(next + 1, end, extent);
    if (error != std::errc()) return 0;
    product *= extent;
    next = rest;
  }
  return product;
}

// The four warps of a warpgroup execute one wgmma together.
double mma_operations(Launches launches, bool warpgroups_only) {
  constexpr double kWarpsOfWarpgroup = 4;
  double total = 0;
  for (const LaunchReport& launch : launches)
    for (const trace::OpcodeCounts& counts : launch.opcodes) {
      const bool of_warpgroup = counts.opcode.starts_with("wgmma.mma_async");
      const bool of_warp = counts.opcode.starts_with("mma.") || counts.opcode.starts_with("wmma.mma");
      if (of_warpgroup)
        total += of(counts.executed) / kWarpsOfWarpgroup * operations_of_shape(counts.opcode);
      else if (of_warp && !warpgroups_only)
        total += of(counts.executed) * operations_of_shape(counts.opcode);
    }
  return total;
}

double float_operations(Launches launches) {
  double total = 0;
  for (const LaunchReport& launch : launches)
    for (const trace::OpcodeCounts& counts : launch.opcodes) {
      const std::string& opcode = counts.opcode;
      if (opcode.find(".f32") == std::string::npos) continue;
      if (opcode.starts_with("fma.") || opcode.starts_with("mad."))
        total += 2 * kWarp * of(counts.executed);
      else if (opcode.starts_with("add.") || opcode.starts_with("sub.") || opcode.starts_with("mul."))
        total += kWarp * of(counts.executed);
    }
  return total;
}

double of_early_launches(Launches launches) {
  double early = 0;
  for (const LaunchReport& launch : launches)
    early += launch.may_begin_early ? 1 : 0;
  return over(early, of(launches.size()));
}

double warps(Launches launches) {
  double total = 0;
  for (const LaunchReport& l : launches) {
    const double of_block = of(l.block[0]) * of(l.block[1]) * of(l.block[2]);
    total += of(l.grid[0]) * of(l.grid[1]) * of(l.grid[2]) * std::ceil(of_block / kWarp);
  }
  return total;
}

constexpr InstructionField kSectors = &InstructionCounts::sectors, kRequests = &InstructionCounts::requests,
                kBytes = &InstructionCounts::bytes, kLanes = &InstructionCounts::lanes,
                kWavefronts = &InstructionCounts::wavefronts;

constexpr WorkCount kCounts[] = {
    {"load_traffic",
     "bytes of the sectors that global loads touch (textures, atomics and bulk copies too), over the bytes of "
     "the inputs; 1 is ideal where each is read once",
     [](Launches l, const Work& w) { return over(kSectorBytes * sum(l, is_load, kSectors), w.input_bytes); },
     of_one<is_load, kSectors>, "slow.sectors",
     "slow.sectors"},
    {"store_traffic", "bytes of the sectors that global stores touch, over the bytes of the outputs; 1 is ideal",
     [](Launches l, const Work& w) { return over(kSectorBytes * sum(l, is_store, kSectors), w.output_bytes); },
     of_one<is_store, kSectors>, "slow.sectors",
     "slow.sectors"},
    {"requested_bytes", "bytes that lanes load from global memory, over the bytes of the inputs",
     [](Launches l, const Work& w) { return over(sum(l, is_load, kBytes), w.input_bytes); },
     of_one<is_load, kBytes>, "slow.far_bytes",
     "slow.far_bytes"},
    {"work_bytes_per_request",
     "bytes of inputs and outputs for each warp access to global memory; 128 is a float per lane, 512 a float4",
     [](Launches l, const Work& w) { return per_access(w.bytes(), sum(l, is_global, kRequests)); }, nullptr, "slow.narrow_requests",
     "slow.narrow_requests"},
    {"input_bytes_per_load",
     "bytes of the inputs for each warp load from global memory; 128 is a float per lane, 512 a float4",
     [](Launches l, const Work& w) { return per_access(w.input_bytes, sum(l, is_load, kRequests)); }, nullptr, "slow.narrow_requests",
     "slow.narrow_requests"},
    {"input_bytes_per_round_trip",
     "bytes of the inputs for each time that a warp waits for loads; those issued before the wait share it",
     [](Launches l, const Work& w) { return per_access(w.input_bytes, launch_sum<&LaunchReport::load_round_trips>(l)); },
     nullptr, "", "slow.round_trips", true},
    {"output_bytes_per_store",
     "bytes of the outputs for each warp store to global memory; 128 is a float per lane, 512 a float4",
     [](Launches l, const Work& w) { return per_access(w.output_bytes, sum(l, is_store, kRequests)); },
     nullptr, "slow.narrow_requests",
     "slow.narrow_requests"},
    {"instructions_per_element", "PTX instructions that threads execute for each element of the largest array",
     [](Launches l, const Work& w) { return over(lane_instructions(l), w.elements); }, nullptr, "slow.issue",
     "slow.issue"},
    {"active_lanes", "lanes of a warp that execute an instruction, on average; 32 is the most",
     [](Launches l, const Work&) {
       return over(launch_sum<&LaunchReport::thread_instructions>(l),
                   launch_sum<&LaunchReport::warp_instructions>(l));
     },
     nullptr, "slow.divergence", "slow.divergence"},
    {"threads_per_element", "threads launched for each element of the largest array",
     [](Launches l, const Work& w) { return over(threads_launched(l), w.elements); }, nullptr},
    {"threads_per_output", "threads launched for each element of the outputs",
     [](Launches l, const Work& w) { return over(threads_launched(l), w.output_elements); }, nullptr},
    {"shared_requests_per_1000_elements", "warp accesses to shared memory for 1000 elements of the largest array",
     [](Launches l, const Work& w) { return over(1000 * sum(l, is_shared, kRequests), w.elements); },
     of_one<is_shared, kRequests>, "slow.issue",
     "slow.issue"},
    {"conflicts_per_1000_elements",
     "wavefronts of shared memory beyond the fewest possible, for 1000 elements of the largest array",
     [](Launches l, const Work& w) { return over(1000 * conflicts(l), w.elements); }, instruction_conflicts, "slow.bank_conflicts",
     "slow.bank_conflicts"},
    {"atomics_per_1000_elements", "updates of global memory by atomics for 1000 elements of the largest array",
     [](Launches l, const Work& w) { return over(1000 * sum(l, is_atomic, kLanes), w.elements); },
     of_one<is_atomic, kLanes>},
    {"atomics_per_1000_threads", "updates of global memory by atomics for 1000 threads",
     [](Launches l, const Work&) { return over(1000 * sum(l, is_atomic, kLanes), threads_launched(l)); },
     of_one<is_atomic, kLanes>},
    {"divergence_per_1000_elements",
     "branches that lanes of a warp take both ways, for 1000 elements of the largest array",
     [](Launches l, const Work& w) {
       return over(1000 * launch_sum<&LaunchReport::divergent_branches>(l), w.elements);
     },
     nullptr, "slow.divergence",
     "slow.divergence"},
    {"barriers_per_1000_elements", "arrivals of warps at a block's barrier for 1000 elements of the largest array",
     [](Launches l, const Work& w) { return over(1000 * launch_sum<&LaunchReport::barriers>(l), w.elements); },
     nullptr},
    {"cluster_barriers_per_warp", "waits of a warp at the barrier of its cluster, for each warp launched",
     [](Launches l, const Work&) { return over(executed(l, "barrier.cluster.wait"), warps(l)); },
     nullptr},
    {"instructions_per_operation", "PTX instructions that threads execute for each operation of the work",
     [](Launches l, const Work& w) { return over(lane_instructions(l), w.operations); }, nullptr, "slow.issue",
     "slow.issue"},
    {"operations_per_load", "operations of the work for each load of a lane from global memory",
     [](Launches l, const Work& w) { return per_access(w.operations, kWarp * sum(l, is_load, kRequests)); },
     nullptr, "slow.far_bytes",
     "slow.far_bytes"},
    {"operations_per_loaded_byte", "operations of the work for each byte that lanes load from global memory",
     [](Launches l, const Work& w) { return per_access(w.operations, sum(l, is_load, kBytes)); }, nullptr, "slow.far_bytes",
     "slow.far_bytes"},
    {"operations_per_loaded_sector", "operations of the work for each sector that global loads touch",
     [](Launches l, const Work& w) { return per_access(w.operations, sum(l, is_load, kSectors)); }, nullptr, "slow.sectors",
     "slow.sectors"},
    {"operations_per_stored_sector", "operations of the work for each sector that global stores touch",
     [](Launches l, const Work& w) { return per_access(w.operations, sum(l, is_store, kSectors)); }, nullptr, "slow.sectors",
     "slow.sectors"},
    {"operations_per_l2_byte", "operations of the work for each byte that SMs read from L2",
     [](Launches l, const Work& w) {
       return per_access(w.operations, kSectorBytes * launch_sum<&LaunchReport::l2_read_sectors>(l));
     },
     nullptr, "slow.far_bytes",
     "slow.far_bytes"},
    {"operations_per_shared_access", "operations of the work for each access of a lane to shared memory",
     [](Launches l, const Work& w) { return per_access(w.operations, kWarp * sum(l, is_shared, kRequests)); },
     nullptr, "slow.issue",
     "slow.issue"},
    {"operations_per_wavefront", "operations of the work for each wavefront of shared memory",
     [](Launches l, const Work& w) { return per_access(w.operations, sum(l, is_shared, kWavefronts)); }, nullptr},
    {"shared_bytes_per_operation", "bytes that lanes read from and write to shared memory for each operation",
     [](Launches l, const Work& w) { return over(sum(l, is_shared, kBytes), w.operations); },
     of_one<is_shared, kBytes>},
    {"conflicts_per_1000_operations",
     "wavefronts of shared memory beyond the fewest possible, for 1000 operations of the work",
     [](Launches l, const Work& w) { return over(1000 * conflicts(l), w.operations); }, instruction_conflicts, "slow.bank_conflicts",
     "slow.bank_conflicts"},
    {"barriers_per_million_operations", "arrivals of warps at a block's barrier for a million operations",
     [](Launches l, const Work& w) { return over(1e6 * launch_sum<&LaunchReport::barriers>(l), w.operations); },
     nullptr},
    {"float_operations", "float32 additions and multiplications executed, over those of the work; 1 is ideal",
     [](Launches l, const Work& w) { return over(float_operations(l), w.operations); }, nullptr},
    {"tensor_operations", "operations of the tensor cores executed, over those of the work; 1 is ideal",
     [](Launches l, const Work& w) { return over(mma_operations(l, false), w.operations); }, nullptr},
    {"wgmma_operations", "operations of wgmma executed, over those of the work; 1 is ideal",
     [](Launches l, const Work& w) { return over(mma_operations(l, true), w.operations); }, nullptr},
    {"async_share", "part of the bytes loaded from global memory that asynchronous copies bring (cp.async, TMA)",
     [](Launches l, const Work&) { return over(sum(l, is_async_load, kBytes), sum(l, is_load, kBytes)); },
     nullptr},
    {"bulk_share", "part of the bytes loaded from global memory that the copy engine brings (TMA)",
     [](Launches l, const Work&) { return over(sum(l, is_bulk_load, kBytes), sum(l, is_load, kBytes)); },
     nullptr},
    {"bulk_requested", "bytes that the copy engine loads from global memory (TMA), over the bytes of the inputs",
     [](Launches l, const Work& w) { return over(sum(l, is_bulk_load, kBytes), w.input_bytes); }, nullptr},
    {"bulk_store_share", "part of the bytes of the outputs that the copy engine stores (TMA)",
     [](Launches l, const Work& w) { return over(sum(l, is_bulk_store, kBytes), w.output_bytes); }, nullptr},
    {"instructions_behind_copies",
     "instructions that a warp issues while a group of its cp.async is under way, on average",
     [](Launches l, const Work&) {
       return over(launch_sum<&LaunchReport::instructions_behind_copies>(l),
                   launch_sum<&LaunchReport::copy_groups>(l));
     },
     nullptr},
    {"share_behind_copies",
     "part of the instructions that warps issue while a group of their cp.async is under way; each group counts",
     [](Launches l, const Work&) {
       return over(launch_sum<&LaunchReport::instructions_behind_copies>(l),
                   launch_sum<&LaunchReport::warp_instructions>(l));
     },
     nullptr},
    {"instructions_behind_wgmma",
     "instructions that a warp issues while a group of its wgmma is in flight, on average",
     [](Launches l, const Work&) {
       return over(launch_sum<&LaunchReport::instructions_behind_wgmma>(l),
                   launch_sum<&LaunchReport::wgmma_groups>(l));
     },
     nullptr},
    {"drains_per_million_operations", "waits that leave no group of wgmma in flight, for a million operations",
     [](Launches l, const Work& w) {
       return over(1e6 * launch_sum<&LaunchReport::wgmma_drains>(l), w.operations);
     },
     nullptr},
    {"ldmatrix_share", "executions of ldmatrix, over those of mma",
     [](Launches l, const Work&) { return over(executed(l, "ldmatrix."), executed(l, "mma.")); }, nullptr},
    {"copied_share",
     "bytes that cudaMemcpy and cudaMemset move inside the call, over the bytes of inputs and outputs",
     [](Launches, const Work& w) { return over(w.copied_bytes, w.bytes()); }, nullptr},
    {"api_calls_per_step", "calls of the runtime that the host makes for each step of the work",
     [](Launches, const Work& w) { return over(w.api_calls, w.steps); }, nullptr, "slow.api_calls"},
    {"launch_calls_per_step", "kernel launches by the host, captured ones included, for each step of the work",
     [](Launches, const Work& w) { return over(w.launch_calls, w.steps); }, nullptr, "slow.api_calls"},
    {"kernels_per_step", "kernels executed for each step of the work",
     [](Launches l, const Work& w) { return over(of(l.size()), w.steps); }, nullptr, "slow.kernels_per_step"},
    {"largest_launch_share", "part of the warps' instructions that the launch with most of them executes",
     [](Launches l, const Work&) {
       uint64_t most = 0;
       for (const LaunchReport& launch : l)
         most = std::max(most, launch.warp_instructions);
       return over(of(most), launch_sum<&LaunchReport::warp_instructions>(l));
     },
     nullptr},
    {"launch_evenness", "instructions of the launch with fewest of them, over those of the launch with most",
     [](Launches l, const Work&) {
       uint64_t most = 0, fewest = ~uint64_t{0};
       for (const LaunchReport& launch : l) {
         most = std::max(most, launch.warp_instructions);
         fewest = std::min(fewest, launch.warp_instructions);
       }
       return over(of(fewest), of(most));
     },
     nullptr},
    {"busiest_block_share",
     "part of the warps' instructions that one block of each launch executes, the one with most of them",
     [](Launches l, const Work&) {
       return over(launch_sum<&LaunchReport::busiest_block_instructions>(l),
                   launch_sum<&LaunchReport::warp_instructions>(l));
     },
     nullptr, "slow.busiest_block"},
    {"few_blocks_share",
     "part of the warps' instructions in launches of which one block executes a fifth or more",
     [](Launches l, const Work&) {
       double of_few = 0;
       for (const LaunchReport& launch : l)
         if (5 * launch.busiest_block_instructions >= launch.warp_instructions)
           of_few += of(launch.warp_instructions);
       return over(of_few, launch_sum<&LaunchReport::warp_instructions>(l));
     },
     nullptr, "slow.busiest_block"},
    {"synchronizations", "calls of the host that wait for the device: synchronizations, copies that block, cudaFree",
     [](Launches, const Work& w) { return w.synchronizations; }, nullptr, "slow.synchronizations"},
    {"allocations", "allocations of device or page-locked memory inside the call",
     [](Launches, const Work& w) { return w.allocations; }, nullptr, "slow.allocations"},
    {"graph_launches", "launches of a graph by the host",
     [](Launches, const Work& w) { return w.graph_launches; }, nullptr, "", "slow.no_graph"},
    {"graph_instantiations", "instantiations of a graph inside the call",
     [](Launches, const Work& w) { return w.graph_instantiations; }, nullptr, "slow.graph_instantiations"},
    {"early_launches", "part of the kernels that may begin before the one ahead of them has ended",
     [](Launches l, const Work&) { return of_early_launches(l); }, nullptr, "", "slow.no_early_launches"},
    {"early_load_share", "part of the bytes loaded from global memory that is loaded before griddepcontrol.wait",
     [](Launches l, const Work&) {
       return over(launch_sum<&LaunchReport::early_load_bytes>(l), sum(l, is_load, kBytes));
     },
     nullptr, "", "slow.late_loads"},
    {"early_triggers", "part of the warps that execute griddepcontrol.launch_dependents",
     [](Launches l, const Work&) { return over(executed(l, "griddepcontrol.launch_dependents"), warps(l)); },
     nullptr, "", "slow.no_trigger"},
    {"atomic_answers_per_step", "atomics that return the old value, executed by warps, for each step of the work",
     [](Launches l, const Work& w) { return over(executed(l, "atom."), w.steps); }, nullptr, "slow.atomic_answers"},
    {"loaded_bytes_per_step_element",
     "bytes that lanes load from global memory for each step and each element of one token; looks at flags are none",
     [](Launches l, const Work& w) { return over(sum(l, is_weak_load, kBytes), w.step_elements); },
     of_one<is_weak_load, kBytes>, "slow.reloaded_state"},
};

}  // namespace
}  // namespace relative

std::span<const WorkCount> work_counts() {
  static const std::vector<WorkCount> all = [] {
    std::vector<WorkCount> list(std::begin(relative::kCounts), std::end(relative::kCounts));
    list.insert(list.end(), link_counts().begin(), link_counts().end());
    return list;
  }();
  return all;
}

}  // namespace ridge::measure
