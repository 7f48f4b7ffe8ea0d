// Creates the work of graph nodes by submitting it to a capturing stream.
#include <chrono>

#include "virtual_gpu/runtime/work/copy.h"
#include "virtual_gpu/runtime/work/graph_work.h"
#include "virtual_gpu/runtime/work/launch.h"
#include "virtual_gpu/runtime/work/launch_link.h"
#include "virtual_gpu/runtime/process/process.h"

namespace ridge::runtime {

Submit kernel_work(const cudaKernelNodeParams* parameters) {
  return [=](cudaStream_t stream) {
    if (!parameters || parameters->extra) return cudaErrorInvalidValue;
    return launch(parameters->func, parameters->gridDim, parameters->blockDim, parameters->kernelParams,
                  parameters->sharedMemBytes, stream);
  };
}

Submit copy_work(const cudaMemcpy3DParms* parameters) {
  return [=](cudaStream_t stream) { return cudaMemcpy3DAsync(parameters, stream); };
}

Submit copy_work(void* destination, const void* source, size_t bytes, cudaMemcpyKind kind) {
  return [=](cudaStream_t stream) { return copy_linear(destination, source, bytes, kind, stream, true); };
}

Submit fill_work(const cudaMemsetParams* parameters) {
  return [=](cudaStream_t stream) {
    if (!parameters) return cudaErrorInvalidValue;
    const size_t element = parameters->elementSize;
    if (element != 1 && element != 2 && element != 4) return cudaErrorInvalidValue;
    PitchedPointer memory{static_cast<std::byte*>(parameters->dst), parameters->pitch, 0};
    if (parameters->height <= 1) memory.pitch_bytes = parameters->width * element;
    return fill_box(memory, {parameters->width * element, parameters->height, 1},
                    static_cast<int>(parameters->value), stream, true, element);
  };
}

Submit host_work(const cudaHostNodeParams* parameters) {
  return [=](cudaStream_t stream) {
    return parameters ? cudaLaunchHostFunc(stream, parameters->fn, parameters->userData)
                      : cudaErrorInvalidValue;
  };
}

cudaError_t set_work(const Submit& submit, GraphNode& node) {
  auto recorder = std::make_shared<Stream>(current_device().ordinal, cudaStreamNonBlocking);
  recorder->capture = std::make_shared<Capture>();
  // Not a capture of the program: it forbids nothing.
  recorder->capture->mode = cudaStreamCaptureModeRelaxed;
  recorder->capture->graph = std::make_shared<Graph>();
  recorder->capture->origin = recorder.get();
  Stream* stream = process().streams.add(recorder);
  cudaError_t error = submit(reinterpret_cast<cudaStream_t>(stream));
  process().streams.remove(stream);
  if (error != cudaSuccess) return error;
  const auto& made = recorder->capture->graph->nodes;
  if (made.empty()) return cudaSuccess;
  const auto depends_on = std::move(node.depends_on);
  const bool enabled = node.enabled;
  // It also keeps its place among launches that begin early.
  if (node.link && made.front()->link) made.front()->link->state = node.link->state;
  node = *made.front();
  node.depends_on = depends_on;
  node.enabled = enabled;
  return cudaSuccess;
}

void set_child(const Graph& child, GraphNode& node) {
  node.type = cudaGraphNodeTypeGraph;
  node.child = std::make_shared<Graph>(copy_graph(child));
  node.task_executor = executor_of(*node.child);
  node.work = [own = node.child] { return run_graph(*own); };
}

// An event that a graph records completes with the whole launch, which also waits for the events
// that its nodes wait for (cudaGraphLaunch).
void set_event(cudaGraphNodeType type, const std::shared_ptr<Event>& event, GraphNode& node) {
  node.type = type;
  node.event = event;
  node.work = nullptr;
  if (type == cudaGraphNodeTypeEventRecord) {
    node.work = [event] {
      event->stamp->time = std::chrono::steady_clock::now();
      return cudaSuccess;
    };
  }
}

}  // namespace ridge::runtime
