// What a program can learn of a graph's nodes, and objects that live as long as a graph.
#include <cstdio>

#include "check.h"

__global__ void twice(int* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= 2;
}

static int calls = 0, destroyed = 0;
static void CUDART_CB on_host(void* by) {
  calls += *static_cast<int*>(by);
}
static void CUDART_CB on_destroy(void*) {
  ++destroyed;
}

int main() {
  constexpr int kCount = 64;
  int three = 3;
  int* values = device_array<int>(kCount);
  int results[kCount] = {};
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  cudaGraph_t graph, clone;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin");
  check(cudaMemset2DAsync(values, 32, 1, 32, 8, stream), "fill");
  twice<<<1, kCount, 0, stream>>>(values, kCount);
  check(cudaMemcpyAsync(results, values, sizeof results, cudaMemcpyDeviceToHost, stream), "copy");
  check(cudaLaunchHostFunc(stream, on_host, &three), "host");
  check(cudaStreamEndCapture(stream, &graph), "end");

  size_t count = 8;
  cudaGraphNode_t nodes[8];
  check(cudaGraphGetNodes(graph, nodes, &count), "nodes");
  check(cudaGraphClone(&clone, graph), "clone");
  for (size_t i = 0; i < count; ++i) {
    cudaGraphNodeType type, type_in_clone;
    cudaGraphNode_t same;
    check(cudaGraphNodeGetType(nodes[i], &type), "type");
    check(cudaGraphNodeFindInClone(&same, nodes[i], clone), "find");
    check(cudaGraphNodeGetType(same, &type_in_clone), "type in clone");
    printf("type %d %d, another node %d\n", type, type_in_clone, same != nodes[i]);
    if (type == cudaGraphNodeTypeMemset) {
      cudaMemsetParams fill;
      check(cudaGraphMemsetNodeGetParams(nodes[i], &fill), "fill parameters");
      printf("fill %d with %u\n", fill.dst == values, fill.value);
    } else if (type == cudaGraphNodeTypeKernel) {
      cudaKernelNodeParams launch;
      check(cudaGraphKernelNodeGetParams(nodes[i], &launch), "launch parameters");
      printf("kernel %d, %u threads, count %d\n", launch.func == reinterpret_cast<void*>(twice),
             launch.blockDim.x, *static_cast<int*>(launch.kernelParams[1]));
    } else if (type == cudaGraphNodeTypeMemcpy) {
      cudaMemcpy3DParms copy;
      check(cudaGraphMemcpyNodeGetParams(nodes[i], &copy), "copy parameters");
      printf("copy of %zu bytes\n", copy.extent.width * copy.extent.height * copy.extent.depth);
    } else if (type == cudaGraphNodeTypeHost) {
      cudaHostNodeParams call;
      check(cudaGraphHostNodeGetParams(nodes[i], &call), "host parameters");
      printf("host %d %d\n", call.fn == on_host, call.userData == &three);
    }
  }

  cudaUserObject_t object;
  check(cudaUserObjectCreate(&object, nullptr, on_destroy, 1, cudaUserObjectNoDestructorSync),
        "object");
  check(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove), "retain");
  cudaGraphExec_t exec;
  check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
  check(cudaGraphDestroy(graph), "destroy");
  check(cudaGraphLaunch(exec, stream), "launch");
  check(cudaStreamSynchronize(stream), "synchronize");
  printf("%x %x, %d calls, destroyed %d\n", results[0], results[kCount - 1], calls, destroyed);

  cudaLaunchAttributeValue window = {}, known = {};
  window.accessPolicyWindow.base_ptr = values;
  window.accessPolicyWindow.num_bytes = 256;
  window.accessPolicyWindow.hitRatio = 0.5f;
  check(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &window),
        "set window");
  check(cudaStreamGetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &known),
        "get window");
  printf("window %zu %g\n", known.accessPolicyWindow.num_bytes, known.accessPolicyWindow.hitRatio);
}
