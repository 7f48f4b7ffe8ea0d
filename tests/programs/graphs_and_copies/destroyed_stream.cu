// A stream that has joined a capture may be destroyed before the capture ends.
#include "check.h"

__global__ void add(int* data, int value) { data[threadIdx.x] += value; }

int main() {
  int* data[2] = {device_array<int>(32), device_array<int>(32)};
  for (int* one : data)
    check(cudaMemset(one, 0, 32 * sizeof(int)), "memset");
  cudaStream_t origin;
  cudaEvent_t fork, join;
  check(cudaStreamCreate(&origin), "stream");
  check(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming), "event");
  check(cudaEventCreateWithFlags(&join, cudaEventDisableTiming), "event");
  check(cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal), "begin");
  for (int round = 0; round < 3; ++round) {
    cudaStream_t side;
    check(cudaStreamCreate(&side), "side");
    check(cudaEventRecord(fork, origin), "record");
    check(cudaStreamWaitEvent(side, fork, 0), "wait");
    add<<<1, 32, 0, side>>>(data[0], 1 + round);
    add<<<1, 32, 0, origin>>>(data[1], 10 * (1 + round));
    check(cudaEventRecord(join, side), "record");
    check(cudaStreamWaitEvent(origin, join, 0), "wait");
    check(cudaStreamDestroy(side), "destroy");
  }
  add<<<1, 32, 0, origin>>>(data[0], 100);
  cudaGraph_t graph;
  check(cudaStreamEndCapture(origin, &graph), "end");
  size_t nodes = 0;
  check(cudaGraphGetNodes(graph, nullptr, &nodes), "nodes");
  cudaGraphExec_t exec;
  check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
  for (int i = 0; i < 2; ++i)
    check(cudaGraphLaunch(exec, origin), "launch");
  check(cudaStreamSynchronize(origin), "synchronize");
  int result[2][32];
  for (int i = 0; i < 2; ++i)
    to_host(result[i], data[i], 32);
  printf("%zu nodes; %d %d\n", nodes, result[0][31], result[1][31]);
}
