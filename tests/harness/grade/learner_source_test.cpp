// What is read from a learner's file for messages.
#include "harness/grade/findings/learner_source.h"

#include "tests/catch.h"

using ridge::grade::LearnerSource;

namespace {

const char* const kFile = R"cu(#include "gemm.h"
namespace {
constexpr int kStages = 3;  // init(&not_here, 1)
struct Shared { float tile[8]; uint64_t full[kStages], empty[kStages], done; };
template <int kRows>
__global__ void __launch_bounds__(128) add(const float* a,  // [n]
    float* __restrict__ b, float (*c)[4], int n = 3) {
  __shared__ float tile[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i + 1] = a[ i *
      2] + c[i][3];
  if (threadIdx.x < 16) {
    __syncthreads();
  }
  for (int k = i; k < n; k += gridDim.x) {
    b[k] = 1;
    __syncthreads();
  }
  if (i > n) return;
  __syncthreads();
  init(&shared.full[i], 1); arrive(0);
  init(&shared.done, 1);
  init(Stage{base, i}.ready(), 4);
  init(shared.empty + i, 4);
  init(&x, 1), init(&y, 1);
}
void other(int n) {
  int k = 0;
  __syncthreads();
  const int step = 2 * blockDim.x;
  for (int i = k; i < n; i += step)
    a[i] = 1;
}
}
)cu";

}  // namespace

TEST_CASE("the parameters of a kernel are those of its definition") {
  const LearnerSource source("x/student.cu", kFile);
  const std::vector<std::string> names = {"a", "b", "c", "n"};
  CHECK(source.parameters("void (anonymous namespace)::add<4>(float const*, float*)") == names);
  CHECK(source.parameters("add(float const*, float*)") == names);
  CHECK(source.parameters("other(int)").empty());
  CHECK(source.parameters("missing(int)").empty());
  CHECK(source.parameters("").empty());
}

TEST_CASE("an index is the text between the brackets of its array, over several lines too") {
  const LearnerSource source("student.cu", kFile);
  CHECK(source.index_of(10, "a") == "i * 2");
  CHECK(source.index_of(10, "b") == "i + 1");
  CHECK(source.index_of(10, "c").empty());
  CHECK(source.index_of(10, "tile").empty());
  CHECK(source.index_of(1000, "a").empty());
}

TEST_CASE("a barrier knows the branch, the loop and the return around it") {
  using Around = LearnerSource::Around;
  const LearnerSource source("student.cu", kFile);
  CHECK(source.enclosing(13).kind == Around::branch);
  CHECK(source.enclosing(13).condition == "threadIdx.x < 16");
  CHECK_FALSE(source.returns_before(13));
  CHECK(source.enclosing(17).kind == Around::loop);
  CHECK(source.loop_step(16)->variable == "k");
  CHECK(source.loop_step(16)->by == "gridDim.x");
  CHECK(source.enclosing(20).kind == Around::nothing);
  CHECK(source.returns_before(20));
  CHECK(source.loop_step(32)->by == "2 * blockDim.x");
  CHECK_FALSE(source.loop_step(20));
  CHECK_FALSE(source.returns_before(29));  // of another function
  CHECK(source.guards_before(10) == std::vector<std::string>{"i < n"});
  CHECK(source.guards_before(16) == std::vector<std::string>{"i < n", "threadIdx.x < 16", "k < n"});
  CHECK(LearnerSource::share_a_name("row * n + 1", "k < n"));
  CHECK_FALSE(LearnerSource::share_a_name("row * 16 + 1", "column < 16"));
}

TEST_CASE("an mbarrier has the name that is passed to init") {
  const LearnerSource source("student.cu", kFile);
  const auto named = [&](uint32_t line) { return source.first_argument("student.cu", line, "init"); };
  CHECK(named(21)->name == "full");
  CHECK(named(21)->is_element);
  CHECK(named(22)->name == "done");
  CHECK_FALSE(named(22)->is_element);
  CHECK(named(23)->name == "ready");
  CHECK(named(23)->is_element);
  CHECK(named(24)->name == "empty");
  CHECK(named(24)->is_element);
  CHECK_FALSE(named(25));  // two calls: which one is not known
  CHECK_FALSE(named(3));   // a comment
  CHECK_FALSE(source.first_argument("other.h", 21, "init"));
  CHECK(source.mentions("kStages"));
  CHECK_FALSE(source.mentions("not_here"));
}

TEST_CASE("a text that is not a program gives empty results") {
  for (const char* text : {"", "(((", "if (", "for (int i = 0; ; i += ", "\"", "/*", "init(", "__global__ void f("}) {
    const LearnerSource source("student.cu", text);
    CHECK(source.parameters("f(int)").empty());
    CHECK(source.enclosing(1).kind == LearnerSource::Around::nothing);
    CHECK_FALSE(source.loop_step(1));
    CHECK_FALSE(source.first_argument("student.cu", 1, "init"));
    CHECK(source.index_of(1, "a").empty());
  }
}
