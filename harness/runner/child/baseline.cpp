#include "harness/runner/child/baseline.h"

#include <algorithm>

#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/device_error.h"

namespace ridge::runner {

std::unique_ptr<Baseline> make_baseline(const std::string& name, const std::string& module) {
  switch (find_baseline(name).code) {
    case BaselineCode::device_copy:
      return make_device_copy();
    case BaselineCode::cublas_sgemm:
      return make_cublas_sgemm();
    case BaselineCode::cublas_gemm_ex:
      return make_cublas_gemm_ex(false);
    case BaselineCode::cublas_gemm_ex_autotuned:
      return make_cublas_gemm_ex(true);
    case BaselineCode::cublas_lt:
      return make_cublas_lt(Epilogue::none);
    case BaselineCode::cublas_lt_gelu_bias:
      return make_cublas_lt(Epilogue::gelu_bias);
    case BaselineCode::best_of_cublas:
      return make_best_of_cublas();
    case BaselineCode::cub_sum:
      return make_cub_sum(module);
    case BaselineCode::cub_kernel:
      return make_cub_kernel(name, module);
    case BaselineCode::cusparse_spmv:
      return make_cusparse_spmv();
    case BaselineCode::module_kernel:
      return make_module_kernel(name, module);
    case BaselineCode::cudnn_convolution:
      return make_cudnn_convolution();
    case BaselineCode::cudnn_attention:
      return make_cudnn_attention();
    case BaselineCode::cudnn_attention_backward:
      return make_cudnn_attention_backward();
    case BaselineCode::nccl_all_reduce:
      return make_nccl(NcclWork::all_reduce);
    case BaselineCode::nccl_all_gather_reduce_scatter:
      return make_nccl(NcclWork::all_gather_reduce_scatter);
    case BaselineCode::nccl_all_to_all:
      return make_nccl(NcclWork::all_to_all);
    case BaselineCode::gemm_then_nccl:
      return make_nccl(NcclWork::gemm_reduce_scatter);
    case BaselineCode::peer_copy:
      return make_peer_copy();
  }
  throw std::logic_error("the baseline " + name + " has no code");
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
