// A row of calls on several devices as one graph, so that neither the host's pace nor a wait of one
// device for an event of another is between two calls.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ridge::runner {

class RowGraph {
 public:
  // Captures what `enqueue` queues in the streams, of which stream i is one of device i: those of
  // other devices are forked from the first one and joined again. No value if that is not possible,
  // and `why_not` is then the error's name; the streams can be used again.
  static std::optional<RowGraph> capture(const std::vector<cudaStream_t>& streams,
                                         const std::function<void()>& enqueue, std::string& why_not);
  ~RowGraph();
  RowGraph(RowGraph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)), stream_(other.stream_) {}
  RowGraph& operator=(RowGraph&& other) noexcept {
    std::swap(graph_, other.graph_);
    std::swap(stream_, other.stream_);
    return *this;
  }

  void launch() const;  // in the first stream

 private:
  RowGraph(cudaGraphExec_t graph, cudaStream_t stream) : graph_(graph), stream_(stream) {}
  cudaGraphExec_t graph_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

}  // namespace ridge::runner
