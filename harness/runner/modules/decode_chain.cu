// Baselines of lab 12: a chain of small kernels for each of several tokens, with stalls, with plain
// launches, and as a CUDA graph. They do what solutions/12-launch-overhead/ 1 (before and after)
// and 2 do.
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kThreads = 256;

__global__ void begin_token(const float* token, const float* previous, float* x, int width) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < width) x[i] = token[i] + (previous == nullptr ? 0 : 0.5f * previous[i]);
}

__global__ void mix_layer(const float* x, const float* weights, float* y, int layer, int width) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < width) y[i] = 0.5f * (x[i] + weights[i] * x[(i + 97 * (layer + 1)) % width]);
}

struct Chain {
  const float *tokens, *weights;
  float* out;
  int count, layers, width, blocks;

  Chain(void* const* buffers, const int64_t* sizes)
      : tokens(static_cast<const float*>(buffers[0])),
        weights(static_cast<const float*>(buffers[1])),
        out(static_cast<float*>(buffers[2])),
        count(static_cast<int>(sizes[0])),
        layers(static_cast<int>(sizes[1])),
        width(static_cast<int>(sizes[2])),
        blocks((width + kThreads - 1) / kThreads) {}

  int64_t at(int row) const { return static_cast<int64_t>(row) * width; }
  const float* previous(int t) const { return t == 0 ? nullptr : out + at(t - 1); }
  float* target(int t, int layer, float* work) const {
    return layer == layers - 1 ? out + at(t) : work + at((layer + 1) % 2);
  }
};

void launch_token(const Chain& chain, int t, float* work, bool stalls, cudaStream_t stream) {
  begin_token<<<chain.blocks, kThreads, 0, stream>>>(chain.tokens + chain.at(t), chain.previous(t), work, chain.width);
  if (stalls) cudaStreamSynchronize(stream);
  for (int layer = 0; layer < chain.layers; ++layer) {
    mix_layer<<<chain.blocks, kThreads, 0, stream>>>(work + chain.at(layer % 2), chain.weights + chain.at(layer),
                                                     chain.target(t, layer, work), layer, chain.width);
    if (stalls) cudaStreamSynchronize(stream);
  }
}

// Two rows, kept between calls.
float* workspace(const Chain& chain) {
  static float* kept = nullptr;
  static int64_t elements = 0;
  if (2 * chain.at(1) > elements) {
    cudaFree(kept);
    elements = 2 * chain.at(1);
    if (cudaMalloc(&kept, elements * sizeof(float)) != cudaSuccess) elements = 0;
  }
  return kept;
}

}  // namespace

extern "C" int ridge_decode_stalled(void* const* buffers, const int64_t* sizes, const double*, cudaStream_t stream) {
  const Chain chain(buffers, sizes);
  for (int t = 0; t < chain.count; ++t) {
    float* work = nullptr;
    cudaMalloc(&work, 2 * chain.at(1) * sizeof(float));
    launch_token(chain, t, work, true, stream);
    cudaFree(work);
  }
  return cudaGetLastError();
}

extern "C" int ridge_decode_launches(void* const* buffers, const int64_t* sizes, const double*, cudaStream_t stream) {
  const Chain chain(buffers, sizes);
  float* const work = workspace(chain);
  for (int t = 0; t < chain.count; ++t)
    launch_token(chain, t, work, false, stream);
  return cudaGetLastError();
}

extern "C" int ridge_decode_graph(void* const* buffers, const int64_t* sizes, const double*, cudaStream_t stream) {
  const Chain chain(buffers, sizes);
  float* const work = workspace(chain);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  launch_token(chain, 0, work, false, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphNode_t first = nullptr, last = nullptr;
  size_t one = 1, edges = 0;
  cudaGraphGetRootNodes(graph, &first, &one);
  // The last node is the one that no other depends on: in a chain, the end of the last edge.
  cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
  cudaGraphNode_t* const from = new cudaGraphNode_t[edges];
  cudaGraphNode_t* const to = new cudaGraphNode_t[edges];
  cudaGraphGetEdges(graph, from, to, nullptr, &edges);
  for (size_t e = 0; e < edges; ++e) {
    bool goes_on = false;
    for (size_t f = 0; f < edges; ++f)
      goes_on |= from[f] == to[e];
    if (!goes_on) last = to[e];
  }
  delete[] from;
  delete[] to;
  for (int t = 0; t < chain.count; ++t) {
    const float *token = chain.tokens + chain.at(t), *previous = chain.previous(t);
    float* x = work;
    int layer = chain.layers - 1, width = chain.width;
    void* begin_arguments[] = {&token, &previous, &x, &width};
    cudaKernelNodeParams parameters = {};
    parameters.func = reinterpret_cast<void*>(begin_token);
    parameters.gridDim = dim3(chain.blocks);
    parameters.blockDim = dim3(kThreads);
    parameters.kernelParams = begin_arguments;
    cudaGraphExecKernelNodeSetParams(exec, first, &parameters);
    const float *from_row = work + chain.at(layer % 2), *weights = chain.weights + chain.at(layer);
    float* y = chain.target(t, layer, work);
    void* mix_arguments[] = {&from_row, &weights, &y, &layer, &width};
    parameters.func = reinterpret_cast<void*>(mix_layer);
    parameters.kernelParams = mix_arguments;
    cudaGraphExecKernelNodeSetParams(exec, last, &parameters);
    cudaGraphLaunch(exec, stream);
  }
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  return cudaGetLastError();
}
