// What is left out of headers, and that a file compiles to the same code without it.
#include "harness/build/preprocessed/unused_declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "harness/build/compiler.h"
#include "harness/build/instruction_mix.h"
#include "harness/build/process.h"
#include "tests/catch.h"
#include "tests/cuda_compiler.h"
#include "tests/harness/build/compiled_lab.h"
#include "text/whole_file.h"

using namespace ridge;
using namespace ridge::tests;
namespace fs = std::filesystem;

namespace {

// What is left of a header of the system when a file with the text `used` includes it.
std::string left_of(const std::string& header, const std::string& used) {
  const std::string text =
      "# 1 \"/usr/include/a.h\" 1 3\n" + header + "\n# 2 \"file.cu\" 2\n" + used + "\n";
  const std::string left = build::without_unused_declarations(text, "", "");
  CHECK(std::count(left.begin(), left.end(), '\n') == std::count(text.begin(), text.end(), '\n'));
  CHECK(left.ends_with("# 2 \"file.cu\" 2\n" + used + "\n"));
  const size_t start = left.find('\n') + 1;
  return left.substr(start, left.find("\n# 2") - start);
}

fs::path host_compiler() {
  return fs::path(RIDGE_BINARY_DIR) / "bin" / "ridge-host-compiler";
}

}  // namespace

TEST_CASE("a declaration of a header is left out when nothing that is left names it") {
  struct Row {
    const char* header;
    const char* by;  // a use that keeps it
  };
  const Row rows[] = {
      {"extern int f(int a) __attribute__((nothrow));", "int x = f(1);"},
      {"static inline int f(int a) { return a; }", "int x = f(1);"},
      {"struct lconv *f(void);", "auto x = f();"},
      {"struct S { int a; } __attribute__((aligned(8)));", "S s;"},
      {"struct __attribute__((aligned(8))) S { int a; };", "S s;"},
      {"typedef struct { int a; } S;", "S s;"},
      {"typedef struct T { int a; } S;", "T s;"},
      {"typedef int (*callback)(int);", "callback c;"},
      {"typedef unsigned long word __attribute__((mode(DI)));", "word w;"},
      {"enum E { one, two };", "int x = two;"},
      {"typedef enum { one, two } E;", "int x = one;"},
      {"template <typename T> struct S { T a; };", "S<int> s;"},
      {"template <> struct S<int> : B<int> { };", "S<int> s;"},
      {"template <typename T> inline constexpr unsigned long size_of = sizeof(T);",
       "int x = size_of<int>;"},
      {"template <typename T> using V = typename S<T>::type;", "V<int> v;"},
      {"template <typename T> concept C = requires(T t) { t + t; };", "C auto x = 1;"},
      {"template <typename T> T f(T a) requires(sizeof(T) == 4) { return a; }", "int x = f(1);"},
      {"template <typename T> requires requires(T t) { t.b; } T f(T a) { return a; }",
       "int x = f(1);"},
      {"inline constexpr struct T { int a; } object = {};", "int x = object.a;"},
      {"template <typename T> int S<T>::f(int a) { return a; }", "S<int> s;"},
      {"inline int S::f(int b) : a{b} { }", "S s;"},
      {"using std::f;", "int x = f(1);"},
      {"extern \"C\" int f(int);", "int x = f(1);"},
      {"extern int (*hook)(int);", "int x = hook(1);"},
      {"#pragma nv_exec_check_disable\ninline int f() { return 1; }", "int x = f();"},
      {"inline const char* f() { return R\"x(\" } ;)x\"; }", "auto x = f();"},
      {"bool operator==(const S& a, const S& b);", "S s;"},
      {"extern __typeof(f) g;", "int x = g(1);"},
  };
  for (const Row& row : rows) {
    INFO(row.header);
    const std::string unused = left_of(row.header, "int y;");
    CHECK(unused.find_first_not_of('\n') == std::string::npos);
    CHECK(left_of(row.header, row.by) == row.header);
  }
}

TEST_CASE("what a kept declaration names is kept, and declarations next to it are not") {
  const std::string header =
      "typedef int word;\n"
      "namespace n {\n"
      "inline namespace m {\n"
      "word f(word a) { return a; }\n"
      "word f(float a);\n"
      "word g(word a);\n"
      "} }\n"
      "extern \"C\" {\n"
      "int h(int);\n"
      "}\n"
      "static_assert(sizeof(int) == 4);";
  CHECK(left_of(header, "int x = n::f(1);") ==
        "typedef int word;\n"
        "namespace n {\n"
        "inline namespace m {\n"
        "word f(word a) { return a; }\n"
        "word f(float a);\n"
        "\n"
        "} }\n"
        "extern \"C\" {\n"
        "\n"
        "}\n");
}

