// Parameters of nodes, nodes of clones, drawings of graphs, and objects that live as long as a graph.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <unordered_map>

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/work/graph_call.h"

using namespace ridge::runtime;

// The references that cudaUserObjectCreate, the program and graphs hold are one count.
struct CUuserObject_st {
  std::atomic<unsigned> references{0};
  cudaHostFn_t destroy = nullptr;
  void* data = nullptr;
};

namespace {

template <typename Parameters>
cudaError_t get(cudaGraphNode_t node, std::optional<Parameters> GraphNode::* member, Parameters* parameters) {
  return call([&] {
    if (!node || !parameters || !(node_of(node)->*member)) return cudaErrorInvalidValue;
    *parameters = *(node_of(node)->*member);
    return cudaSuccess;
  });
}

cudaError_t get_event(cudaGraphNode_t node, cudaGraphNodeType type, cudaEvent_t* event) {
  return call([&] {
    if (!node || !event || node_of(node)->type != type) return cudaErrorInvalidValue;
    *event = reinterpret_cast<cudaEvent_t>(node_of(node)->event.get());
    return cudaSuccess;
  });
}

const char* type_name(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "kernel";
    case cudaGraphNodeTypeMemcpy:
      return "copy";
    case cudaGraphNodeTypeMemset:
      return "fill";
    case cudaGraphNodeTypeHost:
      return "host function";
    case cudaGraphNodeTypeGraph:
      return "child graph";
    case cudaGraphNodeTypeEmpty:
      return "empty";
    case cudaGraphNodeTypeWaitEvent:
      return "wait for event";
    case cudaGraphNodeTypeEventRecord:
      return "record event";
    case cudaGraphNodeTypeMemAlloc:
      return "allocation";
    case cudaGraphNodeTypeMemFree:
      return "free";
    case cudaGraphNodeTypeConditional:
      return "conditional";
    default:
      return "node";
  }
}

std::string label_of(const GraphNode& node) {
  const char* name = nullptr;
  if (!node.kernel || cudaFuncGetName(&name, node.kernel->func) != cudaSuccess) return type_name(node.type);
  return fmt::format("{}\\n{}", type_name(node.type), name);
}

// Gives `count` references back.
void release(cudaUserObject_t object, unsigned count) {
  if (object->references.fetch_sub(count) != count) return;
  object->destroy(object->data);
  delete object;
}

}  // namespace

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
  return get(node, &GraphNode::copy, parameters);
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  return get(node, &GraphNode::fill, parameters);
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
  return get(node, &GraphNode::host, parameters);
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get_event(node, cudaGraphNodeTypeEventRecord, event);
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get_event(node, cudaGraphNodeTypeWaitEvent, event);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original, cudaGraph_t clone) {
  return with_graph(clone, [&](Graph& own) {
    if (!found) return cudaErrorInvalidValue;
    for (const auto& node : own.nodes) {
      if (node->original != node_of(original)) continue;
      *found = handle_of(node.get());
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

// In the language of Graphviz; what the driver writes per node depends on its version.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  return with_graph(graph, [&](Graph& own) {
    if (!path) return cudaErrorInvalidValue;
    std::ofstream file(path);
    file << "digraph graph_0 {\n";
    std::unordered_map<const GraphNode*, size_t> number;
    for (const auto& node : own.nodes) {
      const size_t index = number.size();
      number[node.get()] = index;
      file << fmt::format("  node_{} [shape=box, label=\"{}\"];\n", index, label_of(*node));
    }
    for (const auto& node : own.nodes) {
      for (const GraphNode* before : node->depends_on)
        file << fmt::format("  node_{} -> node_{};\n", number[before], number[node.get()]);
    }
    file << "}\n";
    return file.good() ? cudaSuccess : cudaErrorOperatingSystem;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return call([&] {
    const auto known = process().graph_execs.find(exec);
    if (!known || !flags) return cudaErrorInvalidValue;
    *flags = known->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data, cudaHostFn_t destroy, unsigned references,
                                 unsigned) {
  return call([&] {
    if (!object || !destroy || references == 0) return cudaErrorInvalidValue;
    *object = new CUuserObject_st{{references}, destroy, data};
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return call([&] {
    if (!object || count == 0) return cudaErrorInvalidValue;
    object->references += count;
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return call([&] {
    if (!object || count == 0) return cudaErrorInvalidValue;
    release(object, count);
    return cudaSuccess;
  });
}

// Copies of the graph hold what it holds, and launches hold a copy.
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags) {
  return with_graph(graph, [&](Graph& own) {
    if (!object || count == 0) return cudaErrorInvalidValue;
    if (!(flags & cudaGraphUserObjectMove)) object->references += count;
    for (unsigned i = 0; i < count; ++i)
      own.user_objects.emplace_back(object, [](void* held) { release(static_cast<cudaUserObject_t>(held), 1); });
    return cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return with_graph(graph, [&](Graph& own) {
    for (unsigned i = 0; i < count; ++i) {
      const auto held = std::find_if(own.user_objects.begin(), own.user_objects.end(),
                                     [&](const auto& one) { return one.get() == object; });
      if (held == own.user_objects.end()) return cudaErrorInvalidValue;
      own.user_objects.erase(held);
    }
    return cudaSuccess;
  });
}
