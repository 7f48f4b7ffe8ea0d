#include "virtual_gpu/runtime/devices/device_properties.h"

#include "tests/catch.h"

using namespace ridge;

TEST_CASE("From compute capability 8.0 on three quarters of L2 may be set aside, before that nothing") {
  for (const char* name : {"H200", "H100", "A100", "RTX4090", "T4"}) {
    INFO(name);
    const warp_model::DeviceDescription* const device = warp_model::find_device(name);
    REQUIRE(device != nullptr);
    const cudaDeviceProp properties = runtime::device_properties(*device, 0);
    const auto most = static_cast<uint64_t>(properties.persistingL2CacheMaxSize);
    CHECK(most == (properties.major >= 8 ? device->l2_bytes / 4 * 3 : 0));
    CHECK((properties.accessPolicyMaxWindowSize > 0) == (most > 0));
    CHECK(runtime::device_attribute(*device, 0, cudaDevAttrMaxPersistingL2CacheSize) ==
          properties.persistingL2CacheMaxSize);
  }
}
