// Blocks are independent of each other: their timelines are made side by side.
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

constexpr uint64_t kRecordsAThread = 50'000;  // fewer are walked over before a thread has started

size_t threads_for(const AccessTrace& trace) {
  const size_t useful = std::min<uint64_t>(trace.records() / kRecordsAThread, trace.blocks.size());
  return std::clamp<size_t>(useful, 1, std::max(1u, std::thread::hardware_concurrency()));
}

// act(i) for every i below `count`, taken in order by several threads. Throws what the lowest i threw that
// did, so that it does not depend on who was faster.
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
        failed = true;  // those below i are all taken, and who takes one does it
      }
    }
  };
  std::vector<std::thread> others;
  try {
    while (others.size() + 1 < threads)
      others.emplace_back(work);
  } catch (const std::system_error&) {  // no more threads to be had: those that there are do it
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
