// Streams and events. Work is done by the thread that submits it, at once: every order that a stream or an
// event asks for then holds by itself. A stream that is being captured keeps the work in a graph instead.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "virtual_gpu/runtime/cuda_api.h"
#include "virtual_gpu/runtime/graph.h"

namespace ridge::runtime {

struct Stream {
  int device = 0;
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  uint64_t id = 0;
  bool is_legacy = false;            // the default stream, which waits for all blocking streams
  std::shared_ptr<Capture> capture;  // while it is being captured
  std::recursive_mutex order;        // two host threads may submit to one stream
};

struct Event {
  int device = 0;
  unsigned flags = cudaEventDefault;
  bool was_recorded = false;
  std::chrono::steady_clock::time_point time;
  // Recorded in a captured stream: the work it stands for.
  std::weak_ptr<Capture> capture;
  std::vector<GraphNode*> captured_work;
};

// The stream behind a handle, the default streams included; nullptr when the handle is stale.
std::shared_ptr<Stream> find_stream(cudaStream_t handle);

// Does the work now, or keeps it in the graph that the stream is captured into. Returns
// cudaErrorInvalidResourceHandle for a stale handle, the errors of a broken capture, or what the work
// returns.
cudaError_t submit(cudaStream_t handle, GraphNode node);

// Calls that wait (synchronize, blocking copies) may not be made on a stream that is being captured.
cudaError_t require_not_capturing(cudaStream_t handle);

cudaError_t record_event(Event& event, Stream& stream);
cudaError_t wait_for_event(Stream& stream, Event& event);

}  // namespace ridge::runtime
