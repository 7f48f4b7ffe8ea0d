#include "harness/measure/gpu_monitor.h"

#include <cstdlib>

#include "tests/catch.h"

using namespace ridge::measure;

namespace {

const std::string kFake = RIDGE_BINARY_DIR "/lib/tests/fake_nvml.so";
const std::string kFakeOld = RIDGE_BINARY_DIR "/lib/tests/fake_old_nvml.so";
constexpr char kBus[] = "0000:0B:00.0";

GpuMonitor with(const char* answers, const std::string& bus = kBus, const std::string& library = kFake) {
  setenv("FAKE_NVML", answers, 1);
  return GpuMonitor(bus, library);
}

}  // namespace

TEST_CASE("the monitor reads clocks, temperature, power and reasons") {
  for (const std::string& library : {kFake, kFakeOld}) {
    INFO(library);
    const GpuMonitor monitor = with("clock=1755,power=699500,reasons=4", kBus, library);
    CHECK(monitor.why_not() == "");
    const auto state = monitor.state();
    REQUIRE(state);
    CHECK(state->sm_mhz == 1755);
    CHECK(state->memory_mhz == 3201);
    CHECK(state->temperature_c == 41);
    CHECK(state->power_w == Approx(699.5));
    CHECK(words_of_reasons(state->reasons) == std::vector<std::string>{"power cap"});
  }
}

TEST_CASE("without a working NVML there is no GPU state, and a reason") {
  const GpuMonitor none(kBus, "libno-such-nvml.so.1");
  CHECK_FALSE(none.state());
  CHECK(none.why_not().find("libno-such-nvml.so.1") != std::string::npos);
  const GpuMonitor refused = with("init=9");
  CHECK_FALSE(refused.state());
  CHECK(refused.why_not() == "NVML: starting: Driver Not Loaded");
  const GpuMonitor stranger = GpuMonitor(kBus, "libm.so.6");
  CHECK(stranger.why_not().find("has no nvml") != std::string::npos);
}

TEST_CASE("a GPU whose bus NVML does not know is used only if it is the only one") {
  CHECK(with("devices=1", "0000:99:00.0").state());
  CHECK(with("devices=1", "").state());
  const GpuMonitor several = with("devices=2", "0000:99:00.0");
  CHECK_FALSE(several.state());
  CHECK(several.why_not().find("by its bus") != std::string::npos);
}

TEST_CASE("throttle reasons have names, and idle is not one") {
  CHECK(words_of_reasons(0x1).empty());
  CHECK(words_of_reasons(0x44) == std::vector<std::string>{"power cap", "thermal limit (hardware)"});
  CHECK((kSlowedDown & 0x4) == 0);
}
