#include "harness/runner/child/baseline.h"

#include <algorithm>

#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/device_error.h"

namespace ridge::runner {

std::unique_ptr<Baseline> make_baseline(const std::string& name, const std::string& module) {
  find_baseline(name);
  if (name == "device_copy") return make_device_copy();
  if (name == "cublasSgemm") return make_cublas_sgemm();
  if (name == "cublasGemmEx") return make_cublas_gemm_ex(false);
  if (name == "cublasGemmEx_autotune") return make_cublas_gemm_ex(true);
  if (name == "cublasLt") return make_cublas_lt(Epilogue::none);
  if (name == "cublas_best") return make_best_of_cublas();
  if (name == "cub_sum") return make_cub_sum(module);
  if (name == "update_per_lookup" || name == "update_by_atomics") return make_module_kernel(name, module);
  if (name == "decode_stalled" || name == "decode_launches" || name == "decode_graph")
    return make_module_kernel(name, module);
  if (name == "cudnn_attention") return make_cudnn_attention();
  if (name == "device_read" || name.starts_with("unfused_")) return make_module_kernel(name, module);
  if (name == "cublasLt_gelu_bias") return make_cublas_lt(Epilogue::gelu_bias);
  if (name == "cudnn_convolution") return make_cudnn_convolution();
  if (name == "nccl_all_reduce") return make_nccl_all_reduce();
  throw std::logic_error("the baseline " + name + " has a name and no code");
}

double trial_ms(Baseline& baseline, const Work& work, const Slot& slot) {
  constexpr int kWarm = 2, kTimed = 7;
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start), "making an event");
  check(cudaEventCreate(&stop), "making an event");
  std::vector<float> times;
  for (int call = 0; call < kWarm + kTimed; ++call) {
    check(cudaEventRecord(start, work.stream), "recording an event");
    baseline.run(slot);
    check(cudaEventRecord(stop, work.stream), "recording an event");
    check(cudaStreamSynchronize(work.stream), "trying the baseline");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start, stop), "reading the events");
    if (call >= kWarm) times.push_back(ms);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  std::nth_element(times.begin(), times.begin() + kTimed / 2, times.end());
  return static_cast<double>(times[kTimed / 2]);
}

}  // namespace ridge::runner
