// Graphs from captured streams: begin, end, instantiate, launch.
#include <algorithm>
#include <memory>
#include <utility>

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/work/graph_work.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

template <typename Use>
cudaError_t with_shared_graph(cudaGraph_t handle, Use use) {
  return call([&] {
    std::shared_ptr<Graph> graph = process().graphs.find(handle);
    return graph ? use(graph) : cudaErrorInvalidValue;
  });
}

cudaError_t instantiate(cudaGraphExec_t* exec, const Graph& graph, unsigned long long flags) {
  if (!exec) return cudaErrorInvalidValue;
  if (!execution_order(graph)) return cudaErrorInvalidValue;
  auto made = std::make_shared<GraphExec>();
  ++runtime_calls().graph_instantiations;
  made->flags = flags;
  made->instantiate(graph);
  *exec = reinterpret_cast<cudaGraphExec_t>(process().graph_execs.add(std::move(made)));
  return cudaSuccess;
}

// Before a launch: wait for the events that nodes of the graph wait for.
void wait_for_events(Stream& stream, const Graph& graph) {
  for (const auto& node : graph.nodes) {
    if (node->type == cudaGraphNodeTypeWaitEvent) wait_for_event(stream, *node->event);
    if (node->type == cudaGraphNodeTypeEventRecord) node->event->stamp = std::make_shared<Stamp>();
    if (node->child) wait_for_events(stream, *node->child);
  }
}

// After a launch: the events that nodes record complete with the launch.
void record_trace_entries(const TaskRef& task, const Graph& graph) {
  for (const auto& node : graph.nodes) {
    if (node->type == cudaGraphNodeTypeEventRecord) {
      node->event->task = task;
      node->event->was_recorded = true;
    }
    if (node->child) record_trace_entries(task, *node->child);
  }
}

cudaStreamCaptureStatus status_of(const Stream& stream) {
  if (!stream.capture) return cudaStreamCaptureStatusNone;
  return stream.capture->broken ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

// Removes every joined stream from the capture.
void leave_capture(const std::shared_ptr<Capture>& capture, Stream& origin) {
  for (const auto& stream : process().streams.all()) {
    if (stream->capture == capture) stream->capture.reset();
  }
  origin.capture.reset();
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call([&] {
    std::shared_ptr<Stream> own = find_stream(stream);
    if (!own) return cudaErrorInvalidResourceHandle;
    if (own->is_legacy) return cudaErrorStreamCaptureUnsupported;
    if (own->capture) return cudaErrorIllegalState;
    own->capture = std::make_shared<Capture>();
    own->capture->graph = std::make_shared<Graph>();
    own->capture->origin = own.get();
    own->capture->mode = mode;
    own->capture->id = process().next_id();
    own->capture->tails[own.get()];
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call([&] {
    std::shared_ptr<Stream> own = find_stream(stream);
    if (!own) return cudaErrorInvalidResourceHandle;
    std::shared_ptr<Capture> capture = own->capture;
    if (!capture) return cudaErrorIllegalState;
    if (!graph) return cudaErrorInvalidValue;
    *graph = nullptr;
    if (capture->origin != own.get()) return cudaErrorStreamCaptureUnmatched;
    leave_capture(capture, *own);
    if (capture->broken) return cudaErrorStreamCaptureInvalidated;
    if (!all_joined(*capture)) return cudaErrorStreamCaptureUnjoined;
    *graph = reinterpret_cast<cudaGraph_t>(process().graphs.add(capture->graph));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return call([&] {
    std::shared_ptr<Stream> own = find_stream(stream);
    if (!own) return cudaErrorInvalidResourceHandle;
    if (!status) return cudaErrorInvalidValue;
    *status = status_of(*own);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges,
                                     size_t* count) {
  return call([&] {
    std::shared_ptr<Stream> own = find_stream(stream);
    if (!own) return cudaErrorInvalidResourceHandle;
    if (!status) return cudaErrorInvalidValue;
    *status = status_of(*own);
    if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
    const std::vector<GraphNode*>& tail = own->capture->tails[own.get()];
    if (id) *id = own->capture->id;
    if (graph) *graph = reinterpret_cast<cudaGraph_t>(own->capture->graph.get());
    if (dependencies) *dependencies = reinterpret_cast<const cudaGraphNode_t*>(tail.data());
    if (edges) *edges = nullptr;
    if (count) *count = tail.size();
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call([&] {
    thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;
    if (!mode) return cudaErrorInvalidValue;
    std::swap(*mode, thread_mode);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return call([&] {
    if (!graph || flags != 0) return cudaErrorInvalidValue;
    *graph = reinterpret_cast<cudaGraph_t>(process().graphs.add(std::make_shared<Graph>()));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call([&] { return process().graphs.remove(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return with_shared_graph(original, [&](const std::shared_ptr<Graph>& graph) {
    if (!clone) return cudaErrorInvalidValue;
    *clone = reinterpret_cast<cudaGraph_t>(process().graphs.add(std::make_shared<Graph>(copy_graph(*graph))));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  if (flags & cudaGraphInstantiateFlagDeviceLaunch) {
    say("launching graphs from the device is not implemented: launch them from the host, or run this on a "
        "GPU");
    return record(cudaErrorNotSupported);
  }
  return with_shared_graph(graph, [&](const std::shared_ptr<Graph>& own) { return instantiate(exec, *own, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* params) {
  return with_shared_graph(graph, [&](const std::shared_ptr<Graph>& own) {
    if (!params) return cudaErrorInvalidValue;
    params->result_out = cudaGraphInstantiateSuccess;
    return instantiate(exec, *own, params->flags);
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call([&] { return process().graph_execs.remove(exec) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return call([&] {
    if (!find_stream(stream)) return cudaErrorInvalidResourceHandle;
    return process().graph_execs.find(exec) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return call([&] {
    std::shared_ptr<GraphExec> own = process().graph_execs.find(exec);
    if (!own) return cudaErrorInvalidValue;
    std::shared_ptr<Stream> target = find_stream(stream);
    if (!target) return cudaErrorInvalidResourceHandle;
    ++runtime_calls().graph_launches;
    GraphNode node;
    if (target->capture) {
      set_child(*own->graph, node);
      return submit(stream, std::move(node));
    }
    std::shared_ptr<Graph> graph = own->graph;
    wait_for_events(*target, *graph);
    current_device().prints.flush();
    node.task_executor = executor_of(*graph);
    node.work = [graph] { return launch_graph(*graph); };
    TaskRef task;
    cudaError_t error = submit(stream, std::move(node), &task);
    if (error == cudaSuccess) record_trace_entries(task, *graph);
    return error;
  });
}
