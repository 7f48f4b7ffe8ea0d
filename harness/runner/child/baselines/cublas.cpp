// cublasSgemm and cublasGemmEx.
#include <cstdlib>
#include <stdexcept>

#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/baselines/product.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

Product product_of(const Work& work) {
  if (std::getenv("NVIDIA_TF32_OVERRIDE"))
    throw std::runtime_error(
        "NVIDIA_TF32_OVERRIDE is set, which turns the library's float32 products into TF32; unset it");
  if (work.sizes.size() != 3 || work.problem->buffers(work.sizes).size() < 3)
    throw std::runtime_error("the problem " + std::string(work.problem->id) + " is not a matrix product");
  Product product{static_cast<int>(work.sizes[0]), static_cast<int>(work.sizes[1]),
                  static_cast<int>(work.sizes[2])};
  switch (work.problem->buffers(work.sizes)[0].type) {
    case problems::Type::float32:
      break;
    case problems::Type::float16:
      product.type = product.result_type = kRealFloat16;
      break;
    case problems::Type::bfloat16:
      product.type = product.result_type = kRealBfloat16;
      break;
    case problems::Type::float8_e4m3:
      product.type = kRealFloat8E4m3;
      product.result_type = kRealBfloat16;
      break;
    case problems::Type::int32:
    case problems::Type::int64:
      throw std::runtime_error("cuBLAS has no product of such integers");
  }
  // Query the layout with a shape whose extents are all different.
  product.b_along_k = work.problem->buffers({1, 2, 3})[1].extent.front() == 2;
  return product;
}

namespace {

using Handle = void*;
using Create = int(Handle*);
using SetStream = int(Handle, problems::Stream);
using SetWorkspace = int(Handle, void*, size_t);
using GetVersion = int(Handle, int*);
using Sgemm = int(Handle, int, int, int, int, int, const float*, const float*, int, const float*, int,
                  const float*, float*, int);
using GemmEx = int(Handle, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                   const void*, void*, int, int, int, int);

constexpr int kPlain = 0, kTransposed = 1;              // cublasOperation_t
constexpr int kDefaultAlgorithm = -1, kAutotune = 999;  // cublasGemmAlgo_t
constexpr int64_t kWorkspaceBytes = 32 << 20;           // NVIDIA's recommendation for Hopper

// A handle with the work's stream and a workspace.
class CublasBaseline : public Baseline {
 public:
  CublasBaseline() : library_(Library::open(kCublas)) {}

  BaselineReport prepare(const Work& work, const Slot&) override {
    product_ = product_of(work);
    expect_success(library_.function<Create>("cublasCreate_v2")(&handle_), "cuBLAS", "making a handle");
    expect_success(library_.function<SetStream>("cublasSetStream_v2")(handle_, work.stream), "cuBLAS",
                   "setting its stream");
    workspace_ = DeviceMemory(kWorkspaceBytes);
    expect_success(library_.function<SetWorkspace>("cublasSetWorkspace_v2")(handle_, workspace_.start(),
                                                                            kWorkspaceBytes),
                   "cuBLAS", "giving it a workspace");
    int version = 0;
    expect_success(library_.function<GetVersion>("cublasGetVersion_v2")(handle_, &version), "cuBLAS",
                   "asking for its version");
    return {"cuBLAS " + version_text(version, 100), "", {}};
  }

 protected:
  Library library_;
  Handle handle_ = nullptr;
  DeviceMemory workspace_;
  Product product_;
};

class CublasSgemm : public CublasBaseline {
 public:
  CublasSgemm() : sgemm_(library_.function<Sgemm>("cublasSgemm_v2")) {}
  void run(const Slot& slot) override {
    const float one = 1, zero = 0;
    const int m = product_.m, n = product_.n, k = product_.k;
    expect_success(sgemm_(handle_, kPlain, kPlain, n, m, k, &one, static_cast<const float*>(slot.pointers[1]),
                          n, static_cast<const float*>(slot.pointers[0]), k, &zero,
                          static_cast<float*>(slot.pointers[2]), n),
                   "cuBLAS", "cublasSgemm");
  }

 private:
  Sgemm* sgemm_;
};

class CublasGemmEx : public CublasBaseline {
 public:
  explicit CublasGemmEx(bool autotune)
      : gemm_(library_.function<GemmEx>("cublasGemmEx")),
        algorithm_(autotune ? kAutotune : kDefaultAlgorithm) {}
  // The first call with CUBLAS_GEMM_AUTOTUNE tries the algorithms and keeps the choice in the
  // handle.
  BaselineReport prepare(const Work& work, const Slot& trial) override {
    BaselineReport report = CublasBaseline::prepare(work, trial);
    report.trials.push_back(
        {algorithm_ == kAutotune ? "cublasGemmEx autotuned" : "cublasGemmEx", trial_ms(*this, work, trial)});
    return report;
  }
  void run(const Slot& slot) override {
    const float one = 1, zero = 0;
    const auto [m, n, k, type, result_type, b_along_k] = product_;
    expect_success(gemm_(handle_, b_along_k ? kTransposed : kPlain, kPlain, n, m, k, &one, slot.pointers[1],
                         type, b_along_k ? k : n, slot.pointers[0], type, k, &zero, slot.pointers[2],
                         result_type, n, kComputeFloat32, algorithm_),
                   "cuBLAS", "cublasGemmEx");
  }

 private:
  GemmEx* gemm_;
  int algorithm_;
};

// Tries several and keeps the fastest on the trial.
class BestOfCublas : public Baseline {
 public:
  BaselineReport prepare(const Work& work, const Slot& trial) override {
    BaselineReport all;
    double best_ms = 0;
    for (auto make : {+[] { return make_cublas_gemm_ex(false); }, +[] { return make_cublas_gemm_ex(true); },
                      +[] { return make_cublas_lt(Epilogue::none); }}) {
      std::unique_ptr<Baseline> candidate = make();
      BaselineReport report = candidate->prepare(work, trial);
      double ms = trial_ms(*candidate, work, trial);
      all.trials.insert(all.trials.end(), report.trials.begin(), report.trials.end());
      if (best_ && ms >= best_ms) continue;
      best_ms = ms;
      best_ = std::move(candidate);
      all.library = report.library;
      all.chosen = report.chosen.empty() ? report.trials.front().name : report.chosen;
    }
    return all;
  }
  void run(const Slot& slot) override { best_->run(slot); }

 private:
  std::unique_ptr<Baseline> best_;
};

}  // namespace

std::unique_ptr<Baseline> make_cublas_sgemm() {
  return std::make_unique<CublasSgemm>();
}
std::unique_ptr<Baseline> make_cublas_gemm_ex(bool autotune) {
  return std::make_unique<CublasGemmEx>(autotune);
}
std::unique_ptr<Baseline> make_best_of_cublas() {
  return std::make_unique<BestOfCublas>();
}

}  // namespace ridge::runner
