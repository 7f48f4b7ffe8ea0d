// `ridge tune` with the real compiler, and with the virtual GPU in the place of a real one: a toolkit folder
// whose libcudart.so is ours. Its clock is the host's, so nothing here depends on which setting is the
// fastest.
#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/cuda_compiler.h"
#include "tests/harness/cli/gradable_clone.h"

using namespace ridge;

namespace {

namespace fs = std::filesystem;

const char* const kTuned =
    "#include <cuda_runtime.h>\n"
    "constexpr int kThreads = 128;  // tune: 48, 128, 256   a block\n"
    "constexpr bool kForgetful = false;  // tune: false, true\n"
    "static_assert(kThreads % 32 == 0, \"whole warps\");\n"
    "static_assert(kThreads == 128 || !kForgetful, \"one wrong one is enough\");\n"
    "__global__ void add(const float* a, const float* b, float* c, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) c[i] = kForgetful ? a[i] : a[i] + b[i];\n"
    "}\n"
    "extern \"C\" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t s) {\n"
    "  add<<<(n + kThreads - 1) / kThreads, kThreads, 0, s>>>(a, b, c, n);\n}\n";

struct TunedClone : tests::GradableClone {
  TunedClone() { write_students(kTuned); }
  fs::path file() const { return path / "labs/01-kernel-basics/1-vector-add.cu"; }
  std::string text() const {
    std::ifstream stream(file());
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  build::Finished tune(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {RIDGE_PROGRAM, "tune"});
    std::vector<std::pair<std::string, std::string>> environment = {
        {"RIDGE_ROOT", path.string()}, {"NO_COLOR", "1"}, {"CUDA_VISIBLE_DEVICES", ""}};
    if (fs::exists(path / "toolkit")) {
      environment.emplace_back("NVCC", (path / "toolkit/bin/nvcc").string());
      environment.emplace_back("RIDGE_DEVICE", (path / "small.toml").string());
    }
    return build::run(arguments, environment);
  }
  // A GPU of two SMs: what holds all of its threads while others queue holds few. And of a small L2, which
  // the sets of inputs are to exceed.
  void put_made_up_gpu() const {
    write("toolkit/bin/nvcc", std::string("#!/bin/sh\nexec ") + tests::kCudaCompiler + " \"$@\"\n");
    fs::permissions(path / "toolkit/bin/nvcc", fs::perms(0755));
    fs::create_directory_symlink(
        fs::path(RIDGE_PROGRAM).parent_path().parent_path() / "lib/virtual",
        path / "toolkit/lib64");
    std::ifstream h200(RIDGE_SOURCE_DIR "/warp_model/devices/h200.toml");
    std::string small;
    for (std::string line; std::getline(h200, line); small += line + "\n") {
      if (line.starts_with("multiprocessors")) line = "multiprocessors = 2";
      if (line.starts_with("l2_bytes")) line = "l2_bytes = 1048576";
      if (line.starts_with("gpc_multiprocessors")) line = "gpc_multiprocessors = [2]";
    }
    write("small.toml", small);
    std::string toml = tests::kVectorAddToml;
    write("labs/01-kernel-basics/lab.toml", toml.replace(toml.find("1048576"), 7, "4096"));
  }
};

}  // namespace

TEST_CASE(
    "without a GPU tuning exits with 3, and --dry lists what would be tried and what is "
    "left out") {
  const TunedClone clone;
  const build::Finished refused = clone.tune({"01/1"});
  CHECK(refused.status == 3);
  CHECK_THAT(refused.output, Catch::StartsWith("SKIPPED: A GPU is needed, and "));
  CHECK_THAT(refused.output, Catch::Contains("ridge tune 01-kernel-basics/1-vector-add --dry"));
  const build::Finished dry = clone.tune({"01/1", "--dry", "--as", "H100"});
  INFO(dry.output);
  CHECK(dry.status == 0);
  CHECK_THAT(dry.output,
             Catch::Contains("for NVIDIA H100 80GB HBM3: 6 settings, 3 worth measuring"));
  CHECK_THAT(dry.output,
             Catch::Contains("2  whole warps") && Catch::Contains("1  one wrong one is enough"));
  CHECK_THAT(dry.output, Catch::Contains("Nothing was measured"));
  CHECK(clone.text() == kTuned);
}

