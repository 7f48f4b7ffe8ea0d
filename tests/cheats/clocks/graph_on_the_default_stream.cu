// A graph that is launched on the default stream: nothing on the given stream waits for it.
#include "add.cuh"

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  add<<<blocks_for(n), kThreads, 0, stream>>>(a, b, c, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, cudaStreamPerThread);
  cudaGraphDestroy(graph);
  cudaGraphExecDestroy(ready);
}
