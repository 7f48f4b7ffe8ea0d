// What calls of the runtime and steps of a chain cost on this GPU, in microseconds, as JSON:
//     nvcc -O3 -arch=native -cudart shared -o call_costs tests/hardware/call_costs.cu
//     ./call_costs > course/measured/nvidia-h200/call_costs.json
// Each figure is the median of 21 repetitions; a chain has 200 kernels of 4096 elements.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

constexpr int kElements = 4096, kThreads = 256, kBlocks = kElements / kThreads, kChain = 200, kTimes = 21;

__global__ void step(const float* x, float* y) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  y[i] = 0.5f * (x[i] + x[(i + 97) % kElements]);
}

void must(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
  std::exit(1);
}

double median_us(const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < kTimes + 3; ++i) {
    must(cudaDeviceSynchronize(), "before");
    const auto begin = std::chrono::steady_clock::now();
    work();
    must(cudaDeviceSynchronize(), "after");
    const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - begin;
    if (i >= 3) times.push_back(passed.count());
  }
  std::nth_element(times.begin(), times.begin() + kTimes / 2, times.end());
  return times[kTimes / 2];
}

void launch(bool early, const float* x, float* y, cudaStream_t stream) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(kBlocks);
  config.blockDim = dim3(kThreads);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  must(cudaLaunchKernelEx(&config, step, x, y), "cudaLaunchKernelEx");
}

void chain(bool early, bool waits, float* const rows[2], cudaStream_t stream) {
  for (int k = 0; k < kChain; ++k) {
    launch(early, rows[k % 2], rows[(k + 1) % 2], stream);
    if (waits) must(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
}

cudaGraph_t captured(bool early, float* const rows[2], cudaStream_t stream) {
  cudaGraph_t graph;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  chain(early, false, rows, stream);
  must(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  return graph;
}

}  // namespace

int main() {
  cudaStream_t stream;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  float* rows[2];
  for (float*& row : rows)
    must(cudaMalloc(&row, kElements * sizeof(float)), "cudaMalloc");
  must(cudaMemset(rows[0], 0, kElements * sizeof(float)), "cudaMemset");
  cudaDeviceProp device;
  must(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  std::printf("{\"device\": \"%s\"", device.name);
  const auto tell = [](const char* name, double us) { std::printf(",\n \"%s\": %.3f", name, us); };
  tell("launch_us", median_us([&] { chain(false, false, rows, stream); }) / kChain);
  tell("launch_and_wait_us", median_us([&] { chain(false, true, rows, stream); }) / kChain);
  tell("dependent_launch_us", median_us([&] { chain(true, false, rows, stream); }) / kChain);
  tell("malloc_and_free_us", median_us([&] {
         void* made;
         must(cudaMalloc(&made, kElements * sizeof(float)), "cudaMalloc");
         must(cudaFree(made), "cudaFree");
       }));
  tell("blocking_copy_us", median_us([&] {
         must(cudaMemcpy(rows[1], rows[0], kElements * sizeof(float), cudaMemcpyDeviceToDevice), "cudaMemcpy");
       }));
  for (const bool early : {false, true}) {
    const cudaGraph_t graph = captured(early, rows, stream);
    cudaGraphExec_t exec = nullptr;
    tell(early ? "instantiate_dependent_us" : "instantiate_us", median_us([&] {
           if (exec) must(cudaGraphExecDestroy(exec), "cudaGraphExecDestroy");
           must(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
         }));
    tell(early ? "dependent_graph_node_us" : "graph_node_us",
         median_us([&] { must(cudaGraphLaunch(exec, stream), "cudaGraphLaunch"); }) / kChain);
  }
  std::printf("}\n");
}
