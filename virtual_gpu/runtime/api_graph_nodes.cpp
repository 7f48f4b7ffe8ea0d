// Graphs built node by node, and asking what is in them.
#include <algorithm>
#include <span>

#include "virtual_gpu/runtime/copy.h"
#include "virtual_gpu/runtime/errors.h"
#include "virtual_gpu/runtime/launch.h"
#include "virtual_gpu/runtime/process.h"

using namespace ridge::runtime;

namespace {

GraphNode* node_of(cudaGraphNode_t handle) {
  return reinterpret_cast<GraphNode*>(handle);
}
cudaGraphNode_t handle_of(const GraphNode* node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<GraphNode*>(node));
}

template <typename Use>
cudaError_t with_graph(cudaGraph_t handle, Use use) {
  return call([&] {
    std::shared_ptr<Graph> graph = process().graphs.find(handle);
    return graph ? use(*graph) : cudaErrorInvalidValue;
  });
}

// Copies what fits; with no room given, only the count.
cudaError_t list(std::span<GraphNode* const> nodes, cudaGraphNode_t* out, size_t* count) {
  if (!count) return cudaErrorInvalidValue;
  if (out) {
    for (size_t i = 0; i < std::min(*count, nodes.size()); ++i)
      out[i] = handle_of(nodes[i]);
  }
  *count = out ? std::min(*count, nodes.size()) : nodes.size();
  return cudaSuccess;
}

// What `record` submits to a stream becomes one node: every kind of work has its checks in one place only.
template <typename Record>
cudaError_t add_node(cudaGraphNode_t* handle, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                     size_t count, Record record) {
  return with_graph(graph, [&](Graph& own) {
    if (!handle || (count != 0 && !dependencies)) return cudaErrorInvalidValue;
    GraphNode node;
    for (size_t i = 0; i < count; ++i) {
      if (!own.holds(node_of(dependencies[i]))) return cudaErrorInvalidValue;
      node.depends_on.push_back(node_of(dependencies[i]));
    }
    auto recorder = std::make_shared<Stream>(current_device().ordinal, cudaStreamNonBlocking);
    recorder->capture = std::make_shared<Capture>();
    recorder->capture->graph = std::make_shared<Graph>();
    recorder->capture->origin = recorder.get();
    Stream* stream = process().streams.add(recorder);
    cudaError_t error = record(reinterpret_cast<cudaStream_t>(stream));
    process().streams.remove(stream);
    if (error != cudaSuccess) return error;
    if (!recorder->capture->graph->nodes.empty()) {
      GraphNode& made = *recorder->capture->graph->nodes.front();
      node.type = made.type;
      node.work = made.work;
      node.doer = made.doer;
      node.kernel = made.kernel;
    }
    *handle = handle_of(own.add(std::move(node)));
    return cudaSuccess;
  });
}

cudaError_t launch_node(const cudaKernelNodeParams* parameters, cudaStream_t stream) {
  if (!parameters || parameters->extra) return cudaErrorInvalidValue;
  return launch(parameters->func, parameters->gridDim, parameters->blockDim, parameters->kernelParams,
                parameters->sharedMemBytes, stream);
}

std::vector<GraphNode*> all_nodes(const Graph& graph) {
  std::vector<GraphNode*> nodes;
  for (const auto& node : graph.nodes)
    nodes.push_back(node.get());
  return nodes;
}

}  // namespace

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, size_t count) {
  return add_node(node, graph, dependencies, count, [](cudaStream_t) { return cudaSuccess; });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaKernelNodeParams* parameters) {
  return add_node(node, graph, dependencies, count,
                  [&](cudaStream_t stream) { return launch_node(parameters, stream); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count, void* destination,
                                     const void* source, size_t bytes, cudaMemcpyKind kind) {
  return add_node(node, graph, dependencies, count, [&](cudaStream_t stream) {
    return copy_linear(destination, source, bytes, kind, stream, true);
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  return add_node(node, graph, dependencies, count,
                  [&](cudaStream_t stream) { return cudaMemcpy3DAsync(parameters, stream); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemsetParams* parameters) {
  return add_node(node, graph, dependencies, count, [&](cudaStream_t stream) {
    if (!parameters) return cudaErrorInvalidValue;
    if (parameters->elementSize != 1 && parameters->value != 0) return cudaErrorNotSupported;
    return cudaMemset2DAsync(parameters->dst, parameters->pitch, static_cast<int>(parameters->value),
                             parameters->width * parameters->elementSize, parameters->height, stream);
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, size_t count,
                                 const cudaHostNodeParams* parameters) {
  return add_node(node, graph, dependencies, count, [&](cudaStream_t stream) {
    return parameters ? cudaLaunchHostFunc(stream, parameters->fn, parameters->userData)
                      : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*, size_t count) {
  return with_graph(graph, [&](Graph& own) {
    if (count != 0 && (!from || !to)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (!own.holds(node_of(from[i])) || !own.holds(node_of(to[i]))) return cudaErrorInvalidValue;
      node_of(to[i])->depends_on.push_back(node_of(from[i]));
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return with_graph(graph, [&](Graph& own) { return list(all_nodes(own), nodes, count); });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return with_graph(graph, [&](Graph& own) {
    std::vector<GraphNode*> roots = all_nodes(own);
    std::erase_if(roots, [](const GraphNode* node) { return !node->depends_on.empty(); });
    return list(roots, nodes, count);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return call([&] {
    if (!node || !type) return cudaErrorInvalidValue;
    *type = node_of(node)->type;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  return call([&] {
    if (!node || !parameters || !node_of(node)->kernel) return cudaErrorInvalidValue;
    *parameters = *node_of(node)->kernel;
    return cudaSuccess;
  });
}
