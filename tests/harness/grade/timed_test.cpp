// The rounds of a GPU grade, driven on the virtual GPU. Data and answers are real, times are a script: the
// virtual GPU's clock is the host's, and a busy host is no reason for a verdict. The tests whose kernels play
// with time itself need the host's clock and are tagged [realtime].
#include "harness/grade/timed.h"

#include <fstream>
#include <functional>
#include <vector>

#include "harness/build/compile.h"
#include "harness/grade/scratch_folder.h"
#include "tests/catch.h"

using namespace ridge;

namespace {

const std::filesystem::path kFolder = std::filesystem::path(RIDGE_BINARY_DIR) / "timed-test";

// An H200 whose L2 is small: inputs are as many sets as exceed three times L2, and each is executed on the
// host.
class SmallL2 {
 public:
  explicit SmallL2(int64_t bytes) {
    std::filesystem::create_directories(kFolder);
    const std::filesystem::path file = kFolder / "small-l2.toml";
    std::ifstream h200(RIDGE_SOURCE_DIR "/warp_model/devices/h200.toml");
    std::ofstream small(file);
    for (std::string line; std::getline(h200, line);)
      small << (line.starts_with("l2_bytes") ? "l2_bytes = " + std::to_string(bytes) : line) << "\n";
    setenv("RIDGE_DEVICE", file.c_str(), 1);
  }
  ~SmallL2() { unsetenv("RIDGE_DEVICE"); }
};

// What a pass took: every call of the student's 2 ms and of the baseline's 1 ms, unless a test says otherwise.
struct Script {
  std::function<double(bool student, bool on_new_inputs)> call_ms = [](bool student, bool) {
    return student ? 2.0 : 1.0;
  };
  std::function<void(std::string_view)> told = {};  // progress
  bool real = false;                                // the host's clock instead
  problems::Sizes sizes = {};                       // empty: of one extent
  double most_reference_operations = 1e10;
  double now = 0;                                   // seconds
  measure::StageClock stages{[] { return 0.0; }};

  runner::PassRun pass(runner::PassRun run, bool student) {
    const auto times = stages.times();
    const double ms = call_ms(student, !times.empty() && times.back().name == "inputs never seen");
    run.device_ms.assign(run.device_ms.size(), ms);
    run.host_ms.assign(run.host_ms.size(), ms + 0.01);
    run.parent_ms = static_cast<double>(run.host_ms.size()) * (ms + 0.01) + 0.5;
    now += run.parent_ms / 1e3;
    return run;
  }
};

grade::TimedGrade timed_file(Script& script, const std::filesystem::path& source,
                             const std::string& problem_name, const std::string& baseline = "device_copy",
                             const std::string& missing = "", int64_t size = 1 << 20,
                             int64_t l2_bytes = 8 << 20) {
  const std::filesystem::path folder = kFolder;
  const SmallL2 small_l2(l2_bytes);
  auto compiled =
      build::compile(source, folder / "cache", "90a",
                     {source.parent_path(), std::filesystem::path(RIDGE_SOURCE_DIR) / "tests/cheats/headers",
                      std::filesystem::path(RIDGE_SOURCE_DIR) / "labs/01-kernel-basics",
                      std::filesystem::path(RIDGE_SOURCE_DIR) / "labs/03-reductions"});
  INFO(compiled.messages);
  REQUIRE(compiled.ok);
  grade::ScratchFolder scratch(folder);
  runner::SessionOptions options;
  options.installation = runner::find_installation();
  options.library_folder = options.installation.virtual_libraries;
  options.scratch = scratch.path();
  options.guard_bytes = 1024;
  options.readable = {compiled.object};
  runner::Session session(options);
  const problems::Problem& problem = problems::find_problem(problem_name);
  REQUIRE_FALSE(session.load(compiled.object, problem_name, problem));
  grade::CaseChecker checker(session, scratch.path() / "no-report", 10);
  grade::TimedWork work;
  work.problem = &problem;
  work.sizes = script.sizes.empty() ? problems::Sizes{size} : script.sizes;
  work.most_reference_operations = script.most_reference_operations;
  work.baseline = baseline;
  work.modules.missing = missing;
  work.modules.missing_baseline = work.baseline;
  work.gpu.peak_gb_per_s = 4800;
  work.seed = 42;
  work.progress = script.told;
  if (!script.real) {
    work.stages = &script.stages;
    work.seconds = [&script] { return script.now; };
    work.clock = [&script](runner::PassRun run, bool student) {
      return script.pass(std::move(run), student);
    };
  }
  // Stops as soon as there are enough rounds, of one pass each.
  work.limits = {.warm_up_seconds = 0, .least_seconds = 0, .most_seconds = 60, .noise = 100, .calls = 1};
  return grade::time_on_gpu(session, checker, work);
}

grade::TimedGrade timed(const std::string& name, const std::string& body, Script script = {},
                        int64_t size = 1 << 20) {
  std::filesystem::create_directories(kFolder);
  const std::filesystem::path source = kFolder / (name + ".cu");
  std::ofstream(source)
      << "#include <cuda_runtime.h>\n__device__ float kept[1 << 20];\n__global__ void saxpy_kernel(float "
         "alpha, const float* x, float* y, int "
         "n, int call) {\n"
      << "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      << body << "\n}\n"
      << "extern \"C\" void saxpy(float alpha, const float* x, float* y, int n, cudaStream_t stream) {\n"
      << "  static int call = 0;\n"
      << "  saxpy_kernel<<<(n + 255) / 256, 256, 0, stream>>>(alpha, x, y, n, call++);\n}\n";
  return timed_file(script, source, "saxpy", "device_copy", "", size, 8 * size);  // two sets
}

}  // namespace

