#include "warp_model/device.h"

#include "tests/catch.h"

using namespace ridge::warp_model;

TEST_CASE("a device is found by any usual spelling of its name") {
  struct Row {
    std::string_view asked, found;
  };
  const Row row = GENERATE(values<Row>({{"", "H200"},
                                        {"H200", "H200"},
                                        {"h200 (virtual)", "H200"},
                                        {"NVIDIA H100", "H100"},
                                        {"NVIDIA H100 80GB HBM3", "H100"},
                                        {"a-100", "A100"},
                                        {"rtx 4090", "RTX4090"},
                                        {"NVIDIA GeForce RTX 4090", "RTX4090"},
                                        {"Tesla T4", "T4"}}));
  CAPTURE(row.asked);
  const DeviceDescription* device = find_device(row.asked);
  REQUIRE(device != nullptr);
  CHECK(device->name == row.found);
}

TEST_CASE("an unknown device is answered with the nearest name first") {
  struct Row {
    std::string_view asked, nearest;
  };
  const Row row = GENERATE(values<Row>(
      {{"H20", "H200"}, {"H1000", "H100"}, {"A10", "A100"}, {"RTX4080", "RTX4090"}, {"T", "T4"}}));
  CAPTURE(row.asked);
  CHECK(find_device(row.asked) == nullptr);
  const std::vector<std::string_view> names = nearest_device_names(row.asked);
  CHECK(names.size() == devices().size());
  CHECK(names.front() == row.nearest);
  const std::string message = unknown_device_message(row.asked);
  CHECK(message.find(row.asked) < message.find("the nearest is"));
  CHECK(message.find(row.nearest, message.find("the nearest is")) == message.find("the nearest is") + 16);
}

TEST_CASE("a device's figures agree with one another") {
  for (const DeviceDescription& device : devices()) {
    CAPTURE(device.name);
    // Bandwidth from the pins: two transfers a clock. Data sheets round, and the H200's is 2% below its
    // clock.
    const double pins_gb_per_s = 2.0 * device.memory_clock_mhz * 1e6 * device.memory_bus_bits / 8 / 1e9;
    CHECK(device.memory_gb_per_s == Approx(pins_gb_per_s).epsilon(0.03));
    // 128 float lanes an SM, but 64 on sm_75 and sm_80.
    const bool half = device.compute_major == 7 || (device.compute_major == 8 && device.compute_minor == 0);
    const double lanes = half ? 64 : 128;
    CHECK(device.fp32_tflops ==
          Approx(device.multiprocessors * lanes * 2 * device.sm_clock_mhz * 1e-6).epsilon(0.01));
    CHECK(device.measured_copy_gb_per_s < device.memory_gb_per_s);
    CHECK(device.shared_carveouts_kb.back() * 1024 == device.shared_bytes_per_sm);
    CHECK(device.shared_bytes_per_block_optin + device.shared_bytes_reserved == device.shared_bytes_per_sm);
    CHECK(device.l1_and_shared_bytes > device.shared_bytes_per_sm);
    CHECK(device.shared_granularity_bytes > 0);
  }
}
