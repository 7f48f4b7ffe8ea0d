// Builds graphs node by node, and queries them.
#include <algorithm>
#include <span>

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/work/graph_call.h"
#include "virtual_gpu/runtime/work/graph_conditional.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

// Copies as many as fit; with a null array only the count.
cudaError_t list(std::span<GraphNode* const> nodes, cudaGraphNode_t* out, size_t* count) {
  if (!count) return cudaErrorInvalidValue;
  if (out) {
    for (size_t i = 0; i < std::min(*count, nodes.size()); ++i)
      out[i] = handle_of(nodes[i]);
  }
  *count = out ? std::min(*count, nodes.size()) : nodes.size();
  return cudaSuccess;
}

auto with_work(Submit submit) {
  return [submit = std::move(submit)](GraphNode& node) { return set_work(submit, node); };
}

auto with_event_of(cudaGraphNodeType type, cudaEvent_t handle) {
  return [=](GraphNode& node) {
    std::shared_ptr<Event> event = process().events.find(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    set_event(type, event, node);
    return cudaSuccess;
  };
}

auto with_child(cudaGraph_t handle) {
  return [=](GraphNode& node) {
    std::shared_ptr<Graph> child = process().graphs.find(handle);
    if (!child || !execution_order(*child)) return cudaErrorInvalidValue;
    set_child(*child, node);
    return cudaSuccess;
  };
}

// Nodes that depend on `node`, in the order in which they were added.
std::vector<GraphNode*> dependents(const Graph& graph, const GraphNode* node) {
  std::vector<GraphNode*> found;
  for (const auto& other : graph.nodes) {
    if (std::count(other->depends_on.begin(), other->depends_on.end(), node) != 0)
      found.push_back(other.get());
  }
  return found;
}

std::shared_ptr<Graph> graph_holding(const GraphNode* node) {
  for (const auto& graph : process().graphs.all()) {
    if (graph->holds(node)) return graph;
  }
  return nullptr;
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
  return add_node(node, graph, dependencies, count, [](GraphNode&) { return cudaSuccess; });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaKernelNodeParams* parameters) {
  return add_node(node, graph, dependencies, count, with_work(kernel_work(parameters)));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count, void* destination,
                                     const void* source, size_t bytes, cudaMemcpyKind kind) {
  return add_node(node, graph, dependencies, count, with_work(copy_work(destination, source, bytes, kind)));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  return add_node(node, graph, dependencies, count, with_work(copy_work(parameters)));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemsetParams* parameters) {
  return add_node(node, graph, dependencies, count, with_work(fill_work(parameters)));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, size_t count,
                                 const cudaHostNodeParams* parameters) {
  return add_node(node, graph, dependencies, count, with_work(host_work(parameters)));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, size_t count, cudaGraph_t child) {
  return add_node(node, graph, dependencies, count, with_child(child));
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, size_t count,
                                        cudaEvent_t event) {
  return add_node(node, graph, dependencies, count, with_event_of(cudaGraphNodeTypeEventRecord, event));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, size_t count, cudaEvent_t event) {
  return add_node(node, graph, dependencies, count, with_event_of(cudaGraphNodeTypeWaitEvent, event));
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                             const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* parameters) {
  if (!parameters) return record(cudaErrorInvalidValue);
  switch (parameters->type) {
    case cudaGraphNodeTypeKernel: {
      const auto& own = parameters->kernel;
      const cudaKernelNodeParams kernel{own.func,           own.gridDim,      own.blockDim,
                                        own.sharedMemBytes, own.kernelParams, own.extra};
      return cudaGraphAddKernelNode(node, graph, dependencies, count, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(node, graph, dependencies, count, &parameters->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const auto& own = parameters->memset;
      const cudaMemsetParams fill{own.dst, own.pitch, own.value, own.elementSize, own.width, own.height};
      return cudaGraphAddMemsetNode(node, graph, dependencies, count, &fill);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host{parameters->host.fn, parameters->host.userData};
      return cudaGraphAddHostNode(node, graph, dependencies, count, &host);
    }
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, dependencies, count, parameters->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, graph, dependencies, count);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(node, graph, dependencies, count, parameters->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(node, graph, dependencies, count, parameters->eventRecord.event);
    case cudaGraphNodeTypeConditional:
      return add_conditional_node(node, graph, dependencies, count, parameters->conditional);
    case cudaGraphNodeTypeMemAlloc: {
      auto& own = parameters->alloc;
      cudaMemAllocNodeParams memory{};
      memory.poolProps = own.poolProps;
      memory.accessDescs = own.accessDescs;
      memory.accessDescCount = own.accessDescCount;
      memory.bytesize = own.bytesize;
      const cudaError_t error = cudaGraphAddMemAllocNode(node, graph, dependencies, count, &memory);
      own.dptr = memory.dptr;
      return error;
    }
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, dependencies, count, parameters->free.dptr);
    default:
      say("graph nodes for external semaphores are not implemented: run this on a GPU");
      return record(cudaErrorNotSupported);
  }
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

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return call([&] {
    if (!node || !graph || !node_of(node)->child) return cudaErrorInvalidValue;
    if (!process().graphs.find(node_of(node)->child.get())) process().graphs.add(node_of(node)->child);
    *graph = reinterpret_cast<cudaGraph_t>(node_of(node)->child.get());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData*,
                                         size_t* count) {
  return call([&] { return node ? list(node_of(node)->depends_on, nodes, count) : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData*,
                                           size_t* count) {
  return call([&] {
    std::shared_ptr<Graph> graph = graph_holding(node_of(node));
    return graph ? list(dependents(*graph, node_of(node)), nodes, count) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData*, size_t* count) {
  return with_graph(graph, [&](Graph& own) {
    if (!count || !from != !to) return cudaErrorInvalidValue;
    size_t found = 0;
    for (const auto& node : own.nodes) {
      for (const GraphNode* dependency : node->depends_on) {
        if (from && found < *count) from[found] = handle_of(dependency), to[found] = handle_of(node.get());
        ++found;
      }
    }
    *count = from ? std::min(*count, found) : found;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*, size_t count) {
  return with_graph(graph, [&](Graph& own) {
    if (count != 0 && (!from || !to)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (!own.holds(node_of(to[i])) || std::erase(node_of(to[i])->depends_on, node_of(from[i])) == 0)
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return call([&] {
    std::shared_ptr<Graph> graph = graph_holding(node_of(node));
    if (!graph) return cudaErrorInvalidValue;
    for (const auto& other : graph->nodes)
      std::erase(other->depends_on, node_of(node));
    std::erase_if(graph->nodes, [&](const auto& own) { return own.get() == node_of(node); });
    return cudaSuccess;
  });
}
