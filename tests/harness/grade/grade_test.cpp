// Good and bad files, graded on the virtual GPU from nvcc to the verdict.
#include "harness/grade/grade.h"

#include <fstream>
#include <thread>

#include "harness/problems/problem.h"
#include "tests/catch.h"
#include "tests/cuda_compiler.h"
#include "tests/harness/runner/setting.h"

using namespace ridge;
using grade::Verdict;

namespace {

const std::filesystem::path kFolder = std::filesystem::path(RIDGE_BINARY_DIR) / "grade-test";

course::Rung rung_for(const std::string& problem) {
  course::Rung rung;
  rung.lab = "test";
  rung.name = problem;
  rung.problem = problem;
  rung.entry = problem;
  rung.baseline = "device_copy";
  bool flat = problems::find_problem(problem).size_names.size() == 1;
  rung.sizes =
      flat ? std::vector<std::vector<int64_t>>{{10007}} : std::vector<std::vector<int64_t>>{{65, 130}};
  rung.virtual_size = flat ? std::vector<int64_t>{65536} : std::vector<int64_t>{256, 256};
  rung.gpu_size = flat ? std::vector<int64_t>{1 << 22} : std::vector<int64_t>{2048, 2048};
  rung.target = {70, 82};
  return rung;
}

course::Gate at_most(const char* count, double limit) {
  course::Gate gate;
  gate.count = count;
  gate.at_most = limit;
  gate.why = "Because the test says so.";
  return gate;
}

grade::Result graded(const course::Rung& rung, const std::string& name, const std::string& text,
                     const std::string& cache = "cache") {
  std::filesystem::create_directories(kFolder);
  grade::Request request;
  request.rung = &rung;
  request.source = kFolder / (name + ".cu");
  request.cache = kFolder / cache;
  request.engine = grade::Engine::virtual_gpu;
  std::ofstream(request.source) << text;
  return grade::grade(request);
}

std::string vector_add_with(const std::string& kernel, const std::string& launch) {
  return "#include <cstdlib>\n#include <cuda_runtime.h>\n__global__ void add(const float* a, const float* b, "
         "float* c, int n) {\n" +
         kernel +
         "\n}\nextern \"C\" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t "
         "stream) {\n" +
         launch + "\n}\n";
}

const char* const kIndex = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
const char* const kLaunch = "  add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);";

}  // namespace

TEST_CASE("a correct kernel passes, with its counts and its gates") {
  course::Rung rung = rung_for("vector_add");
  rung.gates = {at_most("sectors_per_request", 4.5), at_most("bank_conflicts", 0)};
  auto result = graded(rung, "right",
                       vector_add_with(kIndex + std::string("  if (i < n) c[i] = a[i] + b[i];"), kLaunch));
  INFO(result.summary << "\n" << result.detail);
  REQUIRE(result.verdict == Verdict::pass);
  CHECK(result.cases > 20);
  CHECK((result.registers > 0) == tests::kHasNvcc);  // ptxas decides them
  CHECK(result.size == "n = 65536");
  CHECK(result.device.find("virtual") != std::string::npos);
  REQUIRE(result.gates.size() == 2);
  CHECK(result.gates[0].value == 4);
  // Two loads and a store, 65536 / 32 requests each; `c[i] = a[i] + b[i]` is one line.
  uint64_t requests = 0;
  for (const grade::CountRow& row : result.counts) {
    CHECK(row.line == 5);
    requests += row.requests;
  }
  CHECK(requests == 3 * 65536 / 32);
}

TEST_CASE("how often blocks look at what others write is counted the same with any number of host threads") {
  // Each block waits for the one before it, and works a while before it lets the next one go on.
  const std::string text =
      "__device__ volatile int next_block;\n" +
      vector_add_with(kIndex + std::string("  if (threadIdx.x == 0)\n"
                                           "    while (next_block != blockIdx.x) {}\n"
                                           "  __syncthreads();\n"
                                           "  float x = i < n ? a[i] : 0;\n"
                                           "  for (int k = 0; k < 500; ++k) x = __sinf(x);\n"
                                           "  if (i < n) c[i] = a[i] + b[i] + (x > 2 ? 1 : 0);\n"
                                           "  __syncthreads();\n"
                                           "  if (threadIdx.x == 0) next_block = (blockIdx.x + 1) % gridDim.x;"),
                      kLaunch);
  course::Rung rung = rung_for("vector_add");
  rung.virtual_size = {8192};
  const auto counted = [&](const char* threads) {
    const tests::Setting setting("RIDGE_THREADS", threads);
    const grade::Result result = graded(rung, "in-turn", text);
    INFO(result.summary << "\n" << result.detail);
    REQUIRE(result.verdict == Verdict::pass);
    std::vector<std::pair<int64_t, uint64_t>> requests;
    for (const grade::CountRow& row : result.counts) requests.emplace_back(row.line, row.requests);
    return requests;
  };
  const auto alone = counted("1");
  CHECK(alone.size() >= 3);
  CHECK(counted("8") == alone);
}

