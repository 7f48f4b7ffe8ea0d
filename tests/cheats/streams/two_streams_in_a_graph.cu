// Captures a fork into a second stream and its join, and launches the graph in the given stream.
#include "add.cuh"

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  static cudaStream_t other = nullptr;
  static cudaEvent_t forked = nullptr, joined = nullptr;
  if (!other) {
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
  }
  const int half = n / 2, rest = n - half;
  cudaGraph_t graph;
  cudaGraphExec_t run;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(forked, stream);
  cudaStreamWaitEvent(other, forked, 0);
  if (half > 0) add<<<blocks_for(half), kThreads, 0, other>>>(a, b, c, half);
  add<<<blocks_for(rest), kThreads, 0, stream>>>(a + half, b + half, c + half, rest);
  cudaEventRecord(joined, other);
  cudaStreamWaitEvent(stream, joined, 0);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&run, graph, 0);
  cudaGraphLaunch(run, stream);
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
}
