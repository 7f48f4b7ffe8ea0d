// A file that finds the baseline's library in its process and lets it do the work, on the virtual GPU with a
// made-up cuBLAS.
#include "harness/grade/timed_alone.h"

#include <fstream>
#include <numeric>

#include "harness/grade/child_session.h"
#include "harness/grade/scratch_folder.h"
#include "tests/catch.h"
#include "tests/harness/runner/setting.h"
#include "tests/text_of.h"

using namespace ridge;
namespace fs = std::filesystem;

namespace {

// The virtual GPU's runtime with a cuBLAS beside it.
fs::path with_fakes() {
  const fs::path folder = fs::path(RIDGE_BINARY_DIR) / "lib" / "tests" / "fakes";
  fs::copy_file(runner::find_installation().virtual_libraries / "libcudart.so.13", folder / "libcudart.so.13",
                fs::copy_options::update_existing);
  return folder;
}

// The cheat, its own kernel made so slow that no clock is needed to tell it from the library.
fs::path slow_on_its_own(const fs::path& folder) {
  const fs::path cheats = fs::path(RIDGE_SOURCE_DIR) / "tests/cheats";
  std::string text = tests::text_of(cheats / "headers/multiply.cuh");
  const std::string before = "  float sum = 0;\n";
  const size_t at = text.find(before);
  REQUIRE(at != std::string::npos);
  text.insert(at,
              "  for (int turn = 0; turn < 600; ++turn) *reinterpret_cast<volatile float*>(c + col) = 0;\n");
  fs::create_directories(folder);
  std::ofstream(folder / "multiply.cuh") << text;
  const fs::path file = folder / "slow_on_its_own.cu";
  fs::copy_file(cheats / "library/finds_the_library.cu", file, fs::copy_options::overwrite_existing);
  return file;
}

// An H200 whose L2 few sets of buffers exceed.
fs::path with_small_l2(const fs::path& folder) {
  std::string text = tests::text_of(fs::path(RIDGE_SOURCE_DIR) / "warp_model/devices/h200.toml");
  const std::string before = "l2_bytes = { value = 62914560";
  const size_t at = text.find(before);
  REQUIRE(at != std::string::npos);
  text.replace(at, before.size(), "l2_bytes = { value = 4194304");
  fs::create_directories(folder);
  std::ofstream(folder / "small_l2.toml") << text;
  return folder / "small_l2.toml";
}

}  // namespace

TEST_CASE("a file that calls the loaded baseline library is slow in a process without it", "[realtime]") {
  const fs::path root = RIDGE_SOURCE_DIR, folder = fs::path(RIDGE_BINARY_DIR) / "timed-alone-test";
  const build::Compiled compiled =
      build::compile(slow_on_its_own(folder), folder / "cache", "90a", {root / "labs/05-gemm-float32"});
  INFO(compiled.messages);
  REQUIRE(compiled.ok);
  const tests::Setting device("RIDGE_DEVICE", with_small_l2(folder).c_str());
  const grade::ScratchFolder scratch(folder);
  grade::TimedWork work;
  work.problem = &problems::find_problem("gemm");
  work.sizes = {1, 512, 1024};
  work.baseline = "cublasSgemm";
  work.seed = 42;
  work.limits = {.warm_up_seconds = 0, .fewest = 1, .least_seconds = 0, .most_seconds = 1, .calls = 1};
  // Calls of 8 ms and 60 ms. The other clocks agree with these times, so a busy host changes nothing.
  work.clock = [](runner::PassRun run, bool) {
    run.host_ms = run.device_ms;
    run.parent_ms = std::accumulate(run.host_ms.begin(), run.host_ms.end(), 0.5);
    return run;
  };
  const runner::Installation installation = runner::find_installation();
  const grade::AloneWork alone{installation, compiled,       grade::Engine::virtual_gpu,
                               with_fakes(), scratch.path(), "gemm"};
  REQUIRE(grade::brings_code(work.baseline));

  grade::TimedGrade beside;
  {
    runner::SessionOptions options =
        grade::child_session(installation, alone.engine, alone.libraries, scratch.path());
    options.readable = {compiled.object};
    runner::Session session(options);
    REQUIRE_FALSE(session.load(compiled.object, "gemm", *work.problem));
    beside = grade::time_on_gpu(session, {session, options.report_file, 10}, work);
    CHECK(session.what_changed({true, 0}) == "");  // nothing else tells
  }
  INFO((beside.outcome ? beside.outcome->summary + beside.outcome->detail : ""));
  REQUIRE(beside.measured.rounds > 0);
  CAPTURE(beside.measured.time_ms, beside.measured.baseline_ms);
  const auto outcome = grade::time_alone(alone, work, beside.measured);
  REQUIRE(outcome);
  INFO(outcome->summary);
  CHECK(outcome->verdict == grade::Verdict::suspect);
  CHECK_THAT(outcome->summary, Catch::Contains("where cublasSgemm is loaded"));
}

