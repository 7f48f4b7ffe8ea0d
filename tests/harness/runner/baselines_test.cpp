// Baselines without a GPU: a made-up cuBLAS beside the virtual GPU's runtime, and libraries that are not
// there.
#include "harness/runner/baselines.h"

#include <filesystem>

#include "harness/problems/compare.h"
#include "harness/runner/child/baselines/product.h"
#include "harness/runner/session.h"
#include "tests/catch.h"

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#endif

using namespace ridge;
namespace fs = std::filesystem;

namespace {

runner::Session started(const fs::path& libraries) {
  runner::SessionOptions options;
  options.installation = runner::find_installation();
  options.library_folder = libraries;
  return runner::Session(options);
}

fs::path virtual_libraries() {
  return runner::find_installation().virtual_libraries;
}

// The virtual GPU's runtime with a cuBLAS beside it.
fs::path with_fakes() {
  const fs::path folder = fs::path(RIDGE_BINARY_DIR) / "lib" / "tests" / "fakes";
  fs::copy_file(virtual_libraries() / "libcudart.so.13", folder / "libcudart.so.13",
                fs::copy_options::update_existing);
  return folder;
}

std::vector<problems::Case> sets_of(const char* problem, const problems::Sizes& sizes, int count) {
  std::vector<problems::Case> sets;
  for (int i = 0; i < count; ++i)
    sets.push_back(
        problems::make_case(problems::find_problem(problem), sizes, problems::Draw::uniform, 7 + i));
  return sets;
}

}  // namespace

TEST_CASE("cublasSgemm gets row-major matrices as transposed column-major ones") {
  runner::Session session = started(with_fakes());
  const auto sets = sets_of("gemm", {5, 7, 3}, 2);
  auto prepared = session.prepare({sets, "cublasSgemm", {}, {}});
  if (auto* failure = std::get_if<runner::Failure>(&prepared)) FAIL(failure->text);
  CHECK(std::get<runner::BaselineReport>(prepared).library == "cuBLAS 13.1.2");
  const std::vector<size_t> order = {1, 0};
  REQUIRE(std::holds_alternative<runner::PassRun>(session.pass(runner::Side::baseline, order, false)));
  for (size_t slot = 0; slot < 2; ++slot) {
    auto answer = session.collect(slot, 0);
    REQUIRE(std::holds_alternative<std::vector<runner::Returned>>(answer));
    const problems::Case& given = sets[order[slot]];
    const problems::Expected expected = given.problem->reference(given).front();
    const auto& got = std::get<std::vector<runner::Returned>>(answer)[2].data;
    CHECK(problems::compare(given.buffers[2], expected, got).right());
  }
}

TEST_CASE("a library that lacks a function or does not exist is reported missing by name") {
  runner::Session session = started(with_fakes());
  auto lacking = session.prepare({sets_of("gemm", {4, 4, 4}, 1), "cublasGemmEx", {}, {}});
  auto* failure = std::get_if<runner::Failure>(&lacking);
  REQUIRE(failure);
  CHECK(failure->stage == runner::Failure::Stage::missing);
  CHECK(failure->name == "cuBLAS");
  CHECK(failure->text.find("cublasGemmEx") != std::string::npos);
  auto absent = session.prepare({sets_of("sum", {1000}, 1), "cub_sum", {}, "/no/such/module.so"});
  failure = std::get_if<runner::Failure>(&absent);
  REQUIRE(failure);
  CHECK(failure->stage == runner::Failure::Stage::missing);
  CHECK(failure->name == "CUB");
  CHECK(failure->text.find("/no/such/module.so") != std::string::npos);
  // The child goes on.
  CHECK(std::holds_alternative<runner::BaselineReport>(
      session.prepare({sets_of("sum", {1000}, 1), "device_copy", {}, {}})));
}

TEST_CASE("every baseline has a description and fits an existing problem, and unknown names are "
          "refused") {
  for (const runner::BaselineKind& kind : runner::baselines()) {
    INFO(kind.name);
    CHECK_FALSE(kind.words.empty());
    CHECK_FALSE(kind.what.empty());
    for (std::string_view problem : kind.problems)
      CHECK_NOTHROW(problems::find_problem(problem));
    if (kind.library) CHECK_FALSE(kind.library->install.empty());
  }
  CHECK(runner::find_baseline("cublasSgemm").does("gemm"));
  CHECK_FALSE(runner::find_baseline("cublasSgemm").does("scale"));
  CHECK(runner::find_baseline("device_copy").does("scale"));
  CHECK_THROWS_WITH(runner::find_baseline("cublas"), Catch::Contains("cublasSgemm"));
}

#if __has_include(<cublasLt.h>)
TEST_CASE("our declarations of cuBLAS equal those of its headers") {
  CHECK(runner::kRealFloat32 == CUDA_R_32F);
  CHECK(runner::kRealFloat16 == CUDA_R_16F);
  CHECK(runner::kRealBfloat16 == CUDA_R_16BF);
  CHECK(runner::kComputeFloat32 == CUBLAS_COMPUTE_32F);
  CHECK(sizeof(cublasLtMatmulAlgo_t) == 64);
  CHECK(sizeof(cublasLtMatmulHeuristicResult_t) == 64 + 8 + 4 + 4 + 16);
  CHECK(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES == 1);
  CHECK(static_cast<int>(CUBLAS_GEMM_AUTOTUNE) == 999);
  // Attributes of the epilogue, as cublas_lt.cpp sets them.
  CHECK(CUBLASLT_MATMUL_DESC_EPILOGUE == 7);
  CHECK(CUBLASLT_MATMUL_DESC_BIAS_POINTER == 8);
  CHECK(CUBLASLT_EPILOGUE_GELU_BIAS == 36);
}
#endif