TEST_CASE("without the library's headers the timing is skipped and names the library") {
  const auto source = std::filesystem::path(RIDGE_SOURCE_DIR) / "solutions/03-reductions/1-interleaved.cu";
  Script script;
  const auto result =
      timed_file(script, source, "sum", "cub_sum", "fatal error: cub/device/device_reduce.cuh: No such file");
  REQUIRE(result.outcome);
  CHECK(result.outcome->verdict == grade::Verdict::skipped);
  CHECK(result.outcome->summary.find("CUB is needed") != std::string::npos);
  CHECK(result.outcome->detail.find("device_reduce.cuh") != std::string::npos);
}

TEST_CASE("a correct kernel is timed in seven rounds, and its in-place updates are verified") {
  auto result = timed("right", "  if (i < n) y[i] = alpha * x[i] + y[i];");
  INFO((result.outcome ? result.outcome->summary : ""));
  CHECK_FALSE(result.outcome);
  CHECK(result.measured.rounds == 7);
  CHECK(result.measured.time_ms == Approx(2));
  CHECK(result.measured.baseline_ms == Approx(1));
  CHECK(result.measured.percent == Approx(50));
  CHECK(result.measured.percent_low == Approx(50));
  CHECK(result.measured.percent_high == Approx(50));
  CHECK(result.measured.baseline.starts_with("device copy, "));
  CHECK_FALSE(result.measured.gpu.watched);  // this is no GPU that NVML knows
  CHECK(result.measured.gpu.why_not != "");
  CHECK(result.floor_ms == Approx(12.0 * (1 << 20) / 4800e6 / 1.05));
}

TEST_CASE("a kernel that is correct only in its first call is detected during timing") {
  auto result = timed("first-call-only", "  if (i < n) y[i] = call < 1 ? alpha * x[i] + y[i] : y[i];");
  REQUIRE(result.outcome);
  CHECK(result.outcome->verdict == grade::Verdict::wrong);
  CHECK(result.outcome->summary.find("While it was timed") == 0);
}