TEST_CASE("the library's time is distinguished from the clock's error") {
  struct Row {
    double beside_ms, alone_ms;
    bool suspect;
  };
  for (const Row& row : {Row{2.7, 30, true}, Row{2.7, 2.7, false}, Row{2.7, 2.0, false}, Row{2.7, 3.2, false},
                         Row{2.7, 3.5, true}, Row{0.005, 0.012, false}, Row{0.005, 0.05, true}}) {
    grade::Measured beside, alone;
    beside.time_ms = row.beside_ms;
    alone.time_ms = row.alone_ms;
    const auto outcome = grade::check_time_alone(beside, alone, "cublasSgemm");
    CHECK(outcome.has_value() == row.suspect);
    if (outcome) CHECK(outcome->summary.find("cublasSgemm") != std::string::npos);
  }
  CHECK(grade::brings_code("cub_sum"));
  CHECK(grade::brings_code("cublas_best"));
  CHECK_FALSE(grade::brings_code("device_copy"));
}

TEST_CASE("a process that is slow by chance is not held against the file") {
  struct Row {
    std::vector<double> alone_ms;  // of the processes, in their order
    size_t processes;
    bool suspect;
  };
  for (const Row& row : {Row{{5.6}, 1, false}, Row{{7.4, 5.7}, 2, false}, Row{{7.4, 7.5, 5.6}, 3, false},
                         Row{{7.4, 7.5, 7.4}, 3, true}}) {
    grade::Measured beside;
    beside.time_ms = 5.6;
    size_t processes = 0;
    const auto outcome = grade::check_processes(beside, "cublasSgemm", [&] {
      grade::TimedGrade timed;
      timed.measured.time_ms = row.alone_ms.at(processes++);
      return timed;
    });
    CHECK(outcome.has_value() == row.suspect);
    CHECK(processes == row.processes);
  }
  size_t processes = 0;
  const auto wrong = grade::check_processes({}, "cublasSgemm", [&] {
    ++processes;
    grade::TimedGrade timed;
    timed.outcome = grade::outcome_with({"suspect.process_changed", {{"change", "left a thread"}}});
    return timed;
  });
  CHECK(wrong.has_value());
  CHECK(processes == 1);  // another process does not make a wrong answer right
}

TEST_CASE("in the process without the library it cannot be found, if bubblewrap works") {
  const fs::path fakes = with_fakes();
  const std::vector<fs::path> hidden = runner::library_files(fakes);
  REQUIRE(std::find(hidden.begin(), hidden.end(), fs::canonical(fakes / "libcublas.so.13")) != hidden.end());
  runner::SessionOptions options;
  options.installation = runner::find_installation();
  options.library_folder = fakes;
  options.hidden = hidden;
  runner::Session session(options);
  if (!session.sandbox().starts_with("bubblewrap")) {
    WARN("not on this machine: " << session.sandbox());
    return;
  }
  const problems::Problem& gemm = problems::find_problem("gemm");
  std::vector<problems::Case> sets = {problems::make_case(gemm, {4, 4, 4}, problems::Draw::uniform, 7)};
  const auto prepared = session.prepare({sets, "cublasSgemm", {}, {}});
  const auto* failure = std::get_if<runner::Failure>(&prepared);
  REQUIRE(failure);
  CHECK(failure->stage == runner::Failure::Stage::missing);
}
