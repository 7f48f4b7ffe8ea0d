// Graphs: captured forks, child graphs, host nodes, clones, parameters changed in the instance, disabled nodes.
#include "values.h"
__global__ void add(int* p, int v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += v;
}
__global__ void mul(int* p, int v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= v;
}
__global__ void sum(const int* a, const int* b, int* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] * 1000 + b[i];
}
static int calls;
void CUDART_CB on_host(void* p) {
  calls += *(int*)p;
}
int main() {
  int n = 300;
  auto *a = device_zeros<int>(n), *b = device_zeros<int>(n), *c = device_zeros<int>(n);
  cudaStream_t s0, s1, s2;
  for (auto s : {&s0, &s1, &s2})
    must(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
  cudaEvent_t fork, j1, j2;
  for (auto e : {&fork, &j1, &j2})
    must(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
  int three = 3;
  must(cudaStreamBeginCapture(s0, cudaStreamCaptureModeThreadLocal));
  must(cudaMemsetAsync(a, 0, 4 * n, s0));
  must(cudaEventRecord(fork, s0));
  must(cudaStreamWaitEvent(s1, fork, 0));
  must(cudaStreamWaitEvent(s2, fork, 0));
  add<<<3, 100, 0, s1>>>(a, 5, n);
  mul<<<3, 100, 0, s1>>>(a, 7, n);
  add<<<3, 100, 0, s2>>>(b, 1, n);
  must(cudaLaunchHostFunc(s2, on_host, &three));
  must(cudaEventRecord(j1, s1));
  must(cudaEventRecord(j2, s2));
  must(cudaStreamWaitEvent(s0, j1, 0));
  must(cudaStreamWaitEvent(s0, j2, 0));
  sum<<<3, 100, 0, s0>>>(a, b, c, n);
  cudaStreamCaptureStatus cs;
  must(cudaStreamIsCapturing(s1, &cs));
  printf("capturing %d\n", cs);
  cudaGraph_t g;
  must(cudaStreamEndCapture(s0, &g));
  size_t nn = 0, ne = 0, nr = 0;
  must(cudaGraphGetNodes(g, nullptr, &nn));
  must(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &ne));
  must(cudaGraphGetRootNodes(g, nullptr, &nr));
  printf("%zu nodes %zu edges %zu roots\n", nn, ne, nr);
  std::vector<cudaGraphNode_t> nodes(nn);
  must(cudaGraphGetNodes(g, nodes.data(), &nn));
  int kinds[16] = {};
  for (auto x : nodes) {
    cudaGraphNodeType t;
    must(cudaGraphNodeGetType(x, &t));
    kinds[t]++;
  }
  printf("%d %d %d %d %d\n", kinds[0], kinds[1], kinds[2], kinds[3], kinds[4]);
  cudaGraphExec_t e;
  must(cudaGraphInstantiate(&e, g, 0));
  for (int i = 0; i < 3; ++i)
    must(cudaGraphLaunch(e, s0));
  must(cudaStreamSynchronize(s0));
  print_hash("c", c, n);
  printf("calls %d\n", calls);
  for (auto x : nodes) {
    cudaGraphNodeType t;
    must(cudaGraphNodeGetType(x, &t));
    if (t != cudaGraphNodeTypeKernel) continue;
    cudaKernelNodeParams p;
    must(cudaGraphKernelNodeGetParams(x, &p));
    if (p.func == (void*)mul) {
      int v = 11;
      void* args[] = {&a, &v, &n};
      p.kernelParams = args;
      must(cudaGraphExecKernelNodeSetParams(e, x, &p));
    }
  }
  must(cudaGraphLaunch(e, s0));
  must(cudaStreamSynchronize(s0));
  print_hash("c", c, n);
  cudaGraph_t outer, clone;
  must(cudaGraphClone(&clone, g));
  must(cudaGraphCreate(&outer, 0));
  cudaGraphNode_t child, cp, ms, hn, ev, em;
  must(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, clone));
  std::vector<int> h(n);
  must(cudaGraphAddMemcpyNode1D(&cp, outer, &child, 1, h.data(), c, 4 * n, cudaMemcpyDeviceToHost));
  cudaMemsetParams mp = {};
  mp.dst = b;
  mp.elementSize = 4;
  mp.value = 9;
  mp.width = n;
  mp.height = 1;
  must(cudaGraphAddMemsetNode(&ms, outer, &cp, 1, &mp));
  cudaHostNodeParams hp = {on_host, &three};
  must(cudaGraphAddHostNode(&hn, outer, &ms, 1, &hp));
  must(cudaGraphAddEmptyNode(&em, outer, &hn, 1));
  must(cudaGraphAddEventRecordNode(&ev, outer, &em, 1, j1));
  cudaGraphExec_t oe;
  must(cudaGraphInstantiateWithFlags(&oe, outer, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  must(cudaGraphUpload(oe, s0));
  must(cudaGraphLaunch(oe, s0));
  must(cudaEventSynchronize(j1));
  printf("%016llx calls %d\n", (unsigned long long)hash_of(h.data(), 4 * n), calls);
  print_hash("b", b, n);
  must(cudaGraphNodeSetEnabled(oe, ms, 0));
  must(cudaMemset(b, 0, 4 * n));
  must(cudaGraphLaunch(oe, s0));
  must(cudaStreamSynchronize(s0));
  print_hash("b", b, n);
  unsigned en;
  must(cudaGraphNodeGetEnabled(oe, ms, &en));
  printf("%u\n", en);
  size_t nd;
  must(cudaGraphNodeGetDependencies(cp, nullptr, nullptr, &nd));
  printf("%zu\n", nd);
  must(cudaGraphRemoveDependencies(outer, &em, &ev, nullptr, 1));
  must(cudaGraphDestroyNode(ev));
  must(cudaGraphGetNodes(outer, nullptr, &nn));
  printf("%zu\n", nn);
  cudaGraphExecUpdateResultInfo ui;
  cudaGraph_t g2;
  must(cudaGraphClone(&g2, g));
  printf("%s\n", cudaGetErrorName(cudaGraphExecUpdate(e, g2, &ui)));
  printf("%d\n", ui.result);
  cudaGraphExecDestroy(e);
  cudaGraphExecDestroy(oe);
  cudaGraphDestroy(outer);
  cudaGraphDestroy(g);
}
