#include "visualizer/session/analysis/survey.h"

#include <numeric>
#include <system_error>

namespace ridge::view {
namespace {

constexpr uint64_t kRecordsPerStopCheck = 4096;

}  // namespace

double WarpActivity::full() const {
  if (accesses == 0) return 0;
  return static_cast<double>(std::accumulate(lanes.begin(), lanes.end(), uint64_t{0})) /
         static_cast<double>(accesses * lanes.size());
}

Surveyor::Surveyor(const LoadedTrace& trace) {
  try {
    thread_ = std::thread([this, &trace] { walk(trace); });
  } catch (const std::system_error&) {  // a web page has no threads
    walk(trace);
  }
}

Surveyor::~Surveyor() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

const Survey& Surveyor::wait() {
  if (thread_.joinable()) thread_.join();
  return survey_;
}

void Surveyor::walk(const LoadedTrace& loaded) {
  TouchCounter touches(loaded);
  uint64_t walked = 0;
  for (size_t i = 0; i < loaded.trace().blocks.size(); ++i) {
    const trace::BlockRecords& block = loaded.trace().blocks[i];
    std::vector<WarpActivity>& warps = survey_.warps.emplace_back(loaded.timelines()[i].warps());
    trace::RecordCursor cursor(block);
    trace::TraceRecord record;
    while (cursor.next(record)) {
      if (++walked % kRecordsPerStopCheck == 0 && stop_) return;
      touches.count(i, cursor.position() - 1, record);
      if (record.warp >= warps.size()) continue;
      WarpActivity& warp = warps[record.warp];
      warp.barriers += record.kind == trace::RecordKind::barrier;
      warp.divergences += record.kind == trace::RecordKind::divergence;
      if (!record.is_access() || record.is_received()) continue;
      ++warp.accesses;
      for (uint32_t lanes = record.mask; lanes != 0; lanes &= lanes - 1)
        ++warp.lanes[static_cast<size_t>(std::countr_zero(lanes))];
    }
  }
  survey_.touches = touches.finish();
  done_ = true;
}

}  // namespace ridge::view
