// Which settings are left out, and why in words; and the real nvcc over a file of four settings.
#include "harness/tune/candidates.h"

#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/cuda_compiler.h"

using namespace ridge;
using tune::Candidate;
using tune::Pruned;

namespace {

const warp_model::DeviceDescription& h200() {
  return *warp_model::find_device("H200");
}

build::KernelResources kernel(uint32_t registers, uint32_t shared_bytes, uint32_t spilled = 0) {
  build::KernelResources one;
  one.registers = registers;
  one.shared_bytes = shared_bytes;
  one.spill_store_bytes = spilled;
  return one;
}

}  // namespace

TEST_CASE(
    "a setting is left out if no block fits, if schedulers stay empty, or if all kernels "
          "spill") {
  struct Case {
    std::vector<build::KernelResources> kernels;
    int64_t threads, dynamic_shared;
    Pruned pruned;
    const char* why;
  };
  for (const Case& c : {
           Case{{kernel(128, 1024)}, 256, 0, Pruned::no, ""},
           {{kernel(255, 1024)}, 1024, 0, Pruned::does_not_fit, "registers run out"},
           {{kernel(32, 1024)}, 256, 300000, Pruned::does_not_fit, "shared memory run out"},
           {{kernel(32, 40000)},
            64,
            100000,
            Pruned::few_warps,
            "2 warps per SM for 4 schedulers (shared memory limits)"},
           {{kernel(255, 0, 64)}, 256, 0, Pruned::spills, "255 registers are not enough: 64 bytes spill"},
           {{kernel(255, 0, 64), kernel(250, 0)}, 256, 0, Pruned::no, ""},  // the one that counts may be
                                                                            // whole
           {{kernel(255, 0)}, 0, 0, Pruned::no, ""},                        // no kThreads: nothing is known
       }) {
    Candidate candidate;
    tune::Known known = {{"kSharedBytes", c.dynamic_shared}};
    if (c.threads > 0) known["kThreads"] = c.threads;
    tune::judge_resources(candidate, c.kernels, known, &h200());
    INFO(candidate.why);
    CHECK(candidate.pruned == c.pruned);
    CHECK_THAT(candidate.why, Catch::Contains(c.why));
  }
}

TEST_CASE("on a device without a description only spills are judged") {
  Candidate candidate;
  tune::judge_resources(candidate, {kernel(255, 1024)}, {{"kThreads", 1024}}, nullptr);
  CHECK(candidate.pruned == Pruned::no);
  CHECK(candidate.occupancy.blocks_per_sm == 0);
}

TEST_CASE(
    "settings are compiled in parallel; a failed assertion, evaluated by us or by nvcc, "
          "is the reason") {
  const std::filesystem::path folder = std::filesystem::path(RIDGE_BINARY_DIR) / "tune-test";
  std::filesystem::remove_all(folder);
  const tune::Space space(
      "#include <cuda_runtime.h>\n"
      "constexpr int kThreads = 128;  // tune: 48, 64, 128\n"
      "constexpr int kUnroll = 1;  // tune: 1, 3\n"
      "static_assert(kThreads % 32 == 0, \"whole warps\");\n"
      "static_assert(sizeof(char[kUnroll]) != 3 || kThreads != 64, \"only the compiler knows\");\n"
      "__global__ void f(float* x) { for (int i = 0; i < kUnroll; ++i) x[threadIdx.x + i] += i; }\n");
  tune::CandidateOptions options;
  options.folder = folder / "files";
  options.cache = folder / "cache";
  options.file_name = "f.cu";
  options.device = &h200();
  options.jobs = 2;
  std::vector<std::string> told;
  options.progress = [&](std::string_view text) { told.emplace_back(text); };
  const auto candidates = tune::make_candidates(space, options);
  REQUIRE(candidates.size() == 6);
  int kept = 0;
  for (const Candidate& one : candidates) {
    INFO(one.values[0] << " " << one.values[1] << ": " << one.why << one.messages);
    const bool ours = one.values[0] == 48, nvccs = one.values[0] == 64 && one.values[1] == 3;
    CHECK(one.pruned == (ours || nvccs ? Pruned::forbidden : Pruned::no));
    CHECK(one.why == (ours ? "whole warps" : nvccs ? "only the compiler knows" : ""));
    CHECK(one.object.empty() == (ours || nvccs));
    if (one.pruned != Pruned::no) continue;
    ++kept;
    CHECK((one.resources.registers > 0) == tests::kHasNvcc);  // ptxas decides them
    CHECK((one.occupancy.blocks_per_sm > 0) == tests::kHasNvcc);
    CHECK(std::filesystem::exists(one.object));
  }
  CHECK(kept == 3);
  CHECK(told.size() == 4);  // what we knew ourselves was not compiled
  CHECK(told.back() == "compiled 4 of 4");
}

TEST_CASE("settings that an interruption skipped are reported as not reached") {
  const std::atomic<bool> stop{true};
  tune::CandidateOptions options;
  options.stop = &stop;
  options.folder = options.cache = std::filesystem::path(RIDGE_BINARY_DIR) / "tune-test-stopped";
  const auto candidates =
      tune::make_candidates(tune::Space("constexpr int kA = 1;  // tune: 1, 2\n"), options);
  REQUIRE(candidates.size() == 2);
  for (const Candidate& one : candidates)
    CHECK(one.pruned == Pruned::not_reached);
}
