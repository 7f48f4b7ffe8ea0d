// Graphs: capture of streams, instantiation and launches.
#include "virtual_gpu/runtime/libcuda/driver.h"

using namespace ridge::driver;

namespace {

cudaGraph_t graph_of(CUgraph graph) {
  return reinterpret_cast<cudaGraph_t>(graph);
}
cudaGraphExec_t executable_of(CUgraphExec executable) {
  return reinterpret_cast<cudaGraphExec_t>(executable);
}

}  // namespace

extern "C" {

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return in_context(
      [&] { return cudaStreamBeginCapture(stream_of(stream), static_cast<cudaStreamCaptureMode>(mode)); });
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return in_context([&] { return cudaStreamEndCapture(stream_of(stream), reinterpret_cast<cudaGraph_t*>(graph)); });
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return in_context([&] {
    return cudaStreamIsCapturing(stream_of(stream), reinterpret_cast<cudaStreamCaptureStatus*>(status));
  });
}
CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  return in_context([&] { return cudaGraphCreate(reinterpret_cast<cudaGraph_t*>(graph), flags); });
}
CUresult cuGraphDestroy(CUgraph graph) {
  return in_context([&] { return cudaGraphDestroy(graph_of(graph)); });
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long flags) {
  return in_context([&] {
    return cudaGraphInstantiate(reinterpret_cast<cudaGraphExec_t*>(executable), graph_of(graph), flags);
  });
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  return in_context([&] { return cudaGraphLaunch(executable_of(executable), stream_of(stream)); });
}
CUresult cuGraphUpload(CUgraphExec executable, CUstream stream) {
  return in_context([&] { return cudaGraphUpload(executable_of(executable), stream_of(stream)); });
}
CUresult cuGraphExecDestroy(CUgraphExec executable) {
  return in_context([&] { return cudaGraphExecDestroy(executable_of(executable)); });
}

}  // extern "C"
