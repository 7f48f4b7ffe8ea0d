// Programmatic dependent launch: what a kernel does before it has waited for the one ahead of it.
#include "faulty.h"

constexpr int kElements = 1024, kThreads = 256;

// <<<...>>> with the attribute that lets the kernel begin before the one ahead has ended.
template <typename... Parameters, typename... Arguments>
void launch_early(cudaStream_t stream, void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(kElements / kThreads);
  config.blockDim = dim3(kThreads);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  must(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "cudaLaunchKernelEx");
}

__device__ int index() {
  return blockIdx.x * kThreads + threadIdx.x;
}

__global__ void produce(int* out) {
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  out[index()] = index();
}

// case dependent_read: race
// says dependent_read: before it has waited for the launch ahead of it
// cause dependent_read: dependency_wait
template <bool kFixed>
__global__ void consume(const int* in, const int* weights, int* out) {
  const int weight = weights[index()];
  if (kFixed) cudaGridDependencySynchronize();
  const int x = in[(index() + 1) % kElements];  // <- dependent_read
  cudaGridDependencySynchronize();
  out[index()] = x * weight;
}

// case dependent_never_waited: race
template <bool kFixed>
__global__ void consume_at_once(const int* in, int* out) {
  if (kFixed) cudaGridDependencySynchronize();
  out[index()] = 2 * in[index()];  // <- dependent_never_waited
}

// case dependent_overwrite: race
// cause dependent_overwrite: dependency_overwrite
__global__ void read_only(const int* in, int* out) {
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  out[index()] = in[index()];
}
template <bool kFixed>
__global__ void overwrite(int* in) {
  if (kFixed) cudaGridDependencySynchronize();
  in[index()] = 7;  // <- dependent_overwrite
  cudaGridDependencySynchronize();
}

// Two launches back: the kernel between lets this one begin before it has itself waited.
// case dependent_two_back: race
template <bool kFixed>
__global__ void consume_of_the_first(const int* in, int* out) {
  if (kFixed) cudaGridDependencySynchronize();
  const int x = in[index()];  // <- dependent_two_back
  cudaGridDependencySynchronize();
  out[index()] = x;
}
__global__ void between(int* other) {
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  other[index()] = 1;
}

// case dependent_captured_read: race
template <bool kFixed>
__global__ void consume_in_graph(const int* in, int* out) {
  if (kFixed) cudaGridDependencySynchronize();
  const int x = in[index()];  // <- dependent_captured_read
  cudaGridDependencySynchronize();
  out[index()] = x;
}

// Work between the two that waits for everything ahead: the launch is an ordinary one then.
// case dependent_host_waited: race
template <bool kFixed>
__global__ void consume_after_the_host(const int* in, int* out) {
  out[index()] = in[index()];  // <- dependent_host_waited
}

cudaStream_t made_stream() {
  cudaStream_t stream;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  return stream;
}

int main(int argc, char** argv) {
  const Case cases[] = {
      {"dependent_read",
       [](bool fixed) {
         const cudaStream_t stream = made_stream();
         int *a = zeros<int>(kElements), *b = zeros<int>(kElements), *weights = numbers<int>(kElements);
         must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
         produce<<<kElements / kThreads, kThreads, 0, stream>>>(a);
         launch_early(stream, fixed ? consume<true> : consume<false>, a, weights, b);
         must(cudaStreamSynchronize(stream), "dependent_read");
       }},
      {"dependent_never_waited",
       [](bool fixed) {
         const cudaStream_t stream = made_stream();
         int *a = zeros<int>(kElements), *b = zeros<int>(kElements);
         must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
         produce<<<kElements / kThreads, kThreads, 0, stream>>>(a);
         launch_early(stream, fixed ? consume_at_once<true> : consume_at_once<false>, a, b);
         must(cudaStreamSynchronize(stream), "dependent_never_waited");
       }},
      {"dependent_overwrite",
       [](bool fixed) {
         const cudaStream_t stream = made_stream();
         int *a = numbers<int>(kElements), *b = zeros<int>(kElements);
         must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
         read_only<<<kElements / kThreads, kThreads, 0, stream>>>(a, b);
         launch_early(stream, fixed ? overwrite<true> : overwrite<false>, a);
         must(cudaStreamSynchronize(stream), "dependent_overwrite");
       }},
      {"dependent_two_back",
       [](bool fixed) {
         const cudaStream_t stream = made_stream();
         int *a = zeros<int>(kElements), *b = zeros<int>(kElements), *c = zeros<int>(kElements);
         must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
         produce<<<kElements / kThreads, kThreads, 0, stream>>>(a);
         launch_early(stream, between, b);
         launch_early(stream, fixed ? consume_of_the_first<true> : consume_of_the_first<false>, a, c);
         must(cudaStreamSynchronize(stream), "dependent_two_back");
       }},
      {"dependent_captured_read",
       [](bool fixed) {
         const cudaStream_t stream = made_stream();
         int *a = zeros<int>(kElements), *b = zeros<int>(kElements);
         cudaGraph_t graph;
         cudaGraphExec_t exec;
         must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
         produce<<<kElements / kThreads, kThreads, 0, stream>>>(a);
         launch_early(stream, fixed ? consume_in_graph<true> : consume_in_graph<false>, a, b);
         must(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
         must(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
         for (int launch = 0; launch < 2; ++launch)
           must(cudaGraphLaunch(exec, stream), "cudaGraphLaunch");
         must(cudaStreamSynchronize(stream), "dependent_captured_read");
       }},
      {"dependent_host_waited",
       [](bool fixed) {
         const cudaStream_t stream = made_stream();
         int *a = zeros<int>(kElements), *b = zeros<int>(kElements);
         must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
         produce<<<kElements / kThreads, kThreads, 0, stream>>>(a);
         if (fixed) must(cudaStreamSynchronize(stream), "waiting for the producer");
         launch_early(stream, fixed ? consume_after_the_host<true> : consume_after_the_host<false>, a, b);
         must(cudaStreamSynchronize(stream), "dependent_host_waited");
       }},
  };
  return run_cases(cases, argc, argv);
}