TEST_CASE("each mistake in a vector add gets its verdict and its explanation") {
  struct Row {
    const char* name;
    std::string kernel, launch;
    Verdict verdict;
    const char* words;
  };
  const std::string guarded = kIndex + std::string("  if (i < n) c[i] = a[i] + b[i];");
  const Row rows[] = {
      {"no-guard", kIndex + std::string("  c[i] = a[i] + b[i];"), kLaunch, Verdict::out_of_bounds, "line 5"},
      {"rounded-down", guarded, "  if (n >= 256) add<<<n / 256, 256, 0, stream>>>(a, b, c, n);",
       Verdict::wrong, "partial tile"},
      {"not-launched", guarded, "", Verdict::wrong, "nothing was written"},
      {"wrong-operator", kIndex + std::string("  if (i < n) c[i] = a[i] - b[i];"), kLaunch, Verdict::wrong,
       "expected"},
      {"changes-its-input",
       kIndex + std::string("  if (i < n) { c[i] = a[i] + b[i]; const_cast<float*>(a)[i] = 0; }"), kLaunch,
       Verdict::wrong, "changes its input a"},
      {"too-many-threads", guarded, "  add<<<1, 2048, 0, stream>>>(a, b, c, n);", Verdict::launch_error,
       "grid or block"},
      {"syntax", "  int i = blockIdx.x * blockDim.x + threadIdx.x", kLaunch, Verdict::compile_error, "error"},
      {"exits", guarded, "  std::exit(0);", Verdict::suspect, "ended the program"},
      {"crashes", guarded, "  *reinterpret_cast<volatile int*>(16) = 1;", Verdict::launch_error, "signal 11"},
      {"barrier-for-some",
       kIndex +
           std::string("  if (threadIdx.x % 32 < 16) __syncthreads();\n  if (i < n) c[i] = a[i] + b[i];"),
       kLaunch, Verdict::deadlock, "__syncthreads"},
      {"endless",
       kIndex +
           std::string("  if (i < n) { volatile float* out = c; while (out[i] != 12345.0f) out[i] = a[i]; }"),
       kLaunch, Verdict::timeout, "loop"},
  };
  course::Rung rung = rung_for("vector_add");
  for (const Row& row : rows) {
    auto result = graded(rung, row.name, vector_add_with(row.kernel, row.launch));
    std::string all = result.summary + "\n" + result.next + "\n" + result.detail;
    INFO(row.name << ": " << grade::to_string(result.verdict) << "\n" << all);
    CHECK(result.verdict == row.verdict);
    CHECK(all.find(row.words) != std::string::npos);
    CHECK_FALSE(result.next.empty());
  }
}

TEST_CASE("an entry of another name is a launch error that shows the signature") {
  course::Rung rung = rung_for("vector_add");
  rung.entry = "vector_sum";
  auto result = graded(rung, "right",
                       vector_add_with(kIndex + std::string("  if (i < n) c[i] = a[i] + b[i];"), kLaunch));
  CHECK(result.verdict == Verdict::launch_error);
  CHECK(result.detail.find("extern \"C\" void vector_sum(const float* a") != std::string::npos);
}

TEST_CASE("an entry without extern \"C\" is a launch error that says so") {
  const course::Rung rung = rung_for("vector_add");
  std::string text = vector_add_with(kIndex + std::string("  if (i < n) c[i] = a[i] + b[i];"), kLaunch);
  const size_t linkage = text.find("extern \"C\" void vector_add");
  REQUIRE(linkage != std::string::npos);
  text.erase(linkage, std::string("extern \"C\" ").size());
  const auto result = graded(rung, "mangled", text);
  CHECK(result.verdict == Verdict::launch_error);
  CHECK(result.detail.find("vector_add has C++ linkage") != std::string::npos);
  CHECK(result.detail.find("extern \"C\" void vector_add(const float* a") != std::string::npos);
}

TEST_CASE("correct answers that miss a gate are SLOW, with the line that causes it") {
  course::Rung rung = rung_for("transpose");
  rung.gates = {at_most("sectors_per_request", 4.5)};
  const char* naive = R"(
__global__ void transpose_naive(const float* in, float* out, int rows, int cols) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  if (r < rows && c < cols)
    out[c * rows + r] =
        in[r * cols + c];
}
extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  transpose_naive<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 32), 0, stream>>>(in, out, rows, cols);
}
)";
  auto result = graded(rung, "transpose-naive", naive);
  INFO(result.summary << "\n" << result.detail);
  CHECK(result.verdict == Verdict::slow);
  CHECK(result.summary.find("sectors_per_request is 18, and at most 4.5") != std::string::npos);
  CHECK(result.detail.find("(global store)") != std::string::npos);
}

TEST_CASE("two simultaneous gradings do not interfere and leave no folder behind") {
  course::Rung rung = rung_for("vector_add");
  std::string right = vector_add_with(kIndex + std::string("  if (i < n) c[i] = a[i] + b[i];"), kLaunch);
  std::string wrong = vector_add_with(kIndex + std::string("  if (i < n) c[i] = a[i];"), kLaunch);
  grade::Result first, second;
  const std::string own = "cache-of-two";  // test cases that run beside this one use the other
  std::thread one([&] { first = graded(rung, "first-of-two", right, own); });
  std::thread two([&] { second = graded(rung, "second-of-two", wrong, own); });
  one.join();
  two.join();
  CHECK(first.verdict == Verdict::pass);
  CHECK(second.verdict == Verdict::wrong);
  for (const auto& entry : std::filesystem::directory_iterator(kFolder / own))
    CHECK_FALSE(entry.path().filename().string().starts_with("grading-"));
}

TEST_CASE("a rung with an unknown count or impossible sizes is reported as the course's fault") {
  course::Rung rung = rung_for("vector_add");
  rung.gates = {at_most("sectors", 1)};
  CHECK_THROWS_WITH(graded(rung, "right", ""), Catch::Contains("sectors_per_request"));
  rung = rung_for("vector_add");
  rung.virtual_size = {1, 2};
  CHECK_THROWS_WITH(graded(rung, "right", ""), Catch::Contains("test/vector_add"));
}