TEST_CASE("a kernel that caches its answers by address is detected") {
  // The first call computes and remembers; later ones copy what was remembered for the same output.
  auto result = timed("replay",
                      "  __shared__ float unused;\n  if (i == 0) unused = 0;\n"
                      "  if (i < n) y[i] = call == 0 ? alpha * x[i] + y[i] : (y[i] = kept[i]);\n"
                      "  if (i < n && call == 0) kept[i] = y[i];");
  REQUIRE(result.outcome);
  CHECK(result.outcome->verdict == grade::Verdict::wrong);
}

TEST_CASE("calls that are slower on unseen inputs reveal a kernel that caches answers") {
  struct Row {
    const char* what;
    double student_ms, baseline_ms;  // on inputs that were never there; 2 and 1 on the others
    int slow_tries;                  // after which they are as fast as on the others
    bool suspect;
  };
  constexpr int kAllTries = 99;
  for (const Row& row :
       {Row{"as fast", 2, 1, kAllTries, false}, Row{"a little slower", 2.4, 1, kAllTries, false},
        Row{"three times slower", 6, 1, kAllTries, true}, Row{"a slower GPU", 2.8, 1.4, kAllTries, false},
        Row{"a much slower GPU", 4.5, 2, kAllTries, true}, Row{"a hiccup", 6, 1, 1, false},
        Row{"three hiccups", 6, 1, 3, false}}) {
    INFO(row.what);
    int tries = 0;
    Script script;
    script.call_ms = [&](bool student, bool on_new_inputs) {
      if (on_new_inputs && student) ++tries;
      const bool slow = on_new_inputs && tries <= row.slow_tries;
      return student ? (slow ? row.student_ms : 2.0) : slow ? row.baseline_ms : 1.0;
    };
    const auto result = timed("right", "  if (i < n) y[i] = alpha * x[i] + y[i];", script, 1 << 14);
    INFO((result.outcome ? result.outcome->summary : ""));
    REQUIRE(result.outcome.has_value() == row.suspect);
    if (!row.suspect) continue;
    CHECK(result.outcome->verdict == grade::Verdict::suspect);
    CHECK_THAT(result.outcome->summary, Catch::Contains("on inputs that it has seen before"));
  }
}

// A baseline may write to the outputs: a device copy does.
TEST_CASE("the kernel's calls on new inputs are the last before its answers are compared") {
  Script script;
  bool last_is_the_kernel = false;
  script.call_ms = [&](bool student, bool on_new_inputs) {
    if (on_new_inputs) last_is_the_kernel = student;
    return student ? 2.0 : 1.0;
  };
  const auto result = timed("right", "  if (i < n) y[i] = alpha * x[i] + y[i];", script, 1 << 14);
  CHECK_FALSE(result.outcome);
  CHECK(last_is_the_kernel);
}

TEST_CASE("estimates of the time are reported from the warm-up on, with growing precision") {
  std::vector<std::string> lines;
  Script script;
  script.told = [&](std::string_view line) { lines.emplace_back(line); };
  const auto result = timed("right", "  if (i < n) y[i] = alpha * x[i] + y[i];", script, 1 << 14);
  REQUIRE(lines.size() >= 2 + 7);
  CHECK_THAT(lines[0], Catch::Contains("preparing the inputs"));
  CHECK_THAT(lines[1], Catch::Contains("against device copy"));
  CHECK_THAT(lines[2], Catch::Contains("50.0% of device copy (± "));
  CHECK_THAT(lines.back(), Catch::Contains("(± 0.0), 7 rounds"));
}

