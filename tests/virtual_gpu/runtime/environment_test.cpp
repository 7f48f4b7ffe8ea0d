// A whole program under the library, told by environment variables what to leave behind.
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "built_fatbin.h"
#include "tests/catch.h"
#include "tests/cuda_compiler.h"
#include "tests/locked_file.h"
#include "tests/text_of.h"
#include "trace/access_trace.h"
#include "trace/launch_report.h"

using namespace ridge;
using runtime::test::read_bytes;
using runtime::test::work_folder;

namespace {

struct Ran {
  int status;
  std::string out, err;
};

// environment.cu, built with these flags by the first test that asks.
std::filesystem::path program_with(const std::string& flags) {
  namespace fs = std::filesystem;
  const fs::path source = RIDGE_SOURCE_DIR "/tests/virtual_gpu/runtime/environment.cu";
  const fs::path program = work_folder() / ("environment" + std::to_string(std::hash<std::string>{}(flags)));
  const tests::LockedFile lock(program.string() + ".lock");
  if (fs::exists(program) && fs::last_write_time(program) > fs::last_write_time(source) &&
      fs::last_write_time(program) > tests::compiler_time()) {
    return program;
  }
  const fs::path made = runtime::test::own("environment");
  const std::string build = tests::kCudaCompiler + " " + flags + " -cudart shared -lineinfo -o " +
                            made.string() + " " + source.string();
  REQUIRE(std::system(build.c_str()) == 0);
  fs::rename(made, program);
  return program;
}

// Run with these variables.
Ran run_with(const std::string& environment, const std::string& argument = "",
             const std::string& flags = runtime::test::kBothImages) {
  const std::filesystem::path program = program_with(flags);
  std::string folder = std::filesystem::path(RIDGE_VIRTUAL_CUDART).parent_path().string();
  std::string command = "LD_LIBRARY_PATH=" + folder + " " + environment + " " + program.string() + " " +
                        argument + " >" + runtime::test::own("out").string() + " 2>" +
                        runtime::test::own("err").string();
  int status = std::system(command.c_str());
  return {status, tests::text_of(runtime::test::own("out")), tests::text_of(runtime::test::own("err"))};
}

}  // namespace

TEST_CASE("without environment variables a program writes no report") {
  Ran ran = run_with("");
  CHECK(ran.status == 0);
  CHECK(ran.out == "NVIDIA H200 (virtual): cudaSuccess\n");
  CHECK(ran.err.empty());
}

TEST_CASE("Every launch adds one line to the report, with its range and what the cubin says") {
  std::filesystem::path file = runtime::test::own("report");
  std::filesystem::remove(file);
  Ran ran = run_with("RIDGE_REPORT=" + file.string());
  REQUIRE(ran.status == 0);
  auto reports = trace::read_reports(file);
  REQUIRE(reports.size() == 3);
  CHECK(reports[0].range == 0);
  CHECK(reports[1].range == 1);
  CHECK(reports[2].range == 1);
  CHECK(reports[0].kernel == "scale(float*, int)");
  CHECK(reports[0].device == "H200 (virtual)");
  CHECK(reports[0].grid == std::array<uint32_t, 3>{4, 1, 1});
  CHECK(reports[0].block == std::array<uint32_t, 3>{256, 1, 1});
  CHECK((reports[0].registers_per_thread > 0) == tests::kHasNvcc);  // the cubin says it
  CHECK(reports[0].occupancy == 1.0);
  CHECK(reports[2].static_shared_bytes == 1024);
  CHECK(reports[2].barriers == 8);
  // 1000 floats: 31 whole warps and one of 8 lanes load 125 sectors, and store them.
  REQUIRE(reports[0].instructions.size() >= 2);
  uint64_t sectors = 0, bytes = 0;
  for (const auto& instruction : reports[0].instructions) {
    if (instruction.space != "global") continue;
    sectors += instruction.sectors;
    bytes += instruction.bytes;
    CHECK(instruction.file.find("environment.cu") != std::string::npos);
    CHECK(instruction.line == 14);
  }
  CHECK(sectors == 2 * 125);
  CHECK(bytes == 2 * 4000);
}

