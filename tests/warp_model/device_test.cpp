#include "warp_model/device.h"

#include <algorithm>
#include <filesystem>

#include "tests/catch.h"
#include "text/layout.h"
#include "text/whole_file.h"
#include "warp_model/device_file.h"

namespace text = ridge::text;
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
    // Bandwidth from the pins: two transfers per clock. Data sheets round, and the H200's is 2% below its
    // clock.
    const double pins_gb_per_s = 2.0 * device.memory_clock_mhz * 1e6 * device.memory_bus_bits / 8 / 1e9;
    CHECK(device.memory_gb_per_s == Approx(pins_gb_per_s).epsilon(0.03));
    // 128 float lanes per SM, but 64 on sm_75 and sm_80.
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

namespace {

std::string file_text(const std::string& name) {
  return text::read_file(RIDGE_SOURCE_DIR "/warp_model/devices/" + name);
}

// The text with another value of a figure.
std::string with_value(const std::string& text, const std::string& figure, const std::string& value) {
  const size_t begin = text.find("\n" + figure + " = {") + 1;
  REQUIRE(begin != 0);
  return text.substr(0, begin) + figure + " = " + value + text.substr(text.find('\n', begin));
}

std::string without_line(std::string text, std::string_view beginning) {
  const size_t begin = text.find("\n" + std::string(beginning)) + 1;
  return text.erase(begin, text.find('\n', begin) + 1 - begin);
}

}  // namespace

TEST_CASE("every figure of a device file has its source beside it") {
  for (const auto& entry : std::filesystem::directory_iterator(RIDGE_SOURCE_DIR "/warp_model/devices")) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    const DeviceDescription* device = find_device(name.substr(0, name.find('.')));
    REQUIRE(device != nullptr);
    int figures = 0;
    const std::string text = file_text(name);
    for (const std::string_view line : text::lines_of(text)) {
      if (line.empty() || line.front() == '#') continue;
      CAPTURE(line);
      ++figures;
      CHECK(figure_of(*device, line.substr(0, line.find(' '))).source.size() > 4);
    }
    CHECK(figures >= 34);
  }
}

TEST_CASE("the built-in device descriptions equal the files") {
  const auto texts = built_in_device_texts();
  REQUIRE(texts.size() == devices().size());
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RIDGE_SOURCE_DIR "/warp_model/devices")) {
    CAPTURE(entry.path());
    CHECK(std::find(texts.begin(), texts.end(), file_text(entry.path().filename().string())) != texts.end());
    ++files;
  }
  CHECK(files == texts.size());
  CHECK(built_in_device_texts().front() == file_text("h200.toml"));
  CHECK(default_device().multiprocessors == 132);
  CHECK(default_device().shared_carveouts_kb.size() == 10);
}

TEST_CASE("a device file that is wrong says what and where") {
  const std::string good = file_text("t4.toml");
  struct Row {
    std::string text, message;
  };
  const Row row = GENERATE_COPY(values<Row>({
      {without_line(good, "max_warps_per_sm"), "the figure max_warps_per_sm is missing"},
      {good + "colour = 3\n", "\"colour\" is not a figure of a device"},
      {"name = 4\n", "line 1: name must be a text in quotes"},
      {"\nmultiprocessors = -4\n", "line 2: multiprocessors must be a whole number below 2^32"},
      {"compute_capability = [7]\n", "compute_capability must be two numbers"},
      {"shared_carveouts_kb = [64, 32]\n", "must be an ascending list"},
      {"\nwhat is this\n", "line 2: "},
      {"what is this\n", "expected `figure = { value = 1, source = \"...\" }`"},
      {"name = { source = \"a label\" }\n", "line 1: name has no `value`"},
      {good + "name = \"twice\"\n", "expected `figure"},
      {with_value(good, "max_threads_per_block", "2048"), "a block has at most 1024 threads"},
      {with_value(good, "shared_bytes_per_sm", "98304"),
       "the last of shared_carveouts_kb must be shared_bytes_per_sm"},
  }));
  CAPTURE(row.message);
  std::string error;
  CHECK(read_device(row.text, error) == nullptr);
  CHECK(error.find(row.message) != std::string::npos);
}

TEST_CASE("a user's own device is read from a text") {
  std::string error;
  const std::string text = with_value(file_text("t4.toml"), "name", "\"MINE # 1\"");
  const DeviceDescription* mine = read_device(text, error);
  REQUIRE(mine != nullptr);
  CHECK(mine->name == "MINE # 1");
  CHECK(mine->memory_bytes == 17179869184);
  CHECK(mine->max_block_z == 64);
  CHECK(figure_of(*mine, "name").source.empty());  // written without one
  CHECK_FALSE(figure_of(*mine, "l2_bytes").source.empty());
}
