// A graph captured from two streams that fork and join, launched several times; arguments are those of the
// capture.
#include "check.h"

__global__ void add(int* data, int value) {
  data[threadIdx.x] += value;
}
__global__ void sum_of(const int* a, const int* b, int* out) {
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

int main() {
  int *a = device_array<int>(32), *b = device_array<int>(32), *out = device_array<int>(32), host[32] = {};
  check(cudaMemset(a, 0, 32 * sizeof(int)), "memset");
  check(cudaMemset(b, 0, 32 * sizeof(int)), "memset");
  cudaStream_t main_stream, side;
  check(cudaStreamCreate(&main_stream), "stream");
  check(cudaStreamCreate(&side), "stream");
  cudaEvent_t fork, join;
  check(cudaEventCreate(&fork), "event");
  check(cudaEventCreate(&join), "event");

  check(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal), "begin");
  int value = 3;
  add<<<1, 32, 0, main_stream>>>(a, value);
  check(cudaEventRecord(fork, main_stream), "record");
  check(cudaStreamWaitEvent(side, fork, 0), "wait");
  add<<<1, 32, 0, side>>>(b, 10);
  check(cudaEventRecord(join, side), "record");
  value = 1000;
  add<<<1, 32, 0, main_stream>>>(a, 1);
  check(cudaStreamWaitEvent(main_stream, join, 0), "wait");
  sum_of<<<1, 32, 0, main_stream>>>(a, b, out);
  check(cudaMemcpyAsync(host, out, sizeof host, cudaMemcpyDeviceToHost, main_stream), "copy");
  cudaStreamCaptureStatus status;
  check(cudaStreamIsCapturing(side, &status), "status");
  cudaGraph_t graph;
  check(cudaStreamEndCapture(main_stream, &graph), "end");
  size_t nodes = 0;
  check(cudaGraphGetNodes(graph, nullptr, &nodes), "nodes");
  printf("side was captured %d, nodes %zu, nothing ran: %d\n", status == cudaStreamCaptureStatusActive, nodes,
         host[0]);

  cudaGraphExec_t exec;
  check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
  check(cudaGraphDestroy(graph), "destroy");
  for (int i = 0; i < 3; ++i)
    check(cudaGraphLaunch(exec, main_stream), "launch");
  check(cudaStreamSynchronize(main_stream), "synchronize");
  printf("%d %d\n", host[0], host[31]);

  check(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal), "begin");
  printf("synchronize in a capture: %s\n", cudaGetErrorName(cudaStreamSynchronize(main_stream)));
  printf("end: %s\n", cudaGetErrorName(cudaStreamEndCapture(main_stream, &graph)));
  check(cudaGraphExecDestroy(exec), "destroy");
}
