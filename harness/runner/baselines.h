// The baselines of rungs: the names for `baseline` in a lab.toml, the library of each, and how to
// get it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::runner {

// A library that a baseline opens with dlopen.
struct LibraryKind {
  std::string_view name;     // "cuBLAS"
  std::string_view soname;   // "libcublas.so.13"
  std::string_view install;  // how to get it: a command or a sentence
};

inline constexpr LibraryKind kCublas = {
    "cuBLAS", "libcublas.so.13", "it is part of the CUDA Toolkit: apt-get install libcublas-13-0"};
inline constexpr LibraryKind kCublasLt = {
    "cuBLASLt", "libcublasLt.so.13",
    "it comes with cuBLAS, in the CUDA Toolkit: apt-get install libcublas-13-0"};
inline constexpr LibraryKind kCudnn = {"cuDNN", "libcudnn.so.9", "apt-get install cudnn9-cuda-13"};
inline constexpr LibraryKind kCusparse = {
    "cuSPARSE", "libcusparse.so.12",
    "it is part of the CUDA Toolkit: apt-get install libcusparse-13-0"};
inline constexpr LibraryKind kNccl = {"NCCL", "libnccl.so.2", "apt-get install libnccl2"};

// The code of a baseline: make_baseline (child/baseline.h) has a case for each.
enum class BaselineCode {
  device_copy,
  cublas_sgemm,
  cublas_gemm_ex,
  cublas_gemm_ex_autotuned,
  cublas_lt,
  cublas_lt_gelu_bias,
  best_of_cublas,
  cub_sum,
  cub_kernel,  // a call of CUB in the baseline's module
  cusparse_spmv,
  module_kernel,  // a kernel of the baseline's module
  cudnn_convolution,
  cudnn_attention,
  cudnn_attention_backward,
  nccl_all_reduce,
  nccl_all_gather_reduce_scatter,
  nccl_all_to_all,
  gemm_then_nccl,
  peer_copy,
};

struct BaselineKind {
  std::string_view name;  // "cublasSgemm"
  BaselineCode code;
  std::string_view words;                // "cuBLAS float32": the name in tables and verdicts
  std::string_view what;                 // one line
  const LibraryKind* library = nullptr;  // nullptr: needs none
  // The file of runner/modules that must be compiled first; "": none.
  std::string_view module = {};
  std::vector<std::string_view> problems;  // that it can solve; empty: any
  bool does(std::string_view problem) const;
};

std::span<const BaselineKind> baselines();
// Throws std::invalid_argument that lists the names.
const BaselineKind& find_baseline(std::string_view name);

// What a baseline reports after its preparation.
struct BaselineTrial {
  std::string name;  // "cublasLt heuristic 3"
  double time_ms = 0;
};
struct BaselineReport {
  std::string library;                // "cuBLAS 13.1.0"
  std::string chosen;                 // the name of the chosen trial; "" when there was no choice
  std::vector<BaselineTrial> trials;  // each candidate's median before the rounds
};

}  // namespace ridge::runner
