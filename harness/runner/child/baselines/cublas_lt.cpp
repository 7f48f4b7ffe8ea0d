// cublasLtMatmul with the fastest of the first 16 algorithms that its heuristic proposes for a
// workspace of 32 MiB (with the default of 0 bytes it omits the fast ones).
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/baselines/product.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

namespace {

using Opaque = void*;
using Create = int(Opaque*);
using DescriptionCreate = int(Opaque*, int compute_type, int scale_type);
using LayoutCreate = int(Opaque*, int type, uint64_t rows, uint64_t cols, int64_t stride);
using DescriptionSet = int(Opaque, int attribute, const void*, size_t);
using PreferenceSet = int(Opaque, int attribute, const void*, size_t);
using GetVersion = size_t();

// cublasLtMatmulHeuristicResult_t
struct Heuristic {
  uint64_t algorithm[8];
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};
using GetHeuristics = int(Opaque, Opaque, Opaque, Opaque, Opaque, Opaque, Opaque, int wanted, Heuristic*,
                          int* got);
using Matmul = int(Opaque, Opaque, const void*, const void*, Opaque, const void*, Opaque, const void*,
                   const void*, Opaque, void*, Opaque, const uint64_t*, void*, size_t, problems::Stream);

constexpr int kEpilogue = 7, kBiasPointer = 8;  // CUBLASLT_MATMUL_DESC_EPILOGUE, _BIAS_POINTER
constexpr int kGeluBias = 36;        // CUBLASLT_EPILOGUE_GELU_BIAS
constexpr int kTransposeFirst = 3;  // CUBLASLT_MATMUL_DESC_TRANSA
constexpr int kTransposed = 1;      // CUBLAS_OP_T
constexpr int kMostWorkspace = 1;   // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
constexpr size_t kWorkspaceBytes = 32 << 20;
constexpr int kHeuristics = 16;

class CublasLt : public Baseline {
 public:
  explicit CublasLt(Epilogue epilogue)
      : library_(Library::open(kCublasLt)),
        matmul_(library_.function<Matmul>("cublasLtMatmul")),
        epilogue_(epilogue) {}

  BaselineReport prepare(const Work& work, const Slot& trial) override {
    stream_ = work.stream;
    workspace_ = DeviceMemory(kWorkspaceBytes);
    expect_success(library_.function<Create>("cublasLtCreate")(&handle_), "cuBLASLt", "making a handle");
    describe(product_of(work), trial);
    BaselineReport report;
    report.library =
        "cuBLASLt " +
        version_text(static_cast<int>(library_.function<GetVersion>("cublasLtGetVersion")()), 100);
    std::vector<Heuristic> proposed = proposals();
    double best_ms = 0;
    for (size_t i = 0; i < proposed.size(); ++i) {
      const Heuristic previous = chosen_;
      chosen_ = proposed[i];
      const double ms = trial_ms(*this, work, trial);
      report.trials.push_back({fmt::format("cublasLt heuristic {}", i), ms});
      if (i > 0 && ms >= best_ms) {
        chosen_ = previous;
        continue;
      }
      best_ms = ms;
      report.chosen = report.trials.back().name;
    }
    return report;
  }

  void run(const Slot& slot) override {
    const float one = 1, zero = 0;
    if (epilogue_ == Epilogue::gelu_bias) set(kBiasPointer, slot.pointers[2], "giving it the bias");
    void* const c = slot.pointers.back();
    expect_success(matmul_(handle_, description_, &one, slot.pointers[1], b_, slot.pointers[0], a_, &zero,
                           c, c_, c, c_, chosen_.algorithm, workspace_.start(),
                           kWorkspaceBytes, stream_),
                   "cuBLASLt", "cublasLtMatmul");
  }

 private:
  template <typename T>
  void set(int attribute, T value, std::string_view doing) {
    expect_success(library_.function<DescriptionSet>("cublasLtMatmulDescSetAttribute")(description_, attribute,
                                                                                       &value, sizeof value),
                   "cuBLASLt", doing);
  }

  // The bias has one number per row of the column-major result, a column of ours.
  void describe(const Product& product, const Slot& trial) {
    const auto [m, n, k, type, result_type, b_along_k] = product;
    expect_success(library_.function<DescriptionCreate>("cublasLtMatmulDescCreate")(
                       &description_, kComputeFloat32, kRealFloat32),
                   "cuBLASLt", "describing the product");
    auto* layout = library_.function<LayoutCreate>("cublasLtMatrixLayoutCreate");
    auto u = [](int size) { return static_cast<uint64_t>(size); };
    if (b_along_k) {
      set(kTransposeFirst, kTransposed, "transposing B");
      expect_success(layout(&b_, type, u(k), u(n), k), "cuBLASLt", "describing B");
    } else {
      expect_success(layout(&b_, type, u(n), u(k), n), "cuBLASLt", "describing B");
    }
    expect_success(layout(&a_, type, u(k), u(m), k), "cuBLASLt", "describing A");
    expect_success(layout(&c_, result_type, u(n), u(m), n), "cuBLASLt", "describing C");
    if (epilogue_ == Epilogue::none) return;
    set(kEpilogue, kGeluBias, "asking for GELU and the bias");
    set(kBiasPointer, trial.pointers[2], "giving it the bias");
  }

  std::vector<Heuristic> proposals() {
    Opaque preference = nullptr;
    expect_success(library_.function<Create>("cublasLtMatmulPreferenceCreate")(&preference), "cuBLASLt",
                   "making a preference");
    const uint64_t bytes = kWorkspaceBytes;
    expect_success(library_.function<PreferenceSet>("cublasLtMatmulPreferenceSetAttribute")(
                       preference, kMostWorkspace, &bytes, sizeof bytes),
                   "cuBLASLt", "allowing a workspace");
    std::vector<Heuristic> found(kHeuristics);
    int count = 0;
    expect_success(library_.function<GetHeuristics>("cublasLtMatmulAlgoGetHeuristic")(
                       handle_, description_, b_, a_, c_, c_, preference, kHeuristics, found.data(), &count),
                   "cuBLASLt", "asking for algorithms");
    found.resize(static_cast<size_t>(std::clamp(count, 0, kHeuristics)));
    std::erase_if(found, [](const Heuristic& one) { return one.state != 0; });
    if (found.empty()) throw std::runtime_error("cuBLASLt proposes no algorithm for this product");
    return found;
  }

  Library library_;
  Matmul* matmul_;
  Epilogue epilogue_;
  problems::Stream stream_ = nullptr;
  DeviceMemory workspace_;
  Opaque handle_ = nullptr, description_ = nullptr, a_ = nullptr, b_ = nullptr, c_ = nullptr;
  Heuristic chosen_{};
};

}  // namespace

std::unique_ptr<Baseline> make_cublas_lt(Epilogue epilogue) {
  return std::make_unique<CublasLt>(epilogue);
}

}  // namespace ridge::runner
