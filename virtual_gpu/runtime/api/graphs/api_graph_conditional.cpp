// Conditional nodes of graphs, and nodes that allocate and free memory.
#include "virtual_gpu/runtime/work/graph_call.h"
#include "virtual_gpu/runtime/work/graph_conditional.h"

using namespace ridge::runtime;

namespace {

bool is_size(cudaGraphConditionalNodeType type, unsigned bodies) {
  switch (type) {
    case cudaGraphCondTypeIf:
      return bodies == 1 || bodies == 2;
    case cudaGraphCondTypeWhile:
      return bodies == 1;
    case cudaGraphCondTypeSwitch:
      return bodies >= 1;
  }
  return false;
}

}  // namespace

namespace ridge::runtime {

cudaError_t add_conditional_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                 size_t count, cudaConditionalNodeParams& parameters) {
  return add_node(node, graph, dependencies, count, [&](GraphNode& own) {
    std::shared_ptr<GraphCondition> condition = find_condition(parameters.handle);
    if (!condition || !is_size(parameters.type, parameters.size)) return cudaErrorInvalidValue;
    // The handles stay valid until the process ends, because the graph with the bodies may be
    // cloned.
    auto* handles = new cudaGraph_t[parameters.size];
    std::vector<std::shared_ptr<Graph>> bodies;
    for (unsigned i = 0; i < parameters.size; ++i) {
      bodies.push_back(std::make_shared<Graph>());
      handles[i] = reinterpret_cast<cudaGraph_t>(process().graphs.add(bodies.back()));
    }
    parameters.phGraph_out = handles;
    set_conditional(own, std::move(condition), parameters.type, std::move(bodies));
    return cudaSuccess;
  });
}

}  // namespace ridge::runtime

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned default_value, unsigned flags) {
  return with_graph(graph, [&](Graph& own) {
    if (!handle || (flags & ~static_cast<unsigned>(cudaGraphCondAssignDefault))) return cudaErrorInvalidValue;
    *handle = make_condition(own, default_value, flags != 0)->handle;
    return cudaSuccess;
  });
}

// Memory of a graph has its address from the moment when the node is added.
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count,
                                     cudaMemAllocNodeParams* parameters) {
  return add_node(node, graph, dependencies, count, [&](GraphNode& own) {
    if (!parameters || parameters->bytesize == 0 ||
        parameters->poolProps.location.type != cudaMemLocationTypeDevice)
      return cudaErrorInvalidValue;
    Device* device = device_at(parameters->poolProps.location.id);
    if (!device) return cudaErrorInvalidDevice;
    uint64_t address = 0;
    const cudaError_t error = allocate(*device, parameters->bytesize, MemoryKind::device,
                                       "cudaGraphAddMemAllocNode", address);
    if (error != cudaSuccess) return error;
    parameters->dptr = reinterpret_cast<void*>(address);
    own.type = cudaGraphNodeTypeMemAlloc;
    own.memory = *parameters;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* parameters) {
  return call([&] {
    if (!node || !parameters || node_of(node)->type != cudaGraphNodeTypeMemAlloc) return cudaErrorInvalidValue;
    *parameters = node_of(node)->memory;
    return cudaSuccess;
  });
}

// The memory stays allocated, because the next launch of the graph uses it again.
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, size_t count, void* address) {
  return add_node(node, graph, dependencies, count, [&](GraphNode& own) {
    const auto block = process().allocations.find(reinterpret_cast<uint64_t>(address));
    if (!block || block->begin != reinterpret_cast<uint64_t>(address)) return cudaErrorInvalidValue;
    own.type = cudaGraphNodeTypeMemFree;
    own.memory.dptr = address;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* address) {
  return call([&] {
    if (!node || !address || node_of(node)->type != cudaGraphNodeTypeMemFree) return cudaErrorInvalidValue;
    *static_cast<void**>(address) = node_of(node)->memory.dptr;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return call([&] { return device_at(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}