TEST_CASE("A summary has one line for all launches of a kernel with one shape, with the sums of their counts") {
  const std::filesystem::path each = runtime::test::own("each"), summed = runtime::test::own("summed");
  std::filesystem::remove(each);
  std::filesystem::remove(summed);
  REQUIRE(run_with("RIDGE_REPORT=" + each.string(), "again").status == 0);
  REQUIRE(run_with("RIDGE_REPORT_SUMMARY=1 RIDGE_REPORT=" + summed.string(), "again").status == 0);
  const auto launches = trace::read_reports(each), sums = trace::read_reports(summed);
  CHECK(launches.size() == 4);
  CHECK(sums.size() == 3);
  uint64_t wanted = 0, found = 0;
  for (const auto& launch : launches)
    wanted += launch.warp_instructions;
  for (const auto& sum : sums)
    found += sum.warp_instructions;
  CHECK(found == wanted);
}

TEST_CASE("a fault is printed on stderr once, also beside a report, and only in the report when graded") {
  Ran plain = run_with("", "fault");
  CHECK(plain.out == "NVIDIA H200 (virtual): cudaErrorIllegalAddress\n");
  size_t first = plain.err.find("environment.cu:14");
  CHECK(first != std::string::npos);
  CHECK(plain.err.find("environment.cu:14", first + 1) == std::string::npos);
  CHECK(plain.err.find("\033[") == std::string::npos);

  std::filesystem::path file = runtime::test::own("fault_report");
  std::filesystem::remove(file);
  CHECK(run_with("RIDGE_REPORT=" + file.string(), "fault").err.find("environment.cu:14") != std::string::npos);
  std::filesystem::remove(file);
  Ran reported = run_with("RIDGE_GRADED=1 RIDGE_REPORT=" + file.string(), "fault");
  CHECK(reported.err.empty());
  auto reports = trace::read_reports(file);
  REQUIRE(reports.size() == 4);
  REQUIRE(reports[3].findings.size() == 1);
  CHECK(reports[3].findings[0].check == "out_of_bounds");
  CHECK(reports[3].findings[0].line == 14);
}

TEST_CASE("The trace holds the first launch of the first range") {
  std::filesystem::path file = runtime::test::own("trace");
  std::filesystem::remove(file);
  Ran ran = run_with("RIDGE_TRACE=" + file.string() + " RIDGE_TRACE_BLOCKS=0,3");
  CHECK(ran.err.find("2 blocks, ") != std::string::npos);  // says what was recorded and what was left out
  trace::AccessTrace trace = trace::read_access_trace(file);
  CHECK(trace.launch.kernel == "scale(float*, int)");
  CHECK(trace.launch.grid == std::array<uint32_t, 3>{8, 1, 1});
  REQUIRE(trace.blocks.size() == 2);
  CHECK(trace.blocks[1].block() == 3);
  CHECK(trace.blocks[0].size() >= 8);
  REQUIRE(trace.arrays.size() == 1);
  CHECK(trace.arrays[0].bytes == 4096);
  CHECK_FALSE(trace.launch.ptx_lines.empty());
}

TEST_CASE("a trace of a launch that never happened is an error with the launches that did") {
  struct Case {
    const char* asked;
    std::vector<const char*> says;
  };
  const Case cases[] = {
      {"RIDGE_TRACE_KERNEL=transpose",
       {"no launch of a kernel whose name holds \"transpose\"", "scale(float*, int), launched 2 times",
        "with_shared(float*), launched once"}},
      {"RIDGE_TRACE_KERNEL=scale RIDGE_TRACE_LAUNCH=3", {"launch 3 of a kernel", "there were only 2"}},
      {"RIDGE_TRACE_LAUNCH=9", {"launch 9 was asked for, and there were only 3"}},
  };
  const std::filesystem::path file = runtime::test::own("missed");
  for (const Case& c : cases) {
    INFO(c.asked);
    const Ran ran = run_with(std::string(c.asked) + " RIDGE_TRACE=" + file.string());
    INFO(ran.err);
    CHECK_FALSE(std::filesystem::exists(file));
    for (const char* words : c.says)
      CHECK(ran.err.find(words) != std::string::npos);
  }
  CHECK(run_with("RIDGE_TRACE_KERNEL=with RIDGE_TRACE=" + file.string()).err.find("no trace") ==
        std::string::npos);
  CHECK(std::filesystem::exists(file));
}

