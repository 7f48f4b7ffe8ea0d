// Graphs whose nodes change: parameters of kernels, copies, fills and host functions in a graph and in an
// instance, a whole update from a second capture, child graphs, events, and nodes switched off.
#include "check.h"

__global__ void add(int* counter, int value) {
  *counter += value;
}
__global__ void multiply(int* counter, int factor) {
  *counter *= factor;
}

int launch_and_read(cudaGraphExec_t exec, cudaStream_t stream, const int* counter) {
  check(cudaGraphLaunch(exec, stream), "launch");
  check(cudaStreamSynchronize(stream), "synchronize");
  int value = 0;
  to_host(&value, counter, 1);
  return value;
}

cudaKernelNodeParams kernel(void* function, void** arguments) {
  cudaKernelNodeParams parameters{};
  parameters.func = function;
  parameters.gridDim = parameters.blockDim = dim3(1);
  parameters.kernelParams = arguments;
  return parameters;
}

cudaGraph_t captured(cudaStream_t stream, int* counter, int value, int factor) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin");
  check(cudaMemsetAsync(counter, 0, sizeof(int), stream), "memset");
  add<<<1, 1, 0, stream>>>(counter, value);
  multiply<<<1, 1, 0, stream>>>(counter, factor);
  cudaGraph_t graph;
  check(cudaStreamEndCapture(stream, &graph), "end");
  return graph;
}

int main() {
  int* counter = device_array<int>(1);
  cudaStream_t stream;
  check(cudaStreamCreate(&stream), "stream");

  // Node by node.
  cudaGraph_t graph;
  check(cudaGraphCreate(&graph, 0), "graph");
  cudaMemsetParams fill{};
  fill.dst = counter;
  fill.elementSize = 4;
  fill.value = 1000;
  fill.width = fill.height = 1;
  cudaGraphNode_t start, first, second, told;
  check(cudaGraphAddMemsetNode(&start, graph, nullptr, 0, &fill), "memset node");
  int value = 5, factor = 2;
  void* add_arguments[] = {&counter, &value};
  void* multiply_arguments[] = {&counter, &factor};
  cudaKernelNodeParams adding = kernel(reinterpret_cast<void*>(add), add_arguments);
  cudaKernelNodeParams multiplying = kernel(reinterpret_cast<void*>(multiply), multiply_arguments);
  check(cudaGraphAddKernelNode(&first, graph, &start, 1, &adding), "kernel node");
  check(cudaGraphAddKernelNode(&second, graph, &first, 1, &multiplying), "kernel node");
  static int calls = 0;
  cudaHostNodeParams host{};
  host.fn = [](void* by) { calls += *static_cast<int*>(by); };
  static int one = 1, ten = 10;
  host.userData = &one;
  check(cudaGraphAddHostNode(&told, graph, &second, 1, &host), "host node");
  cudaGraphExec_t exec;
  check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
  printf("built: %d\n", launch_and_read(exec, stream, counter));

  value = 7;
  check(cudaGraphExecKernelNodeSetParams(exec, first, &adding), "set kernel");
  printf("with another argument: %d\n", launch_and_read(exec, stream, counter));
  fill.value = 3;
  check(cudaGraphExecMemsetNodeSetParams(exec, start, &fill), "set memset");
  host.userData = &ten;
  check(cudaGraphExecHostNodeSetParams(exec, told, &host), "set host");
  int got = launch_and_read(exec, stream, counter);
  printf("with another fill: %d, host function counted %d\n", got, calls);
  check(cudaGraphNodeSetEnabled(exec, second, 0), "disable");
  unsigned enabled = 9;
  check(cudaGraphNodeGetEnabled(exec, second, &enabled), "enabled");
  printf("without the product: %d (enabled %u)\n", launch_and_read(exec, stream, counter), enabled);

  // Changing the graph does not change the instance; a new instance has it.
  cudaKernelNodeParams seen{};
  check(cudaGraphKernelNodeGetParams(second, &seen), "get params");
  int three = 3;
  void* other_arguments[] = {seen.kernelParams[0], &three};
  seen.kernelParams = other_arguments;
  check(cudaGraphKernelNodeSetParams(second, &seen), "set params");
  cudaGraphExec_t again;
  check(cudaGraphInstantiate(&again, graph, 0), "instantiate");
  printf("new instance: %d\n", launch_and_read(again, stream, counter));

  // A whole update from another capture.
  cudaGraph_t before = captured(stream, counter, 4, 5), after = captured(stream, counter, 6, 7);
  cudaGraphExec_t updated;
  check(cudaGraphInstantiate(&updated, before, 0), "instantiate");
  printf("captured: %d\n", launch_and_read(updated, stream, counter));
  cudaGraphExecUpdateResultInfo result{};
  check(cudaGraphExecUpdate(updated, after, &result), "update");
  printf("updated: %d (result %d)\n", launch_and_read(updated, stream, counter), result.result);
  printf("another shape: %s\n", cudaGetErrorName(cudaGraphExecUpdate(updated, graph, &result)));
  (void)cudaGetLastError();
  printf("told why: %d\n", result.result != cudaGraphExecUpdateSuccess);

  // Children and events.
  cudaGraph_t parent;
  check(cudaGraphCreate(&parent, 0), "graph");
  cudaGraphNode_t child, record, last;
  cudaEvent_t event;
  check(cudaEventCreate(&event), "event");
  check(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, after), "child");
  check(cudaGraphAddEventRecordNode(&record, parent, &child, 1, event), "record node");
  check(cudaGraphAddKernelNode(&last, parent, &record, 1, &adding), "kernel node");
  cudaGraphExec_t family;
  check(cudaGraphInstantiate(&family, parent, 0), "instantiate");
  printf("with a child: %d, event %s\n", launch_and_read(family, stream, counter),
         cudaGetErrorName(cudaEventQuery(event)));
  size_t nodes = 0, edges = 0;
  check(cudaGraphGetNodes(parent, nullptr, &nodes), "nodes");
  check(cudaGraphGetEdges(parent, nullptr, nullptr, nullptr, &edges), "edges");
  printf("%zu nodes, %zu edges\n", nodes, edges);
}
