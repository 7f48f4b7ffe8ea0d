// What a student's code can reach in each sandbox that this machine has. Where a machine has one not,
// its case says so and checks nothing.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "harness/runner/inspection.h"
#include "harness/runner/process_usage.h"
#include "harness/runner/session.h"
#include "tests/catch.h"
#include "tests/harness/runner/modules.h"
#include "tests/harness/runner/setting.h"

using namespace ridge;
using runner::ChildEnd;
using runner::Failure;

namespace {

struct Run {
  std::string printed, mechanism;
  std::optional<ChildEnd> end;
};

// nullopt: this machine cannot.
std::optional<Run> run(const char* mechanism, const std::string& entry) {
  tests::Setting setting("RIDGE_SANDBOX", mechanism);
  std::filesystem::path scratch =
      std::filesystem::path(RIDGE_BINARY_DIR) / "mechanism-test" / (entry + mechanism);
  std::filesystem::remove_all(scratch);
  std::filesystem::create_directories(scratch);
  runner::SessionOptions options;
  options.installation = runner::find_installation();
  options.library_folder = options.installation.virtual_libraries;
  options.scratch = scratch;
  options.readable = {tests::kModules};
  options.call_limit_seconds = 60;
  options.most_memory_bytes = 500 << 20;
  options.most_folder_bytes = 100 << 20;
  std::optional<runner::Session> session;
  try {
    session.emplace(options);
  } catch (const std::runtime_error& error) {
    WARN("not on this machine: " << error.what());
    return std::nullopt;
  }
  REQUIRE_FALSE(
      session->load(tests::kModules / "hostile_entries.so", entry, problems::find_problem("scale")));
  auto answer = session->run_case(
      problems::make_case(problems::find_problem("scale"), {100}, problems::Draw::uniform, 1), false);
  Run result{session->printed(), session->sandbox(), {}};
  if (auto* failure = std::get_if<Failure>(&answer)) result.end = failure->end;
  std::filesystem::remove_all(scratch);
  return result;
}

}  // namespace

TEST_CASE("inside the sandbox only the scratch folder is accessible") {
  for (const char* mechanism : {"bubblewrap", "limits"}) {
    INFO(mechanism);
    auto result = run(mechanism, "tries_everything");
    if (!result) continue;
    INFO(result->mechanism);
    CHECK(result->mechanism.starts_with(mechanism));
    if (result->mechanism.find("not filtered") != std::string::npos ||
        result->mechanism.find("no Landlock") != std::string::npos)
      continue;  // a build with sanitizers, an older kernel
    CHECK(result->printed == "tried\n");
  }
}

TEST_CASE("without a sandbox the same attempts succeed, so that the test above can fail") {
  auto result = run("none", "tries_everything");
  REQUIRE(result);
  CHECK(result->printed.find("reached: the clone") != std::string::npos);
  CHECK(result->printed.find("reached: a process of its own") != std::string::npos);
  CHECK(result->mechanism.starts_with("none"));
  std::filesystem::remove(std::filesystem::path(RIDGE_SOURCE_DIR) / "trust.test");
  for (const char* file : {"/var/tmp/ridge.test", "/usr/ridge.test"})
    std::filesystem::remove(file);
}

TEST_CASE("inside bubblewrap no process of the parent is visible") {
  auto result = run("bubblewrap", "counts_processes");
  if (result) CHECK(result->printed == "others: 1\n");  // bubblewrap itself, which waits for it
}

TEST_CASE("a child that takes all memory or all disk is stopped in time") {
  for (const char* entry : {"takes_memory", "fills_the_folder"}) {
    INFO(entry);
    auto result = run("auto", entry);
    REQUIRE(result);
    REQUIRE(result->end);
    CHECK(static_cast<int>(result->end->how) == static_cast<int>(ChildEnd::How::over_limit));
    CHECK(result->end->words().find("GB") != std::string::npos);
  }
}

TEST_CASE("an unknown value of RIDGE_SANDBOX is reported with the allowed ones") {
  tests::Setting setting("RIDGE_SANDBOX", "bubblewarp");
  runner::SessionOptions options;
  options.installation = runner::find_installation();
  CHECK_THROWS_WITH(runner::Session(options),
                    Catch::Contains("bubblewarp") && Catch::Contains("auto, bubblewrap, limits or none"));
}

TEST_CASE(
    "the file itself may be replaced by another of its name, but no other library may "
          "appear") {
  runner::ProcessSnapshot before, after;
  before.visible = after.visible = true;
  after.libraries = {"/cache/key.so (deleted)"};
  CHECK(runner::what_changed(before, after, "/cache/key.so", {}).empty());
  after.libraries.insert("/cache/other.so (deleted)");
  CHECK_THAT(runner::what_changed(before, after, "/cache/key.so", {}),
             Catch::Contains("brought /cache/other.so"));
}
