// Conditional nodes of graphs (if, else, while, switch), whose values kernels set, and a graph's own memory.
#include "check.h"

__global__ void decide(cudaGraphConditionalHandle handle, const int* left) { cudaGraphSetConditional(handle, *left > 0); }
__global__ void choose(cudaGraphConditionalHandle handle, const int* value) { cudaGraphSetConditional(handle, *value % 4); }
__global__ void add(int* data, int value) { *data += value; }
__global__ void set(int* data, int value) { *data = value; }
__global__ void total(const int* scratch, int* out) { *out += *scratch; }

template <typename... Arguments>
cudaGraphNode_t kernel_node(cudaGraph_t graph, cudaGraphNode_t after, void (*kernel)(Arguments...), Arguments... given) {
  void* arguments[] = {&given...};
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeKernel;
  parameters.kernel.func = reinterpret_cast<void*>(kernel);
  parameters.kernel.gridDim = dim3(1);
  parameters.kernel.blockDim = dim3(1);
  parameters.kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  check(cudaGraphAddNode(&node, graph, &after, nullptr, after ? 1 : 0, &parameters), "kernel node");
  return node;
}

cudaGraphNode_t conditional_node(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                                 cudaGraphConditionalNodeType type, unsigned size, cudaGraph_t* bodies) {
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = type;
  parameters.conditional.size = size;
  cudaGraphNode_t node;
  check(cudaGraphAddNode(&node, graph, &after, nullptr, 1, &parameters), "conditional node");
  for (unsigned i = 0; i < size; ++i)
    bodies[i] = parameters.conditional.phGraph_out[i];
  return node;
}

int main() {
  int* values = device_array<int>(4);  // left, sum, chosen, out
  cudaGraph_t graph;
  check(cudaGraphCreate(&graph, 0), "graph");
  cudaGraphConditionalHandle loop, branch, way;
  check(cudaGraphConditionalHandleCreate(&loop, graph, 1, cudaGraphCondAssignDefault), "handle");
  check(cudaGraphConditionalHandleCreate(&branch, graph, 0, cudaGraphCondAssignDefault), "handle");
  check(cudaGraphConditionalHandleCreate(&way, graph, 0, 0), "handle");
  cudaGraph_t bodies[3];

  cudaGraphNode_t last = kernel_node(graph, nullptr, set, values + 1, 0);
  last = conditional_node(graph, last, loop, cudaGraphCondTypeWhile, 1, bodies);
  cudaGraphNode_t inner = kernel_node(bodies[0], nullptr, add, values + 1, 10);
  inner = kernel_node(bodies[0], inner, add, values, -1);
  kernel_node(bodies[0], inner, decide, loop, static_cast<const int*>(values));

  last = conditional_node(graph, last, branch, cudaGraphCondTypeIf, 2, bodies);
  kernel_node(bodies[0], nullptr, add, values + 1, 1000);
  kernel_node(bodies[1], nullptr, add, values + 1, 1);

  last = kernel_node(graph, last, choose, way, static_cast<const int*>(values + 2));
  last = conditional_node(graph, last, way, cudaGraphCondTypeSwitch, 3, bodies);
  for (int i = 0; i < 3; ++i)
    kernel_node(bodies[i], nullptr, add, values + 1, 100000 * (i + 1));

  cudaMemAllocNodeParams memory{};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  memory.poolProps.location.id = 0;
  memory.bytesize = sizeof(int);
  cudaGraphNode_t allocation, release;
  check(cudaGraphAddMemAllocNode(&allocation, graph, &last, 1, &memory), "alloc node");
  int* scratch = static_cast<int*>(memory.dptr);
  last = kernel_node(graph, allocation, set, scratch, 7);
  last = kernel_node(graph, last, total, static_cast<const int*>(scratch), values + 3);
  check(cudaGraphAddMemFreeNode(&release, graph, &last, 1, scratch), "free node");

  cudaGraphExec_t exec;
  check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
  const int starts[][4] = {{5, 0, 0, 0}, {2, 0, 1, 0}, {1, 0, 3, 40}};
  for (const auto& start : starts) {
    int result[4];
    to_device(values, start, 4);
    check(cudaGraphLaunch(exec, nullptr), "launch");
    finish("graph");
    to_host(result, values, 4);
    printf("left %d, sum %d, out %d\n", result[0], result[1], result[3]);
  }
}