TEST_CASE("what may be used without its name is kept") {
  for (const char* header :
       {"template <typename T> bool operator<(const T& a, const T& b);", "using namespace n;",
        "namespace a = b;", "asm(\"x\");", "constexpr int operator\"\"_x(unsigned long long);",
        "#pragma pack(push, 8)"})
    CHECK(left_of(header, "template <typename T> void f() {}") == header);
}

TEST_CASE("a file of the student, and text that is not understood, stay as they are") {
  const std::string own = "# 1 \"file.cu\"\nint f();\nint g();\n";
  CHECK(build::without_unused_declarations(own, "", "") == own);
  const std::string broken = "# 1 \"/usr/include/a.h\" 1 3\nint f(;\nint g();\n} }\n";
  CHECK(build::without_unused_declarations(broken, "", "") == broken);
  const std::string toolkit = "# 1 \"/opt/cuda/include/a.h\"\nint f();\n";
  CHECK(build::without_unused_declarations(toolkit, "", "") == toolkit);
  CHECK(build::without_unused_declarations(toolkit, "/opt/cuda/include/", "") ==
        "# 1 \"/opt/cuda/include/a.h\"\n\n");
  CHECK(build::without_unused_declarations(toolkit, "/opt/cuda/include/", "f") == toolkit);
}

TEST_CASE("most of cuda_runtime.h is left out of what the host compiler preprocesses for nvcc",
          "[nvcc]") {
  if (skipped_without_nvcc("the names that it needs")) return;
  const Lab lab;
  const auto preprocessed = [&](const std::string& compiler) {
    const fs::path output = lab.path / "out.ii";
    const auto toolkit = build::find_toolkit();
    const build::Finished finished =
        build::run({compiler, "-std=c++20", "-E", "-x", "c++", "-D__CUDACC__", "-D__NVCC__",
                    "-include", "cuda_runtime.h", "-I" + (toolkit->folder / "include").string(),
                    (lab.path / "labs/01/1-set.cu").string(), "-o", output.string()});
    INFO(finished.output);
    REQUIRE(finished.status == 0);
    return text::read_file(output);
  };
  const std::string all = preprocessed("gcc"), shorter = preprocessed(host_compiler().string());
  CHECK(shorter.size() < all.size() / 2);
  CHECK(shorter.find("cudaLaunchKernel") != std::string::npos);
  CHECK(shorter.find("cudaGraphExecUpdate(") == std::string::npos);
  CHECK(all.find("cudaGraphExecUpdate(") != std::string::npos);
}

TEST_CASE("a file compiles to the same PTX with the shorter headers", "[nvcc]") {
  if (skipped_without_nvcc("its own PTX")) return;
  const Lab lab;
  lab.write("labs/01/1-set.cu", R"(#include "signature.h"
#include <cuda_bf16.h>
#include <algorithm>
#include <utility>
__global__ void set(float* a, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    a[i] = __bfloat162float(__float2bfloat16(rsqrtf(fmaxf(1.0f, fabsf(a[i]))))) + __shfl_xor_sync(~0u, a[i], 1);
}
extern "C" void go(float* a, int n, cudaStream_t s) {
  const auto [least, most] = std::pair(std::min(n, 1), std::clamp(n, 32, 1024));
  set<<<max(least, 1), most, 0, s>>>(a, n + static_cast<int>(rsqrt(4.0)));
}
)");
  const build::Compiled compiled = lab.compile();
  INFO(compiled.messages);
  REQUIRE(compiled.ok);
  std::vector<std::string> command = {build::find_toolkit()->nvcc.string()};
  for (const std::string& flag : build::lab_flags("90a"))
    command.push_back(flag);
  const fs::path other = lab.path / "other.so";
  command.insert(command.end(), {"-o", other.string(), (lab.path / "labs/01/1-set.cu").string()});
  REQUIRE(build::run(command).status == 0);
  CHECK(build::ptx_in(compiled.object) == build::ptx_in(other));
  CHECK(build::ptx_in(other).size() == 1);
}
