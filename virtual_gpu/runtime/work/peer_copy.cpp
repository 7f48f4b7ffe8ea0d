#include "virtual_gpu/runtime/work/peer_copy.h"

#include "virtual_gpu/observe/races/devices/peer_races.h"
#include "virtual_gpu/runtime/process/fault_status.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/report/findings.h"

namespace ridge::runtime {
namespace {

void note_link(Process& all, uint64_t to, uint64_t from, uint64_t bytes) {
  trace::LinkCounts link;
  link.source = all.memory.arena_of(from);
  link.destination = all.memory.arena_of(to);
  const size_t devices = all.devices.size();
  if (link.source >= devices || link.destination >= devices || link.source == link.destination)
    return;
  link.kind = "copy";
  link.bytes = bytes;
  link.requests = 1;
  const Task* const task = running_task();
  all.links.add_copy(task != nullptr ? static_cast<uint32_t>(task->queue->device) : link.destination, link);
}

}  // namespace

cudaError_t check_peer_copy(const void* destination, const void* source, uint64_t bytes) {
  Process& all = process();
  if (all.devices.size() == 1 || bytes == 0) return cudaSuccess;
  const auto to = reinterpret_cast<uint64_t>(destination),
             from = reinterpret_cast<uint64_t>(source);
  if (source != nullptr) note_link(all, to, from, bytes);
  const Task* const task = running_task();
  if (!all.peer_shadow || task == nullptr || !all.peers_are_reachable()) return cudaSuccess;
  observe::PeerTask own;
  const auto device = static_cast<unsigned>(task->queue->device);
  own.device = device;
  own.queue = task->queue->id;
  own.number = task->number;
  own.name = source != nullptr ? "a copy" : "a fill";
  const std::string race = observe::copy_race(*all.peer_shadow, std::move(own), task->order,
                                              all.memory, to, from, bytes);
  if (race.empty()) return cudaSuccess;
  record_fault();
  if (!all.settings.graded) print_fault(race);
  report_race_of_copy(race, device);
  all.devices[static_cast<size_t>(task->queue->device)]->fault = cudaErrorLaunchFailure;
  return cudaErrorLaunchFailure;
}

}  // namespace ridge::runtime
