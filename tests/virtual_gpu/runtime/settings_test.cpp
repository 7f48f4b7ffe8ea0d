#include "virtual_gpu/runtime/process/settings.h"

#include <map>
#include <string>
#include <vector>

#include "tests/catch.h"

using namespace ridge::runtime;

namespace {

Settings read(const std::map<std::string, std::string>& environment) {
  return read_settings([&](const char* name) -> const char* {
    auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

}  // namespace

TEST_CASE("Without environment variables everything has its default") {
  Settings settings = read({});
  CHECK(settings.warnings.empty());
  CHECK(settings.device->name == "H200");
  CHECK(settings.device_count == 1);
  CHECK(settings.checks == all_checks());
  CHECK_FALSE(settings.leak_check);
  CHECK(settings.report_path.empty());
  CHECK(settings.host_threads == 0);
}

TEST_CASE("Values that are understood are taken") {
  Settings settings = read({{"RIDGE_DEVICE", "a100"},
                            {"RIDGE_DEVICES", "4"},
                            {"RIDGE_THREADS", "3"},
                            {"RIDGE_TIME_LIMIT", "2.5"},
                            {"RIDGE_BLOCK_ORDER", "77"},
                            {"RIDGE_REPORT", "/tmp/r"},
                            {"RIDGE_HOST_APART", "1"},
                            {"RIDGE_GRADED", "1"},
                            {"RIDGE_TRACE_LIMIT", "4096"}});
  CHECK(settings.warnings.empty());
  CHECK(settings.device->name == "A100");
  CHECK(settings.device_count == 4);
  CHECK(settings.host_threads == 3);
  CHECK(settings.time_limit_s == 2.5);
  CHECK(settings.order_seed == 77);
  CHECK(settings.graded);
  CHECK(settings.trace_limit_bytes == 4096);
  CHECK(settings.host_apart);
}

TEST_CASE("Values that are not understood are named in one line and ignored") {
  using Pair = std::pair<std::string, std::string>;
  for (const auto& [name, value] : std::vector<Pair>{{"RIDGE_DEVICE", "H2OO"},
                                                     {"RIDGE_DEVICES", "0"},
                                                     {"RIDGE_THREADS", "-1"},
                                                     {"RIDGE_THREADS", "many"},
                                                     {"RIDGE_TIME_LIMIT", "2s"},
                                                     {"RIDGE_TRACE_LIMIT", "64M"},
                                                     {"RIDGE_CHECKS", "bounds,typo"}}) {
    INFO(name << "=" << value);
    Settings settings = read({{name, value}});
    REQUIRE(settings.warnings.size() == 1);
    CHECK(settings.warnings[0].find('\n') == std::string::npos);
    CHECK(settings.device->name == "H200");
  }
}

TEST_CASE("Checks are all, none or a list, and leaks only when named") {
  CHECK(read({{"RIDGE_CHECKS", "none"}}).checks.empty());
  CHECK(read({{"RIDGE_CHECKS", "all"}}).checks == all_checks());
  CHECK(read({{"RIDGE_CHECKS", "bounds,barrier"}}).checks == std::set<std::string>{"barrier", "bounds"});
  CHECK_FALSE(read({{"RIDGE_CHECKS", "all"}}).leak_check);
  Settings with_leak = read({{"RIDGE_CHECKS", "all,leak"}});
  CHECK(with_leak.leak_check);
  CHECK(with_leak.checks == all_checks());
}
