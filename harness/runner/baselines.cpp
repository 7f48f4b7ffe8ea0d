#include "harness/runner/baselines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace ridge::runner {

namespace {

constexpr LibraryKind kCublas = {"cuBLAS", "libcublas.so.13",
                                 "it is part of the CUDA Toolkit: apt-get install libcublas-13-0"};
constexpr LibraryKind kCublasLt = {
    "cuBLASLt", "libcublasLt.so.13",
    "it comes with cuBLAS, in the CUDA Toolkit: apt-get install libcublas-13-0"};
constexpr LibraryKind kCudnn = {"cuDNN", "libcudnn.so.9", "apt-get install cudnn9-cuda-13"};
constexpr LibraryKind kNccl = {"NCCL", "libnccl.so.2", "apt-get install libnccl2"};

}  // namespace

bool BaselineKind::does(std::string_view problem) const {
  return problems.empty() || std::find(problems.begin(), problems.end(), problem) != problems.end();
}

std::span<const BaselineKind> baselines() {
  static const std::vector<BaselineKind> kinds = {
      {"device_copy",
       "device copy",
       "cudaMemcpyAsync of half the bytes that the problem moves",
       nullptr,
       "",
       {}},
      {"cublasSgemm",
       "cublasSgemm",
       "float32 product, never TF32",
       &kCublas,
       "",
       {"gemm", "gemm_whole_tiles"}},
      {"cublasGemmEx",
       "cublasGemmEx",
       "product of the problem's type, cuBLAS's default choice",
       &kCublas,
       "",
       {"gemm", "gemm_bf16"}},
      {"cublasGemmEx_autotune",
       "cublasGemmEx (autotuned)",
       "the same with CUBLAS_GEMM_AUTOTUNE",
       &kCublas,
       "",
       {"gemm", "gemm_bf16"}},
      {"cublasLt",
       "cublasLt",
       "the fastest of the first 16 heuristics, with a 32 MiB workspace",
       &kCublasLt,
       "",
       {"gemm", "gemm_bf16", "gemm_fp8"}},
      {"cublas_best",
       "best of cuBLAS",
       "the fastest of cublasGemmEx, the same autotuned, and cublasLt's heuristics",
       &kCublas,
       "",
       {"gemm", "gemm_bf16"}},
      {"cub_sum", "CUB", "cub::DeviceReduce::Sum", nullptr, "cub_sum", {"sum"}},
      {"update_per_lookup",
       "naive update",
       "a thread per lookup that adds its gradient to the row, one float at a time",
       nullptr,
       "update_per_lookup",
       {"embedding_update", "embedding_update_repeatable"}},
      {"update_by_atomics",
       "update by atomics",
       "a warp per lookup that adds its gradient to the row, 16 bytes per lane and reduction",
       nullptr,
       "update_by_atomics",
       {"embedding_update", "embedding_update_repeatable"}},
      {"decode_stalled",
       "the stalled start",
       "a kernel per step, with a synchronization after each, and buffers allocated for each token",
       nullptr,
       "decode_chain",
       {"decode_chain"}},
      {"decode_launches",
       "stream launches",
       "a kernel per step, launched one after the other into the stream",
       nullptr,
       "decode_chain",
       {"decode_chain"}},
      {"decode_graph",
       "CUDA graph",
       "a graph of one token's kernels, launched for each token with updated parameters",
       nullptr,
       "decode_chain",
       {"decode_chain"}},
      {"unfused_bias_gelu",
       "unfused kernels",
       "a kernel per operation: the bias, GELU",
       nullptr,
       "unfused",
       {"bias_gelu"}},
      {"unfused_dropout",
       "unfused kernels",
       "a kernel per operation: the bias, the mask, its product, the factor, the residual",
       nullptr,
       "unfused",
       {"bias_dropout_residual"}},
      {"unfused_dropout_backward",
       "unfused kernels",
       "a kernel per operation: the mask, its product, the factor, the sums of columns",
       nullptr,
       "unfused",
       {"dropout_backward"}},
      {"unfused_layer_norm",
       "unfused kernels",
       "a kernel per operation: the sum, means, variances, the normalised rows, weight and bias",
       nullptr,
       "unfused",
       {"residual_layer_norm"}},
      {"unfused_cross_entropy",
       "unfused kernels",
       "a kernel per operation: maxima, exponentials (stored), their sums, the losses",
       nullptr,
       "unfused",
       {"cross_entropy"}},
      {"device_read",
       "pure read",
       "a kernel that only reads the bytes of the inputs",
       nullptr,
       "device_read",
       {"cross_entropy"}},
      {"cublasLt_gelu_bias",
       "cublasLt GELU_BIAS",
       "the fastest of the first 16 heuristics with the epilogue GELU_BIAS, with a 32 MiB workspace",
       &kCublasLt,
       "",
       {"gemm_bias_gelu"}},
      {"cudnn_convolution",
       "cuDNN",
       "forward convolution in NHWC, the fastest of its algorithms",
       &kCudnn,
       "",
       {"convolution"}},
      {"cudnn_attention",
       "cuDNN",
       "fused attention in the problem's layout, the fastest of its graph API's plans",
       &kCudnn,
       "",
       {"attention"}},
      {"nccl_all_reduce",
       "NCCL",
       "ncclAllReduce of half the problem's bytes over all GPUs of this machine, NVLS off",
       &kNccl,
       "",
       {}},
  };
  return kinds;
}

const BaselineKind& find_baseline(std::string_view name) {
  std::vector<std::string_view> names;
  for (const BaselineKind& kind : baselines()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw std::invalid_argument(
      fmt::format("there is no baseline \"{}\"; there are: {}", name, fmt::join(names, ", ")));
}

}  // namespace ridge::runner