TEST_CASE("Memory that was not freed is a line only when leaks are asked for") {
  CHECK(run_with("", "leak").err.empty());
  CHECK(run_with("RIDGE_CHECKS=all", "leak").err.empty());
  CHECK(run_with("RIDGE_CHECKS=leak", "leak").err.find("1 allocation with 4096 bytes in all was not freed") !=
        std::string::npos);
  CHECK(run_with("RIDGE_CHECKS=leak").err.empty());
}

TEST_CASE("Another device and a value that is not understood") {
  Ran ran = run_with("RIDGE_THREADS=zero", "", "-gencode arch=compute_80,code=compute_80");
  CHECK(ran.out == "NVIDIA H200 (virtual): cudaSuccess\n");
  CHECK(ran.err.find("RIDGE_THREADS=zero") != std::string::npos);
  Ran other = run_with("RIDGE_DEVICE=A100", "", "-gencode arch=compute_80,code=compute_80");
  CHECK(other.out.find("A100") != std::string::npos);
  CHECK(other.out.find("cudaSuccess") != std::string::npos);
}

TEST_CASE("A program without PTX says which kernel and which flags", "[nvcc]") {
  if (tests::skipped_without_nvcc("a program without PTX")) return;
  Ran none = run_with("", "", "-gencode arch=compute_90a,code=sm_90a");
  CHECK(none.err.find("scale(float*, int) was built without PTX") != std::string::npos);
  CHECK(none.err.find("-gencode arch=compute_90a,code=[sm_90a,compute_90a]") != std::string::npos);
}

TEST_CASE("A program for another GPU says that its PTX is not usable") {
  Ran newer = run_with("RIDGE_DEVICE=A100", "", runtime::test::kBothImages);
  CHECK(newer.err.find("built for another GPU") != std::string::npos);
  CHECK(newer.err.find("compute_90a") != std::string::npos);
}

TEST_CASE("Without the bounds check a wild write inside device memory's address range goes through") {
  CHECK(run_with("", "fault").out.find("cudaErrorIllegalAddress") != std::string::npos);
  CHECK(run_with("RIDGE_CHECKS=none", "fault").out.find("cudaSuccess") != std::string::npos);
}

TEST_CASE("A program that ignores a fault ends with the status that the command asks for") {
  struct Case {
    std::string environment, argument;
    int status;
  };
  const Case cases[] = {{"", "fault", 0},
                        {"RIDGE_FAULT_STATUS=5", "fault", 5},
                        {"RIDGE_FAULT_STATUS=5", "", 0},
                        {"RIDGE_FAULT_STATUS=0", "fault", 0}};
  for (const Case& c : cases) {
    INFO(c.environment << " " << c.argument);
    const int status = run_with(c.environment, c.argument).status;
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == c.status);
  }
}

TEST_CASE("A signal while a kernel is executed names the instruction, and becomes a finding of the report") {
  const std::filesystem::path file = runtime::test::own("crash_report");
  std::filesystem::remove(file);
  const Ran ran = run_with("RIDGE_REPORT=" + file.string(), "signal");
  CHECK(ran.status != 0);
  CHECK_THAT(ran.err, Catch::Contains("The virtual GPU failed: SIGSEGV while it executed `") &&
                          Catch::Contains("environment.cu:") &&
                          Catch::Contains("of _Z8wait_forPVi, block (0,0,0), warp 0"));
  const auto reports = trace::read_reports(file);
  REQUIRE(reports.size() == 4);
  REQUIRE(reports[3].findings.size() == 1);
  CHECK(reports[3].findings[0].check == "internal");
  CHECK(reports[3].kernel == "_Z8wait_forPVi");
}

TEST_CASE("Without the barrier check a shuffle goes on whose mask lacks the lane that executes it") {
  const Ran checked = run_with("", "mask");
  CHECK_THAT(checked.out, !Catch::Contains("cudaSuccess"));
  CHECK_THAT(checked.err, Catch::Contains("does not name lane"));
  const Ran unchecked = run_with("RIDGE_CHECKS=none", "mask");
  CHECK_THAT(unchecked.out, Catch::Contains("cudaSuccess"));
  CHECK(unchecked.err.empty());
}
