#include "harness/runner/child/row_graph.h"

#include "harness/runner/child/device_error.h"
#include "harness/runner/child/rank_devices.h"

namespace ridge::runner {

namespace {

// An event per device.
class Events {
 public:
  explicit Events(size_t devices) {
    for (size_t device = 0; device < devices; ++device) {
      const OnDevice on(static_cast<int>(device));
      check(cudaEventCreateWithFlags(&events_.emplace_back(), cudaEventDisableTiming), "making an event");
    }
  }
  ~Events() {
    for (cudaEvent_t event : events_)
      cudaEventDestroy(event);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  cudaEvent_t operator[](size_t device) const { return events_.at(device); }

 private:
  std::vector<cudaEvent_t> events_;
};

}  // namespace

std::optional<RowGraph> RowGraph::capture(const std::vector<cudaStream_t>& streams,
                                          const std::function<void()>& enqueue, std::string& why_not) {
  const Events events(streams.size());
  cudaError_t first = cudaSuccess;
  const auto keep = [&](cudaError_t code) {
    if (first == cudaSuccess) first = code;
  };
  check(cudaStreamBeginCapture(streams.front(), cudaStreamCaptureModeThreadLocal), "capturing a row");
  keep(cudaEventRecord(events[0], streams.front()));
  for (size_t i = 1; i < streams.size(); ++i)
    keep(cudaStreamWaitEvent(streams[i], events[0], 0));
  cudaGraph_t graph = nullptr;
  try {
    enqueue();
  } catch (const DeviceError& refused) {  // a call of ours, mostly because the capture is invalid by now
    keep(refused.code);
  }
  keep(cudaGetLastError());
  for (size_t i = 1; i < streams.size(); ++i) {
    keep(cudaSetDevice(static_cast<int>(i)));
    keep(cudaEventRecord(events[i], streams[i]));
  }
  keep(cudaSetDevice(0));
  for (size_t i = 1; i < streams.size(); ++i)
    keep(cudaStreamWaitEvent(streams.front(), events[i], 0));
  keep(cudaStreamEndCapture(streams.front(), &graph));
  cudaGraphExec_t made = nullptr;
  if (first == cudaSuccess) keep(cudaGraphInstantiate(&made, graph, 0));
  if (graph) cudaGraphDestroy(graph);
  if (first == cudaSuccess) keep(cudaGraphUpload(made, streams.front()));
  if (first == cudaSuccess) return RowGraph(made, streams.front());
  if (made) cudaGraphExecDestroy(made);
  (void)cudaGetLastError();
  why_not = cudaGetErrorName(first);
  return std::nullopt;
}

RowGraph::~RowGraph() {
  if (graph_) cudaGraphExecDestroy(graph_);
}

void RowGraph::launch() const {
  check(cudaGraphLaunch(graph_, stream_), "launching a row", "launch");
}

}  // namespace ridge::runner
