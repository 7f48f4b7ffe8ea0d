// The constructors of all baselines; make_baseline chooses.
#pragma once

#include "harness/runner/child/baseline.h"

namespace ridge::runner {

std::unique_ptr<Baseline> make_device_copy();
std::unique_ptr<Baseline> make_cublas_sgemm();
std::unique_ptr<Baseline> make_cublas_gemm_ex(bool autotune);
enum class Epilogue { none, gelu_bias };  // what follows the product
std::unique_ptr<Baseline> make_cublas_lt(Epilogue epilogue);
std::unique_ptr<Baseline> make_best_of_cublas();
std::unique_ptr<Baseline> make_cub_sum(const std::string& module);
std::unique_ptr<Baseline> make_cub_kernel(const std::string& name, const std::string& module);
std::unique_ptr<Baseline> make_cusparse_spmv();
std::unique_ptr<Baseline> make_module_kernel(const std::string& name, const std::string& module);
std::unique_ptr<Baseline> make_cudnn_attention();
std::unique_ptr<Baseline> make_cudnn_attention_backward();
std::unique_ptr<Baseline> make_cudnn_convolution();
enum class NcclWork { all_reduce, all_gather_reduce_scatter, all_to_all, gemm_reduce_scatter };
std::unique_ptr<Baseline> make_nccl(NcclWork work);
std::unique_ptr<Baseline> make_peer_copy();

}  // namespace ridge::runner
