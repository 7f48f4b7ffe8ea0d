#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/process/runtime_calls.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cstdlib>

#include "virtual_gpu/runtime/process/crash_report.h"
#include "trace/links/links_text.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/binary/registry.h"
#include "virtual_gpu/runtime/report/report_file.h"
#include "virtual_gpu/runtime/report/trace_search.h"

namespace ridge::runtime {
namespace {

// Address space for pinned host memory and module variables, in addition to the devices'.
constexpr uint64_t kHostReserveBytes = 64ull << 30;

// Time limits for work after main, and for stopping it.
constexpr auto kDrainLimit = std::chrono::seconds(10), kStopLimit = std::chrono::seconds(2);

thread_local int thread_device = 0;
std::atomic<bool> process_exists{false}, forked{false}, ending{false};

constexpr size_t kListedLeaks = 16;

void report_leaks() {
  std::vector<machine::Allocation> leaks;
  uint64_t bytes = 0;
  for (const Block& block : process().allocations.all()) {
    if (block.kind == MemoryKind::variable || block.kind == MemoryKind::registered ||
        block.kind == MemoryKind::imported)
      continue;
    if (auto known = process().memory.find(block.begin)) leaks.push_back(std::move(*known));
    bytes += block.bytes;
  }
  if (leaks.empty()) return;
  std::sort(leaks.begin(), leaks.end(), [](const auto& a, const auto& b) { return a.serial < b.serial; });
  std::string list;
  for (size_t i = 0; i < std::min(leaks.size(), kListedLeaks); ++i)
    list += fmt::format("\n  allocation #{}: {} from {}", leaks[i].serial, bytes_text(leaks[i].bytes),
                        leaks[i].origin_text());
  say(fmt::format(
      "{} allocation{} with {} in all {} not freed at exit: call cudaFree for what cudaMalloc gave{}{}",
      leaks.size(), leaks.size() == 1 ? "" : "s", bytes_text(bytes), leaks.size() == 1 ? "was" : "were", list,
      leaks.size() > kListedLeaks ? fmt::format("\n  and {} more", leaks.size() - kListedLeaks)
                                  : std::string()));
}

// Padding that is computed is none of a program's errors, but may explain what else is wrong.
void warn_of_unread_results(const Process& own) {
  constexpr size_t kListedResults = 3;
  const auto has_failed = [](const auto& device) { return device->fault != cudaSuccess; };
  if (std::any_of(own.devices.begin(), own.devices.end(), has_failed)) return;
  const auto unread = own.undefined_results.unread();
  for (size_t i = 0; i < std::min(unread.size(), kListedResults); ++i)
    say(fmt::format("warning: nobody has read the result of this, so it is no error: {}", unread[i]->fault.message));
  if (unread.size() > kListedResults)
    say(fmt::format("warning: {} more arrays have such results", unread.size() - kListedResults));
}

// Finishes work that was never waited for before the process ends, so that its faults are reported,
// unless it takes too long; its printed text is lost, as on a GPU. Host functions are no longer
// called, since the data that they use may be destroyed.
void finish_work() {
  if (forked) return;
  ending = true;
  Process& own = process();
  if (!own.work.drain(kDrainLimit)) {
    for (const auto& device : own.devices)
      device->stop = true;
    own.work.drain(kStopLimit);
  }
  write_launch_summary();
  own.links.complete_trace(own.memory, static_cast<uint32_t>(own.devices.size()));
  if (const auto links = own.links.all(); !own.settings.graded && !links.empty()) say(trace::links_text(links));
  warn_of_unread_results(own);
  for (const auto& device : own.devices) {
    if (device->prints.empty()) continue;
    say("what kernels printed since the last synchronisation is lost, as on a GPU: call "
        "cudaDeviceSynchronize() "
        "before the program ends");
    break;
  }
}

void report_missed_trace() {
  if (forked) return;
  const std::string text = missed_trace_text(process().settings);
  if (!text.empty()) say(text);
}

// Only memory on the device itself counts towards its size.
bool counts_as_device_memory(MemoryKind kind) {
  return kind == MemoryKind::device || kind == MemoryKind::managed || kind == MemoryKind::array;
}

}  // namespace

Process::Process()
    : settings(read_settings([](const char* name) { return std::getenv(name); })),
      memory(settings.device->memory_bytes * static_cast<uint64_t>(settings.device_count) + kHostReserveBytes,
             static_cast<unsigned>(settings.device_count) + 1) {
  for (const std::string& warning : settings.warnings)
    say(warning);
  if (settings.host_apart) work.keep_host_apart();
  if (settings.graded) {
    memory.give_each_its_own_pages();
    host_guard.turn_on();
  }
  if (settings.device_count > 1 && settings.device_count <= static_cast<int>(observe::kMostPeers) &&
      settings.checks.contains("race")) {
    peer_shadow = std::make_unique<observe::PeerShadow>(static_cast<unsigned>(settings.device_count));
    work.follow_order();
  }
  for (int ordinal = 0; ordinal < settings.device_count; ++ordinal) {
    auto device = std::make_unique<Device>();
    device->ordinal = ordinal;
    device->description = settings.device;
    device->default_stream = std::make_shared<Stream>(ordinal, cudaStreamDefault, 0, true);
    device->default_stream->id = next_id();
    device->default_pool = std::make_shared<MemoryPool>();
    device->default_pool->device = ordinal;
    device->pool = device->default_pool;
    pools.add(device->default_pool);
    devices.push_back(std::move(device));
  }
}

bool Process::peers_are_reachable() const {
  return std::any_of(devices.begin(), devices.end(),
                     [](const auto& device) { return device->peers != 0 || device->pool_peers != 0; });
}

Process& process() {
  static Process* the_process = [] {
    auto* made = new Process();
    process_exists = true;
    report_crashes();
    if (made->settings.leak_check) std::atexit(report_leaks);
    // With a harness, the harness reports it.
    if (!made->settings.graded && !made->settings.trace_path.empty())
      std::atexit(report_missed_trace);
    std::atexit(finish_work);  // registered so that it runs before leaks are counted
    pthread_atfork(nullptr, nullptr, [] { forked = true; });
    return made;
  }();
  return *the_process;
}

Device* device_at(int ordinal) {
  auto& devices = process().devices;
  return ordinal < 0 || ordinal >= static_cast<int>(devices.size())
             ? nullptr
             : devices[static_cast<size_t>(ordinal)].get();
}

void finish_work_of_all() {
  if (!process_exists || forked || ending) return;
  for (const auto& device : process().devices)
    process().work.wait_for_device(device->ordinal);
}

Device& current_device() {
  return *process().devices[static_cast<size_t>(thread_device)];
}

bool set_current_device(int ordinal) {
  if (ordinal < 0 || ordinal >= static_cast<int>(process().devices.size())) return false;
  thread_device = ordinal;
  return true;
}

cudaError_t allocate(Device& device, uint64_t bytes, MemoryKind kind, const char* origin, uint64_t& address,
                     unsigned flags, MemoryPool* pool) {
  device.was_used = true;
  // A variable is not allocated by a call.
  if (std::string_view(origin).starts_with("cuda")) ++runtime_calls().allocations;
  bool on_device = counts_as_device_memory(kind);
  uint64_t in_use = on_device ? device.bytes_in_use.fetch_add(bytes) : 0;
  bool fits = !on_device || (bytes <= device.description->memory_bytes &&
                             in_use <= device.description->memory_bytes - bytes);
  std::optional<uint64_t> begin;
  if (fits) {
    bool host_pinned = kind == MemoryKind::pinned || kind == MemoryKind::managed;
    // Memory that the host can access is accessible to every device: it has an arena of its own
    // after those of the devices.
    auto arena = static_cast<unsigned>(host_pinned ? process().devices.size() : device.ordinal);
    // Variables are not allocated by a call.
    const bool is_call = std::string_view(origin).starts_with("cuda");
    begin = process().memory.allocate(bytes, origin, host_pinned, arena,
                                      is_call ? machine::HostSite::here() : machine::HostSite());
  }
  if (!begin) {
    if (on_device) device.bytes_in_use -= bytes;
    return cudaErrorMemoryAllocation;
  }
  if (kind != MemoryKind::device)
    process().memory.record_written(*begin, bytes);  // variables are initialised
  process().allocations.add({*begin, bytes, kind, device.ordinal, flags, pool});
  if (kind == MemoryKind::device) process().host_guard.add(*begin, bytes);
  if (pool) {
    uint64_t now = pool->bytes_in_use += bytes;
    if (now > pool->most_bytes_in_use) pool->most_bytes_in_use = now;
  }
  address = *begin;
  return cudaSuccess;
}

cudaError_t release(uint64_t address, std::initializer_list<MemoryKind> kinds, const char* by,
                    machine::HostSite at) {
  std::optional<Block> block = process().allocations.remove(address, kinds);
  if (!block) return cudaErrorInvalidValue;
  process().host_guard.remove(address);
  if (process().peer_shadow) process().peer_shadow->forget(address, block->bytes);
  process().memory.release(address, by, std::move(at));
  if (counts_as_device_memory(block->kind)) {
    process().devices[static_cast<size_t>(block->device)]->bytes_in_use -= block->bytes;
  }
  if (auto pool = process().pools.find(block->pool)) pool->bytes_in_use -= block->bytes;
  return cudaSuccess;
}

void reset(Device& device) {
  process().work.wait_for_device(device.ordinal);
  device.prints.flush();
  registry().release_device(device.ordinal);
  const auto here = machine::HostSite::here();
  for (const Block& block : process().allocations.all()) {
    if (block.device == device.ordinal) release(block.begin, {block.kind}, "cudaDeviceReset", here);
  }
  for (const auto& array : process().arrays.all()) {
    if (array->device == device.ordinal) process().arrays.remove(array.get());
  }
  for (const auto& stream : process().streams.all()) {
    if (stream->device == device.ordinal) process().streams.remove(stream.get());
  }
  for (const auto& event : process().events.all()) {
    if (event->device == device.ordinal) process().events.remove(event.get());
  }
  device.default_stream->capture.reset();
  device.pool = device.default_pool;
  device.peers = 0;
  device.pool_peers = 0;
  device.limits.clear();
  device.cache_config = cudaFuncCachePreferNone;
  device.flags = 0;
  device.was_used = false;
  device.fault = cudaSuccess;
  device.heap_in_use = 0;
  device.unreported_error = cudaSuccess;
}

size_t limit_of(const Device& device, cudaLimit limit) {
  if (auto set = device.limits.find(limit); set != device.limits.end()) return set->second;
  switch (limit) {
    case cudaLimitStackSize:
      return 1024;
    case cudaLimitPrintfFifoSize:
      return 1 << 20;
    case cudaLimitMallocHeapSize:
      return 8 << 20;
    case cudaLimitDevRuntimePendingLaunchCount:
      return 2048;
    case cudaLimitMaxL2FetchGranularity:
      return 64;
    default:
      return 0;
  }
}

bool is_forked_child() {
  return forked;
}
bool is_ending() {
  return ending;
}

}  // namespace ridge::runtime
