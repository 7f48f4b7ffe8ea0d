// What the grader finds out about a compiled file and its launches without trusting their output.
#include "harness/grade/integrity/scan.h"

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "harness/grade/diagnosis/returned_buffers.h"
#include "tests/catch.h"

using namespace ridge;
using grade::Verdict;

namespace {

trace::LaunchReport launch(const std::string& kernel, uint64_t bytes) {
  trace::LaunchReport report;
  report.kernel = kernel;
  trace::InstructionCounts instruction;
  instruction.space = "global";
  instruction.bytes = bytes;
  instruction.requests = bytes / 128;
  instruction.executions = bytes / 128 + 1;
  instruction.lanes = bytes / 4;
  instruction.sectors = bytes / 32;
  report.instructions.push_back(instruction);
  return report;
}

}  // namespace

TEST_CASE("launches are checked against the file's kernels and the work's bytes and operations") {
  build::Compiled compiled;
  compiled.kernels = {{"add(float*)"}, {"scale(float*)"}};
  auto forged = launch("add(float*)", 1000);
  forged.instructions[0].requests = 1'000'000;
  auto outside = launch("add(float*)", 1000);  // and boxes that lie outside their tensor
  outside.instructions.push_back(outside.instructions[0]);
  outside.instructions[1].opcode = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group";
  outside.instructions[1].requests = 48;
  outside.instructions[1].bytes = outside.instructions[1].sectors = 0;
  auto idle = launch("add(float*)", 1000), busy = idle, adding = idle;
  idle.classes = {{"fp32", 1, 5}, {"integer", 1, 2}, {"global load", 1, 1000}};
  busy.classes = {{"fp32", 1, 16}};
  adding.classes = {{"integer", 1, 2}, {"global reduction", 1, 32}};
  struct Row {
    const char* what;
    std::vector<trace::LaunchReport> launches;
    bool streams;
    std::optional<Verdict> verdict;
  };
  const Row rows[] = {
      {"as much as there is", {launch("add(float*)", 1000)}, true, {}},
      {"in two kernels", {launch("add(float*)", 600), launch("scale(float*)", 500)}, true, {}},
      {"none", {}, true, Verdict::suspect},
      {"another's kernel", {launch("cublas(float*)", 1000)}, true, Verdict::suspect},
      {"hardly anything touched", {launch("add(float*)", 100)}, true, Verdict::suspect},
      {"three times as much", {launch("add(float*)", 3000)}, true, Verdict::slow},
      {"three times as much where data is used again", {launch("add(float*)", 3000)}, false, {}},
      {"more requests than bytes", {forged}, true, Verdict::suspect},
      {"boxes of no bytes", {outside}, true, {}},
      {"too few instructions for 1000 operations", {idle}, true, Verdict::suspect},
      {"enough of them", {busy}, true, {}},
      {"all of them by atomics", {adding}, true, {}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    auto outcome = grade::scan_launches(row.launches, compiled, 1000, 1000, row.streams);
    REQUIRE(outcome.has_value() == row.verdict.has_value());
    if (outcome) CHECK(static_cast<int>(outcome->verdict) == static_cast<int>(*row.verdict));
  }
}

TEST_CASE("a file that is not a library is reported as such, for any content") {
  const std::filesystem::path file = std::filesystem::path(RIDGE_BINARY_DIR) / "no-library.so";
  for (size_t length : {0, 3, 63, 64, 200}) {
    std::string bytes(length, '\xff');
    if (length >= 4)
      std::memcpy(bytes.data(),
                  "\x7f"
                  "ELF",
                  4);
    std::ofstream(file, std::ios::binary) << bytes;
    CHECK_THROWS_AS(grade::symbols_of(file), std::runtime_error);
  }
}

TEST_CASE("memory that changes during the comparison gives a verdict without a crash") {
  const problems::Problem& problem = problems::find_problem("scale");
  problems::Case given = problems::make_case(problem, {500}, problems::Draw::uniform, 1);
  std::vector<problems::LargeArray<std::byte>> memory;
  std::vector<std::byte> band(256, std::byte{runner::kGuardByte});
  std::vector<runner::Returned> returned;
  for (size_t i = 0; i < given.buffers.size(); ++i)
    memory.emplace_back(given.initial[0]);
  for (auto& bytes : memory)
    returned.push_back({band, bytes, band});
  std::atomic<bool> done = false;
  // Bytes of one value or another, through a pointer that the compiler may not reason about.
  std::thread child([&] {
    for (unsigned turn = 0; !done; ++turn)
      for (auto& bytes : memory)
        __atomic_store_n(reinterpret_cast<unsigned char*>(bytes.data()) + turn % bytes.size(),
                         static_cast<unsigned char>(turn), __ATOMIC_RELAXED);
  });
  for (int look = 0; look < 200; ++look)
    (void)grade::examine(given, returned);
  done = true;
  child.join();
}
