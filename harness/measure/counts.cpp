#include "harness/measure/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "harness/measure/launch_sums.h"
#include "harness/measure/work_counts.h"
#include "text/nearest.h"

namespace ridge::measure {

namespace {

using trace::InstructionCounts;
using trace::LaunchReport;
bool is_global_load(const InstructionCounts& i) {
  return is_global(i) && i.kind == "load";
}
bool is_global_store(const InstructionCounts& i) {
  return is_global(i) && i.kind == "store";
}
bool is_global_atomic(const InstructionCounts& i) {
  return is_global(i) && (i.kind == "atomic" || i.kind == "reduction");
}

template <InstructionChoice chosen, InstructionField field>
double sum_of(Launches launches) {
  return sum(launches, chosen, field);
}

// 0 when nothing was requested: a kernel without such an access wastes nothing on it.
template <InstructionChoice chosen, InstructionField above, InstructionField below>
double ratio_of(Launches launches) {
  double divisor = sum(launches, chosen, below);
  return divisor == 0 ? 0 : sum(launches, chosen, above) / divisor;
}

template <InstructionChoice chosen, InstructionField above, InstructionField below>
double instruction_ratio(const InstructionCounts& i) {
  return chosen(i) && i.*below != 0 ? of(i.*above) / of(i.*below) : 0;
}

double conflicts_per_request(Launches launches) {
  double requests = sum(launches, is_shared, &InstructionCounts::requests);
  return requests == 0 ? 0 : conflicts(launches) / requests;
}

double instruction_conflicts_per_request(const InstructionCounts& i) {
  return i.requests == 0 ? 0 : instruction_conflicts(i) / of(i.requests);
}

template <InstructionChoice chosen, InstructionField field>
double instruction_sum(const InstructionCounts& i) {
  return chosen(i) ? of(i.*field) : 0;
}

double instruction_shared_wavefronts(const InstructionCounts& i) {
  return is_shared(i) ? of(i.wavefronts) : 0;
}

// cp.async and the bulk copies of TMA: the data reaches shared memory without passing through
// registers.
double instruction_async_copies(const InstructionCounts& i) {
  return is_shared(i) && i.opcode.starts_with("cp.async") ? of(i.requests) : 0;
}

double async_copies(Launches launches) {
  double total = 0;
  for (const LaunchReport& launch : launches)
    for (const InstructionCounts& instruction : launch.instructions)
      total += instruction_async_copies(instruction);
  return total;
}

double instruction_global_load_requests(const InstructionCounts& i) {
  return is_global_load(i) ? of(i.requests) : 0;
}

double blocks(Launches launches) {
  double total = 0;
  for (const LaunchReport& launch : launches)
    total += extent_product(launch.grid);
  return total;
}

double launch_count(Launches launches) {
  return of(launches.size());
}

double registers(Launches launches) {
  uint32_t most = 0;
  for (const LaunchReport& launch : launches)
    most = std::max(most, launch.registers_per_thread);
  return most;
}

double shared_bytes_per_block(Launches launches) {
  uint32_t most = 0;
  for (const LaunchReport& launch : launches)
    most = std::max(most, launch.static_shared_bytes + launch.dynamic_shared_bytes);
  return most;
}

template <InstructionChoice chosen, InstructionField above, InstructionField below>
constexpr Count ratio(std::string_view name, std::string_view meaning, std::string_view description) {
  return {name,    description, ratio_of<chosen, above, below>, instruction_ratio<chosen, above, below>,
          meaning, meaning};
}

constexpr InstructionField kSectors = &InstructionCounts::sectors, kIdeal = &InstructionCounts::ideal_sectors,
                kRequests = &InstructionCounts::requests, kBytes = &InstructionCounts::bytes,
                kLanes = &InstructionCounts::lanes;

constexpr Count kCounts[] = {
    ratio<is_global, kSectors, kRequests>(
        "sectors_per_request", "slow.sectors",
        "32-byte sectors that one warp access to global memory touches; 4 is ideal for one float per lane"),
    ratio<is_global_load, kSectors, kRequests>(
        "load_sectors_per_request", "slow.sectors",
        "32-byte sectors that one warp load from global memory touches; 4 is ideal for one float per lane"),
    ratio<is_global_store, kSectors, kRequests>(
        "store_sectors_per_request", "slow.sectors",
        "32-byte sectors that one warp store to global memory touches; 4 is ideal for one float per lane"),
    ratio<is_global_load, kSectors, kIdeal>(
        "global_load_ratio", "slow.sectors",
        "sectors that global loads fetched over the fewest that hold the bytes asked for; 1 is ideal"),
    ratio<is_global_store, kSectors, kIdeal>(
        "global_store_ratio", "slow.sectors",
        "sectors that global stores wrote over the fewest that hold the bytes stored; 1 is ideal"),
    {"bank_conflicts", "shared-memory wavefronts beyond the fewest possible, all accesses together",
     conflicts, instruction_conflicts, "slow.bank_conflicts", "slow.bank_conflicts"},
    {"bank_conflicts_per_request", "shared-memory wavefronts beyond the fewest possible, for one warp access",
     conflicts_per_request, instruction_conflicts_per_request, "slow.bank_conflicts", "slow.bank_conflicts"},
    ratio<is_global, kBytes, kRequests>(
        "bytes_per_request", "slow.narrow_requests",
        "bytes that one warp access to global memory asks for; 128 is one float per lane, 512 one float4"),
    ratio<is_global_load, kBytes, kRequests>(
        "load_bytes_per_request", "slow.narrow_requests",
        "bytes that one warp load from global memory asks for; 128 is one float per lane, 512 one float4"),
    ratio<is_global_store, kBytes, kRequests>(
        "store_bytes_per_request", "slow.narrow_requests",
        "bytes that one warp store to global memory writes; 128 is one float per lane, 512 one float4"),
    {"global_load_requests", "warp loads from global memory", sum_of<is_global_load, kRequests>,
     instruction_global_load_requests},
    {"shared_wavefronts", "shared-memory wavefronts, all accesses together",
     sum_of<is_shared, &InstructionCounts::wavefronts>, instruction_shared_wavefronts},
    {"async_copies", "warp instructions that copy to shared memory without waiting (cp.async, TMA)",
     async_copies, instruction_async_copies},
    {"shared_requests", "warp accesses to shared memory", sum_of<is_shared, kRequests>,
     instruction_sum<is_shared, kRequests>, "slow.issue", "slow.issue"},
    {"global_load_bytes", "bytes that lanes loaded from global memory, whichever cache had them",
     sum_of<is_global_load, kBytes>, instruction_sum<is_global_load, kBytes>},
    {"global_atomics", "updates that lanes made to global memory with atomics",
     sum_of<is_global_atomic, kLanes>, instruction_sum<is_global_atomic, kLanes>},
    {"blocks", "blocks launched", blocks, nullptr, "slow.many_blocks", "slow.few_blocks"},
    {"threads", "threads launched", threads_launched, nullptr, "slow.many_blocks", "slow.few_blocks"},
    {"launches", "kernels launched in one call", launch_count, nullptr, "slow.launches", "slow.launches"},
    {"warp_instructions", "instructions that warps executed, as PTX counts them",
     launch_sum<&LaunchReport::warp_instructions>, nullptr, "slow.issue", "slow.issue"},
    {"barriers", "block barriers that warps arrived at, counted per warp",
     launch_sum<&LaunchReport::barriers>, nullptr},
    {"divergent_branches", "branches at which lanes of one warp diverged",
     launch_sum<&LaunchReport::divergent_branches>, nullptr, "slow.divergence", "slow.divergence"},
    {"sass_instructions", "instructions that warps executed, as the GPU counts them (0: no -lineinfo)",
     launch_sum<&LaunchReport::sass_instructions>, nullptr, "slow.issue", "slow.issue", nullptr, true},
    {"l1_hits", "32-byte sectors of global loads that L1 had", launch_sum<&LaunchReport::l1_load_hits>,
     nullptr},
    {"l2_read_sectors", "32-byte sectors that SMs read from L2", launch_sum<&LaunchReport::l2_read_sectors>,
     nullptr, "slow.far_bytes", "slow.far_bytes"},
    {"dram_read_bytes", "bytes that came from DRAM", launch_sum<&LaunchReport::dram_read_bytes>, nullptr,
     "slow.far_bytes", "slow.far_bytes"},
    {"spill_stores", "stores of spilled registers, as the GPU executes them",
     launch_sum<&LaunchReport::spill_stores>, nullptr, "slow.registers", "slow.registers", nullptr, true},
    {"registers", "registers per thread, of the kernel with the most", registers, nullptr, "slow.registers",
     "slow.registers", nullptr, true},
    {"shared_bytes_per_block", "bytes of shared memory per block, of the kernel with the most",
     shared_bytes_per_block, nullptr},
};

}  // namespace

std::span<const Count> counts() {
  static const std::vector<Count> all = [] {
    std::vector<Count> list(std::begin(kCounts), std::end(kCounts));
    for (const WorkCount& count : work_counts())
      list.push_back({count.name, count.description, nullptr, count.of_instruction, count.too_large, count.too_small,
                      count.value, count.of_machine_code});
    return list;
  }();
  return all;
}

bool have_machine_code(Launches launches) {
  return registers(launches) > 0;
}

double value_of(const Count& count, Launches launches, const Work& work) {
  return count.of_work ? count.of_work(launches, work) : count.value(launches);
}

const Count& find_count(std::string_view name) {
  for (const Count& count : counts())
    if (count.name == name) return count;
  std::vector<std::string> names;
  for (const Count& count : counts())
    names.emplace_back(count.name);
  const auto near = text::nearest(name, names);
  throw std::invalid_argument(
      near.empty() ? fmt::format("there is no count \"{}\"; there are: {}", name, fmt::join(names, ", "))
                   : fmt::format("there is no count \"{}\"; did you mean {}?", name, text::listed(near)));
}

std::vector<LaunchReport> profiled_launches(std::vector<LaunchReport> reports) {
  std::erase_if(reports, [](const LaunchReport& report) { return report.range == 0; });
  return reports;
}

const InstructionCounts* worst_instruction(const Count& count, Launches launches) {
  const InstructionCounts* worst = nullptr;
  double most = 0;
  if (!count.of_instruction) return nullptr;
  for (const LaunchReport& launch : launches)
    for (const InstructionCounts& instruction : launch.instructions) {
      double value = count.of_instruction(instruction);
      if (value > most) {
        most = value;
        worst = &instruction;
      }
    }
  return worst;
}

std::vector<LineCounts> counts_by_line(Launches launches) {
  std::map<std::tuple<std::string, uint32_t, std::string>, LineCounts> lines;
  for (const LaunchReport& launch : launches)
    for (const InstructionCounts& from : launch.instructions) {
      if (from.space.empty() || from.requests == 0) continue;
      std::string what = from.space + " " + from.kind;
      LineCounts& line = lines[{from.file, from.line, what}];
      line.file = from.file;
      line.line = from.line;
      line.what = what;
      line.requests += from.requests;
      line.sectors += from.sectors;
      line.ideal_sectors += from.ideal_sectors;
      line.wavefronts += from.wavefronts;
      line.ideal_wavefronts += from.ideal_wavefronts;
    }
  std::vector<LineCounts> rows;
  for (auto& [key, line] : lines)
    rows.push_back(std::move(line));
  return rows;
}

}  // namespace ridge::measure