TEST_CASE("a file without parameters exits with 2, one that does not compile with 1") {
  const TunedClone clone;
  struct Case {
    std::vector<std::string> arguments;
    const char* text;
    int status;
    const char* says;
  };
  const std::string broken = std::string(kTuned) + "int x = ;\n";
  for (const Case& c : {
           Case{{"01/1"}, "int x;\n", 2, "declares nothing to tune"},
           {{"01/1"}, "constexpr int a = b;  // tune: 1\n", 2, "1-vector-add.cu: line 1: a is b"},
           {{"01/1", "--dry", "--set", "kThreads=7"},
            kTuned,
            2,
            "kThreads cannot be 7: line 2 does not list it"},
           {{"01/1", "--dry", "--set", "kThreads"}, kTuned, 2, "write --set NAME=VALUE"},
           {{"01/1", "--dry", "--set", "kThreads=1e3"}, kTuned, 2, "\"1e3\" is not a whole number"},
           {{"01/1", "--solution", "--write"}, kTuned, 2, "excludes"},
           {{"01/1", "--dry", "--set", "kThreads=48"}, kTuned, 1, "Nothing is left to measure"},
           {{"01/1", "--dry", "--set", "kForgetful=false"},
            broken.c_str(),
            1,
            tests::kHasNvcc ? "expected an expression" : "expected expression"},
       }) {
    clone.write_students(c.text);
    const build::Finished finished = clone.tune(c.arguments);
    INFO(finished.output);
    CHECK(finished.status == c.status);
    CHECK_THAT(finished.output, Catch::Contains(c.says));
    CHECK(clone.text() == c.text);
  }
}

// It times four tunings with the host's clock: about 40 s.
TEST_CASE("tuning measures, refuses wrong settings, remembers the best, and writes it when asked",
          "[realtime][nvcc]") {
  if (tests::skipped_without_nvcc("grading on a GPU")) return;
  const TunedClone clone;
  clone.put_made_up_gpu();
  const build::Finished tuned = clone.tune({"01/1"});
  INFO(tuned.output);
  CHECK_THAT(tuned.output, Catch::Contains("6 settings, 3 worth measuring"));
  CHECK_THAT(tuned.output, Catch::Contains("kThreads = 128, kForgetful = true: WRONG: "));
  CHECK(clone.text() == kTuned);
  if (tuned.status !=
      0) {  // a busy host may disturb the made-up GPU's clock, and then nothing is remembered
    CHECK_THAT(tuned.output, Catch::Contains("SUSPECT"));
    return;
  }
  CHECK_THAT(tuned.output, Catch::Contains("It is remembered for NVIDIA H200 (virtual)."));

  const build::Finished again = clone.tune({"01/1"});
  INFO(again.output);
  CHECK(again.status == 0);
  CHECK_THAT(again.output,
             Catch::StartsWith("Remembered for this file on NVIDIA H200 (virtual): kThreads = "));

  // Whatever was the fastest, the file as it is now with another value is the same file.
  std::string other = kTuned;
  clone.write_students(other.replace(other.find("= 128"), 5, "= 48"));
  const build::Finished written = clone.tune({"01/1", "--write"});
  INFO(written.output);
  CHECK(written.status == 0);
  CHECK_THAT(written.output,
             Catch::Contains("it was kept as labs/01-kernel-basics/1-vector-add.cu.mine-1"));
  CHECK_THAT(clone.text(),
             Catch::Contains("kThreads = 128;") || Catch::Contains("kThreads = 256;"));
  CHECK_THAT(clone.text(), Catch::Contains("kForgetful = false;"));
  CHECK_THAT(clone.tune({"01/1", "--write"}).output, Catch::Contains("has these values already"));
}
