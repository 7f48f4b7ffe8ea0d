// Graphs: work that is stored, captured from streams or built node by node.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/runtime/api/cuda_api.h"
#include "virtual_gpu/runtime/work/work_queue.h"

namespace ridge::runtime {

struct Stream;
struct Event;
struct Graph;
struct GraphCondition;

using Work = std::function<cudaError_t()>;

struct KernelArguments {
  std::vector<std::byte> bytes;
  std::vector<void*> pointers;
};

struct LaunchLink;

struct GraphNode {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  Work work;  // empty: the node only orders other nodes
  std::vector<GraphNode*> depends_on;
  bool enabled = true;
  TaskExecutor task_executor = TaskExecutor::anybody;
  // Kernel nodes: the parameters as given, pointing to copies of the arguments.
  std::optional<cudaKernelNodeParams> kernel;
  std::shared_ptr<KernelArguments> arguments;
  std::shared_ptr<LaunchLink> link;
  // Copy, fill and host nodes: the same. A copy from or to an array has its memory's pointer.
  std::optional<cudaMemcpy3DParms> copy;
  std::optional<cudaMemsetParams> fill;
  std::optional<cudaHostNodeParams> host;
  const GraphNode* original = nullptr;  // in a clone: the node that this one was copied from
  std::shared_ptr<Graph> child;
  std::shared_ptr<Event> event;  // recorded or waited for by the node
  cudaMemAllocNodeParams memory{};
  // Conditional nodes only.
  std::shared_ptr<GraphCondition> condition;
  cudaGraphConditionalNodeType condition_type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<Graph>> bodies;
};

struct Graph {
  // In the order of adding, which respects dependencies.
  std::vector<std::shared_ptr<GraphNode>> nodes;
  std::vector<std::shared_ptr<GraphCondition>> conditions;
  std::vector<std::shared_ptr<void>> user_objects;  // released with the last copy
  GraphNode* add(GraphNode node);
  bool holds(const GraphNode* node) const;
};

struct GraphExec {
  // A copy, unaffected by later changes to the original; running launches share it.
  std::shared_ptr<Graph> graph;
  unsigned long long flags = 0;  // of cudaGraphInstantiate

  void instantiate(const Graph& original);
  // The instance's node for a node of the original graph, in a copy that no launch uses; null when
  // there is none.
  GraphNode* writable(const GraphNode* original);

 private:
  std::unordered_map<const GraphNode*, size_t> index_of_;  // by node of the original
};

// A capture in progress. Streams join it by waiting for an event that was recorded in it.
struct Capture {
  std::shared_ptr<Graph> graph;
  Stream* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool broken = false;
  std::thread::id thread = std::this_thread::get_id();  // the thread that began it
  unsigned long long id = 0;
  // Kept alive, because `tails` refers to them by address.
  std::vector<std::shared_ptr<Stream>> destroyed;
  // By participating stream: the dependencies of its next node.
  std::map<Stream*, std::vector<GraphNode*>> tails;
};

Graph copy_graph(const Graph& graph);
// Every node once, after its dependencies; nullopt when the dependencies have a cycle.
std::optional<std::vector<GraphNode*>> execution_order(const Graph& graph);
// True when every tail of every stream precedes the origin's tails; otherwise the error is
// cudaErrorStreamCaptureUnjoined.
bool all_joined(const Capture& capture);

}  // namespace ridge::runtime
