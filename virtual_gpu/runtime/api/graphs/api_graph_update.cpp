// Changes nodes of a graph, and of an instantiated one. A running launch is not affected.
#include <algorithm>

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/work/graph_work.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

cudaError_t change(GraphNode& node, cudaGraphNodeType type, const Submit& submit) {
  return node.type == type ? set_work(submit, node) : cudaErrorInvalidValue;
}

cudaError_t set_params(cudaGraphNode_t handle, cudaGraphNodeType type, const Submit& submit) {
  return call([&] {
    if (!handle) return cudaErrorInvalidValue;
    return change(*node_of(handle), type, submit);
  });
}

// Calls `use` with the instance's node for a node of the original graph.
template <typename Use>
cudaError_t with_exec_node(cudaGraphExec_t exec, cudaGraphNode_t handle, Use use) {
  return call([&] {
    std::shared_ptr<GraphExec> own = process().graph_execs.find(exec);
    if (!own) return cudaErrorInvalidValue;
    GraphNode* node = own->writable(node_of(handle));
    return node ? use(*node) : cudaErrorInvalidValue;
  });
}

cudaError_t set_exec_params(cudaGraphExec_t exec, cudaGraphNode_t handle, cudaGraphNodeType type,
                            const Submit& submit) {
  return with_exec_node(exec, handle, [&](GraphNode& node) { return change(node, type, submit); });
}

cudaError_t set_event_of(GraphNode& node, cudaGraphNodeType type, cudaEvent_t handle) {
  std::shared_ptr<Event> event = process().events.find(handle);
  if (!event) return cudaErrorInvalidResourceHandle;
  if (node.type != type) return cudaErrorInvalidValue;
  set_event(type, event, node);
  return cudaSuccess;
}

// Why an instance cannot be updated to `updated`; success when it can.
cudaGraphExecUpdateResult compare(const Graph& own, const Graph& updated, cudaGraphNode_t& culprit) {
  if (own.nodes.size() != updated.nodes.size()) return cudaGraphExecUpdateErrorTopologyChanged;
  auto index_of = [](const Graph& graph, const GraphNode* wanted) {
    return std::find_if(graph.nodes.begin(), graph.nodes.end(),
                        [&](const auto& n) { return n.get() == wanted; }) -
           graph.nodes.begin();
  };
  for (size_t i = 0; i < updated.nodes.size(); ++i) {
    const GraphNode &before = *own.nodes[i], &after = *updated.nodes[i];
    culprit = reinterpret_cast<cudaGraphNode_t>(updated.nodes[i].get());
    if (before.type != after.type) return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (before.depends_on.size() != after.depends_on.size()) return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t d = 0; d < after.depends_on.size(); ++d) {
      if (index_of(own, before.depends_on[d]) != index_of(updated, after.depends_on[d]))
        return cudaGraphExecUpdateErrorTopologyChanged;
    }
  }
  culprit = nullptr;
  return cudaGraphExecUpdateSuccess;
}

}  // namespace

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
  return set_params(node, cudaGraphNodeTypeKernel, kernel_work(parameters));
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters) {
  return set_params(node, cudaGraphNodeTypeMemcpy, copy_work(parameters));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* destination, const void* source,
                                           size_t bytes, cudaMemcpyKind kind) {
  return set_params(node, cudaGraphNodeTypeMemcpy, copy_work(destination, source, bytes, kind));
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return set_params(node, cudaGraphNodeTypeMemset, fill_work(parameters));
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return set_params(node, cudaGraphNodeTypeHost, host_work(parameters));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return set_exec_params(exec, node, cudaGraphNodeTypeKernel, kernel_work(parameters));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return set_exec_params(exec, node, cudaGraphNodeTypeMemcpy, copy_work(parameters));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* destination,
                                               const void* source, size_t bytes, cudaMemcpyKind kind) {
  return set_exec_params(exec, node, cudaGraphNodeTypeMemcpy, copy_work(destination, source, bytes, kind));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return set_exec_params(exec, node, cudaGraphNodeTypeMemset, fill_work(parameters));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return set_exec_params(exec, node, cudaGraphNodeTypeHost, host_work(parameters));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return with_exec_node(exec, node, [&](GraphNode& own) {
    std::shared_ptr<Graph> graph = process().graphs.find(child);
    cudaGraphNode_t culprit = nullptr;
    if (!graph || !own.child || compare(*own.child, *graph, culprit) != cudaGraphExecUpdateSuccess)
      return cudaErrorInvalidValue;
    set_child(*graph, own);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return call([&] {
    return node ? set_event_of(*node_of(node), cudaGraphNodeTypeEventRecord, event) : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return call([&] {
    return node ? set_event_of(*node_of(node), cudaGraphNodeTypeWaitEvent, event) : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return with_exec_node(
      exec, node, [&](GraphNode& own) { return set_event_of(own, cudaGraphNodeTypeEventRecord, event); });
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return with_exec_node(exec, node,
                        [&](GraphNode& own) { return set_event_of(own, cudaGraphNodeTypeWaitEvent, event); });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  return with_exec_node(exec, node, [&](GraphNode& own) {
    const bool may = own.type == cudaGraphNodeTypeKernel || own.type == cudaGraphNodeTypeMemcpy ||
                     own.type == cudaGraphNodeTypeMemset;
    if (!may) return cudaErrorInvalidValue;
    own.enabled = enabled != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  return with_exec_node(exec, node, [&](GraphNode& own) {
    if (!enabled) return cudaErrorInvalidValue;
    *enabled = own.enabled;
    return cudaSuccess;
  });
}

// Takes over the nodes' parameters if the new graph has the same nodes in the same order.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t handle,
                                cudaGraphExecUpdateResultInfo* result) {
  return call([&] {
    std::shared_ptr<GraphExec> own = process().graph_execs.find(exec);
    std::shared_ptr<Graph> updated = process().graphs.find(handle);
    if (!own || !updated || !result) return cudaErrorInvalidValue;
    *result = {};
    result->result = compare(*own->graph, *updated, result->errorNode);
    if (result->result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
    own->instantiate(*updated);
    return cudaSuccess;
  });
}
