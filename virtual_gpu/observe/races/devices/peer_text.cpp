#include "virtual_gpu/observe/races/devices/peer_text.h"

#include <fmt/format.h>

#include <cstring>

#include "virtual_gpu/machine/faults/other_launches.h"
#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/program/program.h"

namespace ridge::observe {
namespace {

using machine::ObservedFault;

machine::Dim3 index_in(const machine::Dim3& grid, uint64_t linear) {
  return {static_cast<uint32_t>(linear % grid.x), static_cast<uint32_t>(linear / grid.x % grid.y),
          static_cast<uint32_t>(linear / grid.x / grid.y)};
}

std::string line_of(const PeerTask& task, uint32_t instruction) {
  if (task.program == nullptr) return "";
  const auto& sources = machine::sources(*task.program);
  return instruction < sources.size() ? machine::place_text(sources[instruction]) : "";
}

// "byte 128 of what cudaMalloc at ring.cu:40 gave, in the memory of device 1"
std::string memory_place_of(uint64_t address, const machine::DeviceMemory& memory) {
  const auto array = memory.find(address);
  if (!array) return fmt::format("address {:#x}", address);
  const std::string where =
      array->host_pinned ? " in the host's memory"
                         : fmt::format(" in the memory of device {}", memory.arena_of(address));
  return fmt::format("byte {} of {}{}", address - array->begin, array->origin_text(), where);
}

const char* verb(const PeerAccess& access) {
  return access.writes ? "writes" : "reads";
}

// What a warp of another task does, with the line: "a kernel `ring` on device 1 writes it at ..."
std::string described(const PeerShadow& shadow, const PeerAccess& access) {
  const PeerTask& task = shadow.task(launch_of(access.block));
  if (task.program == nullptr)
    return fmt::format("{} on device {} {} it", task.name, task.device, verb(access));
  return fmt::format("warp {} of block {} of {} on device {} {} it at {}", access.warp,
                     machine::dim_text(index_in(task.grid, block_index_of(access.block))),
                     task.name, task.device, verb(access), line_of(task, access.instruction));
}

struct PeerExplanation {
  std::string why, advice, cause;
  bool at_write = false;  // the write is the mistake, not the read
};

PeerExplanation explained(const PeerShadow& shadow, const PeerConflict& conflict) {
  const PeerAccess& write = conflict.mine.writes ? conflict.mine : conflict.other;
  const PeerAccess& other = conflict.mine.writes ? conflict.other : conflict.mine;
  const auto flag = [&] {
    return fmt::format("the flag set at {} and read at {}",
                       line_of(shadow.task(conflict.flag_task), conflict.flag_written_at),
                       line_of(shadow.task(launch_of(conflict.mine.block)), conflict.flag_read_at));
  };
  switch (conflict.flaw) {
    case PeerConflict::Flaw::not_released:
      return {
          fmt::format("{} does not order them: it is set without a release", flag()),
          "set the flag by st.release.sys, or by a volatile or relaxed store after "
          "__threadfence_system(), and let all threads that wrote data reach __syncthreads() first",
          "peer_flag_not_released", true};
    case PeerConflict::Flaw::not_acquired:
      return {
          fmt::format("{} does not order them: it is read without an acquire", flag()),
          "read the flag by ld.acquire.sys, or call __threadfence_system() between the wait and the "
          "first read of the data",
          "peer_flag_not_acquired", false};
    case PeerConflict::Flaw::narrow_scope:
      return {
          fmt::format("{} orders threads of one device only: its scope is not the system", flag()),
          "use system scope on both sides: st.release.sys, ld.acquire.sys, __threadfence_system(), "
          "atomicAdd_system",
          "peer_flag_scope", false};
    case PeerConflict::Flaw::none:
      break;
  }
  if (conflict.mine.is_flag || conflict.other.is_flag) {
    if (conflict.mine.is_flag && conflict.other.is_flag)
      return {
          "one of them has the scope of one device only",
          "use system scope for what two devices access: atomicAdd_system, st.release.sys, ld.acquire.sys",
          "peer_flag_scope", false};
    return {
        "one of them is an ordinary access, which is not ordered after anything",
        "access a flag by st.release.sys and ld.acquire.sys (or volatile, with __threadfence_system()) "
        "on both sides",
        "peer_plain_flag", conflict.mine.writes ? !conflict.mine.is_flag : !conflict.other.is_flag};
  }
  const unsigned writer = shadow.task(launch_of(write.block)).device;
  if (write.writes && other.writes)
    return {"no release and acquire of system scope is between the two writes",
            "let one device write each element, or order the writes by a flag", "peer_two_writes",
            true};
  if ((other.acquired_from >> writer & 1) != 0)
    return {
        fmt::format("device {} has set the flag that the reader waited for before this write",
                    writer),
        "if the write is the data that the flag announces, write it before the flag is set; if it "
        "is new data in a buffer that is used again, wait first until all peers have read the old "
        "data; if the reader waits for an earlier step's value, let it wait for this step's",
        "peer_written_after_flag", true};
  return {
      fmt::format("the reader has waited for nothing that device {} released", writer),
      "set a flag by st.release.sys after the data are written, and wait for it by ld.acquire.sys "
      "before they are read",
      "peer_not_ordered", false};
}

}  // namespace

void throw_peer_race(const PeerShadow& shadow, const PeerConflict& conflict,
                     const machine::DeviceMemory& memory) {
  const PeerExplanation explanation = explained(shadow, conflict);
  // The same line whichever of the two came first.
  bool mine_is_reported = conflict.mine.writes == explanation.at_write;
  if (conflict.mine.writes && conflict.other.writes)
    mine_is_reported = conflict.mine.block > conflict.other.block;
  const PeerTask& other_task = shadow.task(launch_of(conflict.other.block));
  if (other_task.program == nullptr) mine_is_reported = true;
  const PeerAccess& reported = mine_is_reported ? conflict.mine : conflict.other;
  const PeerAccess& second = mine_is_reported ? conflict.other : conflict.mine;
  const PeerTask& task = shadow.task(launch_of(reported.block));
  const PeerTask& second_task = shadow.task(launch_of(second.block));
  const std::string place = memory_place_of(conflict.address, memory);
  const std::string what = fmt::format(
      "Race between devices: \x01 on device {} {} {}, and {}; nothing orders the two: {}",
      task.device, verb(reported), place, described(shadow, second), explanation.why);
  machine::FaultOfOtherLaunch fault(ObservedFault::Kind::race, reported.instruction, reported.warp,
                                mine_is_reported ? conflict.lane : 0, what, explanation.advice,
                                {explanation.cause,
                                 {{"place", place},
                                  {"device", std::to_string(task.device)},
                                  {"other_device", std::to_string(second_task.device)},
                                  {"other_line", line_of(second_task, second.instruction)},
                                  {"mine", reported.writes ? "write" : "read"},
                                  {"theirs", second.writes ? "write" : "read"},
                                  {"why", explanation.why}}});
  fault.program = task.program;
  fault.grid = {task.grid.x, task.grid.y, task.grid.z};
  fault.block = {task.block.x, task.block.y, task.block.z};
  fault.linear = block_index_of(reported.block);
  throw fault;
}

std::string polled_text(PeerShadow& shadow, uint64_t address, const machine::DeviceMemory& memory) {
  if (!memory.find(address, sizeof(uint32_t))) return {};
  uint32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  std::string writers;
  shadow.flags.for_each_write(address, [&](const FlagWrite& write) {
    const PeerTask& task = shadow.task(launch_of(write.block));
    writers +=
        fmt::format("{} warp {} of block {} of {} on device {} at {}", writers.empty() ? "" : ",",
                    write.warp, machine::dim_text(index_in(task.grid, block_index_of(write.block))),
                    task.name, task.device, line_of(task, write.instruction));
  });
  return fmt::format(
      ", polling {}; its value is {}, {}", memory_place_of(address, memory), value,
      writers.empty() ? "and no running kernel has set it" : "last set by" + writers);
}

std::string copy_race_text(const PeerShadow& shadow, const PeerConflict& conflict,
                           const machine::DeviceMemory& memory) {
  const PeerTask& task = shadow.task(launch_of(conflict.mine.block));
  return fmt::format(
      "Race between devices: {} in a stream of device {} {} {}, and {}; nothing orders the two. Try: "
      "record an event after the one and let the other's stream wait for it (cudaEventRecord, "
      "cudaStreamWaitEvent), or synchronize in between",
      task.name, task.device, verb(conflict.mine), memory_place_of(conflict.address, memory),
      described(shadow, conflict.other));
}

}  // namespace ridge::observe
