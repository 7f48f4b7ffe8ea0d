// Messages name the line of the host program that allocated or freed the memory they speak of.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <string_view>

#include "built_fatbin.h"
#include "tests/catch.h"
#include "tests/cuda_compiler.h"
#include "tests/text_of.h"

using namespace ridge;
using runtime::test::work_folder;

namespace {

const std::string kSource = std::string(RIDGE_SOURCE_DIR) + "/tests/virtual_gpu/runtime/host_site.cu";

std::filesystem::path built(const std::string& flags) {
  static std::map<std::string, std::filesystem::path> programs;
  std::filesystem::path& program = programs[flags];
  if (!program.empty()) return program;
  program = runtime::test::own("host_site" + std::to_string(programs.size()));
  const std::string command = fmt::format("{} {} -cudart shared -lineinfo {} -o {} {} -ldl", tests::kCudaCompiler,
                                          runtime::test::kBothImages, flags, program.string(), kSource);
  REQUIRE(std::system(command.c_str()) == 0);
  return program;
}

struct Said {
  std::string out, err;
};

Said run_site(const std::string& flags, const std::string& what, const std::string& more = "") {
  const std::string folder = std::filesystem::path(RIDGE_VIRTUAL_CUDART).parent_path().string();
  const std::string command = fmt::format(
      "RIDGE_CHECKS=all,leak LD_LIBRARY_PATH={} {} '{}' {} >{} 2>{}", folder, built(flags).string(), what,
      more, runtime::test::own("site_out").string(), runtime::test::own("site_err").string());
  (void)std::system(command.c_str());
  return {tests::text_of(runtime::test::own("site_out")), tests::text_of(runtime::test::own("site_err"))};
}

// "host_site.cu:22" of the line that ends in this comment.
std::string line_of(const std::string& comment) {
  std::ifstream file(kSource);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.ends_with("// " + comment)) return fmt::format("host_site.cu:{}", number);
  }
  FAIL("no line ends in // " + comment);
  return {};
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  INFO(part);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("A message names the lines that allocated and freed, inlined or not, in any kind of executable") {
  const auto flags =
      GENERATE(as<std::string>(), "-Xcompiler -g1", "-O3 -Xcompiler -g1", "-g -Xcompiler -no-pie");
  INFO(flags);
  const std::string made = "cudaMalloc at " + line_of("in make_array") + ", called from host_site.cu:";
  has(run_site(flags, "past the end").err, "(cudaMalloc at " + line_of("in make_array") + ", called from " +
                                               line_of("calls make_array") + ", allocation #");
  const std::string freed = run_site(flags, "freed").err;
  has(freed, "that was freed: cudaFree at " + line_of("frees") + " came before this access (" + made);
  has(run_site(flags, "freed twice").err,
      "was freed before, by cudaFree at " + line_of("frees first") + " (" + made);
  has(run_site(flags, "freed in a stream").err, "cudaFreeAsync at " + line_of("frees in a stream") +
                                                    " came before this access (cudaMallocAsync at " +
                                                    line_of("allocates in a stream") + ", allocation #");
}

TEST_CASE("Memory that a shared object allocates is named by the shared object's line") {
  const std::filesystem::path library = runtime::test::own("host_site_library");
  const std::string command =
      fmt::format("{} -shared -DAS_LIBRARY -cudart shared -Xcompiler -fPIC,-g1 -o {} {}", tests::kCudaCompiler,
                  library.string(), kSource);
  REQUIRE(std::system(command.c_str()) == 0);
  has(run_site("-Xcompiler -g1", "library", library.string()).err,
      "(cudaMalloc at " + line_of("in the library") + ", called from host_site.cu:");
}

TEST_CASE("Without debug lines a message names functions, and in a stripped program only the number") {
  has(run_site("-Xcompiler -g0", "freed").err,
      "cudaFree in `main` came before this access (cudaMalloc in `float* make_array<float>(int)`, allocation "
      "#");
  const Said stripped = run_site("-Xlinker -s", "past the end");
  has(stripped.err, "(cudaMalloc, allocation #1 of 400 bytes");
}

TEST_CASE("The list of leaks has each allocation's line, size and number, sixteen of them at most") {
  const std::string err = run_site("-Xcompiler -g1", "leaks").err;
  has(err,
      "virtual GPU: 22 allocations with 1290 bytes in all were not freed at exit: call cudaFree for what "
      "cudaMalloc gave\n");
  has(err, ": 400 bytes from cudaMallocManaged at " + line_of("leaks managed memory") + "\n");
  has(err, ": 500 bytes from cudaHostAlloc at " + line_of("leaks pinned memory") + "\n");
  has(err, ": 10 bytes from cudaMalloc at " + line_of("in make_array") + ", called from host_site.cu:");
  has(err, "\n  and 6 more\n");
  CHECK(err.find("600 bytes") == std::string::npos);  // freed in its stream
  size_t listed = 0;
  for (size_t at = 0; (at = err.find("\n  allocation #", at)) != std::string::npos; ++at)
    ++listed;
  CHECK(listed == 16);
  CHECK(run_site("-Xcompiler -g1", "").err.empty());
}

TEST_CASE("A kernel that wants its cluster's size from the launch refuses to go without one") {
  const Said said = run_site("-Xcompiler -g1", "no cluster size");
  CHECK(said.out == "cudaErrorInvalidClusterSize\ncudaSuccess\n");
  has(said.err, "any_cluster(float*) was not launched: it was compiled with __cluster_dims__() and no size");
  has(said.err, "launch it with cudaLaunchKernelEx and cudaLaunchAttributeClusterDimension");
}
