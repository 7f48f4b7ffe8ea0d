// Streams and events over the queues of work_queue.h. A stream that is being captured keeps the work in a
// graph instead.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
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
  bool is_legacy = false;            // the default stream, which waits for all blocking streams
  std::shared_ptr<Capture> capture;  // while it is being captured
  // Of the newest work, if that is a launch and no call has waited for work since (`waits_then`).
  std::shared_ptr<LaunchState> last_launch;
  uint64_t waits_then = 0;
  std::recursive_mutex order;        // two host threads may submit to one stream
  std::shared_ptr<WorkQueue> queue;
};

// When an event's latest record came to its turn.
struct Stamp {
  std::chrono::steady_clock::time_point time;
};

// An event that processes share counts its records and those that were done.
struct EventCounts {
  std::atomic<uint64_t> recorded, done;
};

struct Event {
  int device = 0;
  unsigned flags = cudaEventDefault;
  bool was_recorded = false;
  TaskRef task;                   // the latest record; all before it in its stream is done when it is
  std::shared_ptr<Stamp> stamp;   // of the latest record
  EventCounts* counts = nullptr;  // in memory shared with another process, when a handle was made
  int counts_file = -1;
  // Every record that was asked for before the call, also by other processes.
  bool is_done() const;
  void wait() const;
  // Recorded in a captured stream: the work it stands for.
  std::weak_ptr<Capture> capture;
  std::vector<GraphNode*> captured_work;
};

// The stream behind a handle, the default streams included; nullptr when the handle is stale.
std::shared_ptr<Stream> find_stream(cudaStream_t handle);

// Puts the work into the stream's queue, or keeps it in the graph that the stream is captured into. Returns
// cudaErrorInvalidResourceHandle for a stale handle or the errors of a broken capture; what the work itself
// returns shows at the next synchronisation. `task` gets the work, or null when it was captured.
cudaError_t submit(cudaStream_t handle, GraphNode node, TaskRef* task = nullptr);

// What a synchronising call returns once the work is done: the device's fault, or an error that does not
// stick. Shows what kernels printed.
cudaError_t synchronized(int device);

// Calls that wait (synchronize, blocking copies) may not be made on a stream that is being captured.
cudaError_t require_not_capturing(cudaStream_t handle);

// Calls that may wait behind the scenes (cudaMalloc, cudaFree, blocking copies) are refused while this thread captures a
// stream, or any thread does in the global mode; the capture is broken then. In the relaxed mode they are allowed.
cudaError_t require_no_capture();

cudaError_t record_event(Event& event, Stream& stream);
cudaError_t wait_for_event(Stream& stream, Event& event);

// Set by the _ptsz and _ptds twins (per-thread default streams) on their way into the function itself, whose
// end (record()) takes it back: the null stream is then the thread's own.
bool null_stream_is_per_thread();
void clear_per_thread_call();

}  // namespace ridge::runtime