TEST_CASE("when only some rows are compared, a tile that is skipped in later calls is detected") {
  const auto timed_product = [](const char* name, const char* condition) {
    std::filesystem::create_directories(kFolder);
    const std::filesystem::path source = kFolder / (std::string(name) + ".cu");
    std::ofstream(source)
        << "#include <cuda_runtime.h>\n__global__ void product(const float* a, const float* b, float* c, int "
           "m, int n, int k, int call) {\n"
           "  const int row = blockIdx.x * blockDim.y + threadIdx.y, col = threadIdx.x;\n"
           "  if (row >= m || col >= n || ("
        << condition
        << ")) return;\n"
           "  float sum = 0;\n  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];\n"
           "  c[row * n + col] = sum;\n}\n"
           "extern \"C\" void gemm(const float* a, const float* b, float* c, int m, int n, int k, "
           "cudaStream_t stream) {\n  static int call = 0;\n"
           "  product<<<(m + 15) / 16, dim3(8, 16), 0, stream>>>(a, b, c, m, n, k, call++);\n}\n";
    Script script;
    script.sizes = {1024, 8, 8};  // groups of four rows
    script.most_reference_operations = 0;
    return timed_file(script, source, "gemm", "device_copy", "", 0, 32 << 10);
  };
  const auto right = timed_product("all-rows", "false");
  INFO((right.outcome ? right.outcome->summary : ""));
  CHECK_FALSE(right.outcome);
  const auto wrong = timed_product("without-a-tile", "call > 0 && row / 16 == 37");
  REQUIRE(wrong.outcome);
  CHECK(wrong.outcome->verdict == grade::Verdict::wrong);
  // The message is about the whole answer: 16 rows of 8.
  CHECK_THAT(wrong.outcome->summary, Catch::Contains("128 of 8192 elements of c are wrong"));
}

TEST_CASE(
    "a kernel that caches its answers by the content of inputs is detected by unseen "
          "inputs",
    "[realtime]") {
  std::filesystem::create_directories(kFolder);
  const std::filesystem::path source = kFolder / "by-content.cu";
  // Two kernels, so that all threads see the same: is there an answer to what begins like this? The work is
  // made longer, for the difference to be seen by a host's clock.
  std::ofstream(source) << R"(#include <cuda_runtime.h>
__device__ float kept[128][4096], begins[128];
__device__ int count, found;
__global__ void look(const float* x) {
  found = -1;
  for (int i = 0; i < 128 && i < count; ++i)
    if (begins[i] == x[0]) found = i;
  if (found < 0) begins[count++ % 128] = x[0];
}
__global__ void answer(float alpha, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (found >= 0) {
    y[i] = kept[found][i];
    return;
  }
  float more = 0;
  for (int turn = 0; turn < 3000; ++turn)
    more = more * 0.5f + x[i];
  y[i] = alpha * x[i] + y[i] + (more == 12345.0f);
  kept[(count - 1) % 128][i] = y[i];
}
extern "C" void saxpy(float alpha, const float* x, float* y, int n, cudaStream_t stream) {
  look<<<1, 1, 0, stream>>>(x);
  answer<<<(n + 255) / 256, 256, 0, stream>>>(alpha, x, y, n);
}
)";
  Script real;
  real.real = true;
  const auto timed_once = [&] { return timed_file(real, source, "saxpy", "device_copy", "", 4096); };
  auto result = timed_once();
  // A busy host's clocks are doubted now and then, before anything else can be: once more then.
  for (int again = 0; again < 5 && result.outcome &&
                      result.outcome->summary.find("its clocks were changed") != std::string::npos;
       ++again)
    result = timed_once();
  REQUIRE(result.outcome);
  INFO(result.outcome->summary);
  CHECK(result.outcome->verdict == grade::Verdict::suspect);
  // On a busy host the first rounds, in which there is nothing to hand out yet, may tell before that.
  CHECK((result.outcome->summary.find("on inputs that it has seen before") != std::string::npos ||
         result.outcome->summary.find("some do the work of others") != std::string::npos));
}

TEST_CASE("hooked clocks of the child are detected by the parent's clock", "[realtime]") {
  std::filesystem::create_directories(kFolder);
  Script real;
  real.real = true;
  const auto result =
      timed_file(real, std::filesystem::path(RIDGE_SOURCE_DIR) / "tests/cheats/clocks/hooks_clocks_once.cu",
                 "vector_add");
  REQUIRE(result.outcome);
  INFO(result.outcome->summary);
  CHECK(result.outcome->verdict == grade::Verdict::suspect);
  CHECK(result.outcome->summary.find("by the clock outside it") != std::string::npos);
}
