// Graphs: work kept for later, captured from streams or built node by node.
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
  Work work;  // empty: the node only orders others
  std::vector<GraphNode*> depends_on;
  bool enabled = true;
  TaskExecutor task_executor = TaskExecutor::anybody;
  // Kernels: as given, with copies of the arguments behind it.
  std::optional<cudaKernelNodeParams> kernel;
  std::shared_ptr<KernelArguments> arguments;
  std::shared_ptr<LaunchLink> link;
  std::shared_ptr<Graph> child;
  std::shared_ptr<Event> event;  // that it records or waits for
  cudaMemAllocNodeParams memory{};
  // Conditional nodes.
  std::shared_ptr<GraphCondition> condition;
  cudaGraphConditionalNodeType condition_type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<Graph>> bodies;
};

struct Graph {
  std::vector<std::shared_ptr<GraphNode>> nodes;  // in the order added, which respects the dependencies
  std::vector<std::shared_ptr<GraphCondition>> conditions;
  GraphNode* add(GraphNode node);
  bool holds(const GraphNode* node) const;
};

struct GraphExec {
  std::shared_ptr<Graph> graph;  // a copy: later changes to the original do not matter; launches hold it, too

  void instantiate(const Graph& original);
  // The own node for one of the original graph, in a graph that no launch holds; null when it is not one.
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
  std::thread::id thread = std::this_thread::get_id();  // that began it
  unsigned long long id = 0;
  std::vector<std::shared_ptr<Stream>> destroyed;  // kept, for `tails` names them by address
  std::map<Stream*, std::vector<GraphNode*>> tails;  // by participating stream: what its next node depends on
};

Graph copy_graph(const Graph& graph);
// Every node once, each after those it depends on; nullopt when the dependencies form a circle.
std::optional<std::vector<GraphNode*>> execution_order(const Graph& graph);
// Whether every tail of every stream is reached from the origin's: cudaErrorStreamCaptureUnjoined otherwise.
bool all_joined(const Capture& capture);

}  // namespace ridge::runtime
