// Streams and events, implemented with the queues of work_queue.h. A capturing stream adds its work
// to a graph.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "virtual_gpu/runtime/api/cuda_api.h"
#include "virtual_gpu/runtime/work/graph.h"
#include "virtual_gpu/runtime/work/work_queue.h"

namespace ridge::runtime {

struct LaunchState;

struct Stream {
  Stream(int device_ordinal, unsigned stream_flags, int stream_priority = 0, bool legacy = false);

  int device = 0;
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  uint64_t id = 0;
  std::map<int, cudaStreamAttrValue> attributes;  // as set; none changes a result
  bool is_legacy = false;            // the default stream, which waits for all blocking streams
  std::shared_ptr<Capture> capture;  // while it is being captured
  // The newest work, if it is a launch and no call has waited for work since (`waits_then`).
  std::shared_ptr<LaunchState> last_launch;
  uint64_t waits_then = 0;
  std::recursive_mutex order;        // two host threads may submit to one stream
  std::shared_ptr<WorkQueue> queue;
};

// The time at which an event's latest record was executed.
struct Stamp {
  std::chrono::steady_clock::time_point time;
};

// The counters of an event that processes share: records, and completed records.
struct EventCounts {
  std::atomic<uint64_t> recorded, done;
};

struct Event {
  int device = 0;
  unsigned flags = cudaEventDefault;
  bool was_recorded = false;
  // The latest record; when it is done, so is all earlier work of its stream.
  TaskRef task;
  std::shared_ptr<Stamp> stamp;   // of the latest record
  EventCounts* counts = nullptr;  // in memory shared with another process, if a handle was created
  int counts_file = -1;
  // True when every record submitted before the call is done, including those of other processes.
  bool is_done() const;
  void wait() const;
  // For an event recorded during a capture: the work that precedes it.
  std::weak_ptr<Capture> capture;
  std::vector<GraphNode*> captured_work;
};

// The stream behind a handle, including the default streams; nullptr when the handle is stale.
std::shared_ptr<Stream> find_stream(cudaStream_t handle);

// Adds the work to the stream's queue, or to the graph of its capture. Returns
// cudaErrorInvalidResourceHandle for a stale handle or the errors of an invalid capture; errors of
// the work itself are returned by the next synchronisation. `task` receives the task, or null when
// the work was captured.
cudaError_t submit(cudaStream_t handle, GraphNode node, TaskRef* task = nullptr);

// The result of a synchronising call after the work is done: the device's fault, or an error that
// is not sticky. Also prints the output of kernels.
cudaError_t synchronized(int device);

// Calls that wait (synchronize, blocking copies) are not permitted on a capturing stream.
cudaError_t require_not_capturing(cudaStream_t handle);

// Calls that may wait implicitly (cudaMalloc, cudaFree, blocking copies) fail while this thread
// captures a stream, or any thread does in the global mode; the capture then becomes invalid. In
// the relaxed mode they are allowed.
cudaError_t require_no_capture();

cudaError_t record_event(Event& event, Stream& stream);
cudaError_t wait_for_event(Stream& stream, Event& event);

// The _ptsz and _ptds variants (per-thread default streams) set this before they call the plain
// function, whose end (record()) clears it: the null stream is then the thread's own.
bool null_stream_is_per_thread();
void clear_per_thread_call();

}  // namespace ridge::runtime
