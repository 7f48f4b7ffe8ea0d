// Blocks are independent of each other: their timelines are built in parallel.
#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>

#include "trace/block_timeline.h"
#include "trace/trace_sections.h"

namespace ridge::trace {
namespace {

// Below this a new thread would start too late to help.
constexpr uint64_t kRecordsAThread = 50'000;

size_t threads_for(const AccessTrace& trace) {
  const size_t useful = std::min<uint64_t>(trace.records() / kRecordsAThread, trace.blocks.size());
  return std::clamp<size_t>(useful, 1, std::max(1u, std::thread::hardware_concurrency()));
}

// Calls act(i) for every i below `count`, taken in order by several threads. Of all exceptions it
// rethrows that of the lowest i, so that the result does not depend on thread timing.
template <typename Act>
void side_by_side(size_t count, size_t threads, Act act) {
  std::vector<std::exception_ptr> thrown(count);
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  const auto work = [&] {
    while (!failed) {
      const size_t i = next++;
      if (i >= count) return;
      try {
        act(i);
      } catch (...) {
        thrown[i] = std::current_exception();
        failed = true;  // all lower indices are taken, and each is still processed
      }
    }
  };
  std::vector<std::thread> others;
  try {
    while (others.size() + 1 < threads)
      others.emplace_back(work);
  // No more threads are available: continue with the existing ones.
  } catch (const std::system_error&) {
  }
  work();
  for (std::thread& other : others)
    other.join();
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

template <typename Make>
std::vector<BlockTimeline> all_of(const AccessTrace& trace, Make make) {
  std::vector<std::optional<BlockTimeline>> made(trace.blocks.size());
  side_by_side(made.size(), threads_for(trace), [&](size_t i) { made[i].emplace(make(trace.blocks[i])); });
  std::vector<BlockTimeline> timelines;
  timelines.reserve(made.size());
  for (std::optional<BlockTimeline>& one : made)
    timelines.push_back(std::move(*one));
  return timelines;
}

OpenedTrace open_bytes(const TraceBytes& bytes) {
  OpenedTrace opened;
  opened.trace = std::make_unique<AccessTrace>(parse_unchecked(bytes));
  const RecordCheck check(opened.trace->launch);
  const SharedAccesses shared = shared_accesses_of(opened.trace->launch);
  opened.timelines = all_of(*opened.trace, [&](const BlockRecords& records) {
    return BlockTimeline::checked(records, shared, check);
  });
  return opened;
}

}  // namespace

std::vector<BlockTimeline> timelines_of(const AccessTrace& trace) {
  const SharedAccesses shared = shared_accesses_of(trace.launch);
  return all_of(trace, [&](const BlockRecords& records) { return BlockTimeline(records, shared); });
}

OpenedTrace open_access_trace(const std::filesystem::path& file) {
  return with_name_of(file, [&] { return open_bytes(read_whole_trace(file)); });
}

OpenedTrace open_access_trace(std::span<const uint8_t> bytes) {
  return open_bytes(copy_of(bytes));
}

}  // namespace ridge::trace
