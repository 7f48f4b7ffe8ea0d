#include "harness/runner/child/baselines/rank_products.h"

#include "harness/runner/child/baselines/product.h"
#include "harness/runner/child/rank_devices.h"

namespace ridge::runner {

namespace {

constexpr int kPlain = 0, kTransposed = 1;     // cublasOperation_t
constexpr int kDefaultAlgorithm = -1;          // cublasGemmAlgo_t
constexpr int64_t kWorkspaceBytes = 32 << 20;  // NVIDIA's recommendation for Hopper

}  // namespace

RankProducts::RankProducts(const Work& work)
    : library_(Library::open(kCublas)), gemm_(library_.function<GemmEx>("cublasGemmEx")) {
  m_ = static_cast<int>(work.sizes.at(0) * work.sizes.at(1));
  n_ = static_cast<int>(work.sizes.at(2));
  k_ = static_cast<int>(work.sizes.at(3));
  auto* const create = library_.function<int(void**)>("cublasCreate_v2");
  auto* const set_stream = library_.function<int(void*, problems::Stream)>("cublasSetStream_v2");
  auto* const set_workspace = library_.function<int(void*, void*, size_t)>("cublasSetWorkspace_v2");
  for (size_t rank = 0; rank < work.streams.size(); ++rank) {
    const OnDevice on(static_cast<int>(rank));
    expect_success(create(&handles_.emplace_back()), "cuBLAS", "making a handle");
    expect_success(set_stream(handles_.back(), work.streams[rank]), "cuBLAS", "setting its stream");
    workspaces_.emplace_back(kWorkspaceBytes);
    expect_success(set_workspace(handles_.back(), workspaces_.back().start(), kWorkspaceBytes), "cuBLAS",
                   "giving it a workspace");
  }
}

void RankProducts::enqueue(const Slot& slot, const std::vector<void*>& results) {
  const float one = 1, zero = 0;
  const size_t ranks = handles_.size();
  for (size_t rank = 0; rank < ranks; ++rank) {
    const OnDevice on(static_cast<int>(rank));
    expect_success(gemm_(handles_[rank], kTransposed, kPlain, n_, m_, k_, &one, slot.pointers[ranks + rank],
                         kRealBfloat16, k_, slot.pointers[rank], kRealBfloat16, k_, &zero, results[rank],
                         kRealBfloat16, n_, kComputeFloat32, kDefaultAlgorithm),
                   "cuBLAS", "cublasGemmEx");
  }
}

}  // namespace ridge::runner
