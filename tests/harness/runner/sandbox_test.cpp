// What a student's code can reach in each sandbox that this machine has. Where a machine has one not,
// its case says so and checks nothing.
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
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

// Listens on a port of the machine's loopback interface, and on an abstract socket named for it.
class Listener {
 public:
  Listener() {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof here;
    REQUIRE(bind(internet_, reinterpret_cast<sockaddr*>(&here), sizeof here) == 0);
    REQUIRE(listen(internet_, 4) == 0);
    REQUIRE(getsockname(internet_, reinterpret_cast<sockaddr*>(&here), &length) == 0);
    port_ = std::to_string(ntohs(here.sin_port));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const std::string text = "ridge-test-" + port_;
    text.copy(name.sun_path + 1, sizeof name.sun_path - 1);
    REQUIRE(bind(abstract_, reinterpret_cast<sockaddr*>(&name),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size())) == 0);
    REQUIRE(listen(abstract_, 4) == 0);
  }
  ~Listener() {
    close(internet_);
    close(abstract_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  const std::string& port() const { return port_; }

 private:
  int internet_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int abstract_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string port_;
};

// nullopt: this machine cannot.
std::optional<Run> run(const char* mechanism, const std::string& entry, bool loopback = false,
                       const std::string& port = "0") {
  tests::Setting setting("RIDGE_SANDBOX", mechanism);
  std::filesystem::path scratch =
      std::filesystem::path(RIDGE_BINARY_DIR) / "mechanism-test" / (entry + mechanism);
  std::filesystem::remove_all(scratch);
  std::filesystem::create_directories(scratch);
  runner::SessionOptions options;
  options.installation = runner::find_installation();
  options.library_folder = options.installation.virtual_libraries;
  options.scratch = scratch;
  options.loopback = loopback;
  options.environment.emplace_back("RIDGE_TEST_PORT", port);
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

TEST_CASE("with the loopback network a child in bubblewrap talks to itself and to nobody else") {
  const Listener listener;
  for (const char* mechanism : {"bubblewrap", "limits"}) {
    INFO(mechanism);
    const bool apart = mechanism == std::string("bubblewrap");
    auto result = run(mechanism, "uses_the_loopback", true, listener.port());
    if (!result || result->mechanism.find("not filtered") != std::string::npos) continue;
    INFO(result->mechanism);
    CHECK((result->mechanism.find("its own loopback") != std::string::npos) == apart);
    CHECK(result->printed == (apart ? "talks to itself\nlists interfaces\ntried\n"
                                    : "cannot talk to itself\ncannot list interfaces\ntried\n"));
  }
  // Nothing of it without being asked for.
  if (auto refused = run("bubblewrap", "uses_the_loopback", false, listener.port());
      refused && refused->mechanism.find("not filtered") == std::string::npos)
    CHECK(refused->printed == "cannot talk to itself\ncannot list interfaces\ntried\n");
}

TEST_CASE("without a sandbox the same child reaches the listeners, so that the test above can fail") {
  const Listener listener;
  auto result = run("none", "uses_the_loopback", true, listener.port());
  REQUIRE(result);
  CHECK(result->printed.find("reached: a port of the machine") != std::string::npos);
  CHECK(result->printed.find("reached: an abstract socket of the machine") != std::string::npos);
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
