// What of our environment a program that is not trusted gets.
#include "harness/sandbox/environment.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/harness/runner/setting.h"

using namespace ridge;

TEST_CASE("only variables that a program needs are passed on") {
  for (const char* name : {"PATH", "LC_ALL", "CUDA_VISIBLE_DEVICES", "RIDGE_DEVICE", "NCCL_NVLS_ENABLE"}) {
    INFO(name);
    CHECK(sandbox::may_be_passed_on(name));
  }
  for (const char* name : {"GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "LD_PRELOAD", "LD_AUDIT", "SSH_AUTH_SOCK",
                           "NVIDIA_TF32_OVERRIDE", "RIDGE_ROOT", "RIDGE_HOME", "PATHS", "", "RIDGE_TOKEN"}) {
    INFO(name);
    CHECK_FALSE(sandbox::may_be_passed_on(name));
  }
  const tests::Setting secret("A_TOKEN_OF_OURS", "secret");
  const std::vector<std::string> passed = sandbox::passed_on_environment();
  CHECK(std::none_of(passed.begin(), passed.end(), [](const std::string& line) {
    return line.find("A_TOKEN_OF_OURS") != std::string::npos;
  }));
  CHECK(std::any_of(passed.begin(), passed.end(),
                    [](const std::string& line) { return line.starts_with("PATH="); }));
}
