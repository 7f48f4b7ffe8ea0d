#include "harness/measure/roof.h"

#include "tests/catch.h"

using namespace ridge;
using measure::Bound;

TEST_CASE("a kernel is bound by the longest of moving, computing and launching") {
  measure::Roofs roofs{4000, 60, 0.003, "measured", "measured"};
  struct Row {
    double bytes, operations, time_ms;
    Bound bound;
    double percent;
  };
  const Row rows[] = {
      {800e6, 67e6, 0.25, Bound::memory, 80},    // 0.2 ms of bytes
      {200e6, 120e9, 4, Bound::compute, 50},     // 2 ms of operations
      {4096, 1024, 0.006, Bound::overhead, 50},  // nothing but the launch
  };
  for (const Row& row : rows) {
    const measure::RoofPlace place = measure::place_under(roofs, row.bytes, row.operations, row.time_ms);
    CHECK(measure::to_string(place.bound) == measure::to_string(row.bound));
    CHECK(place.percent == Approx(row.percent));
  }
  CHECK(measure::place_under({}, 1e9, 1e9, 1).percent == 0);
}

TEST_CASE("roofs are measured where possible and name their source") {
  const warp_model::DeviceDescription* h200 = warp_model::find_device("NVIDIA H200");
  REQUIRE(h200);
  const measure::Roofs measured = measure::roofs_of({4262, 0.003, 61}, h200, problems::Type::float32);
  CHECK(measured.gb_per_s == 4262);
  CHECK(measured.tflops == 61);
  CHECK(measured.bandwidth_source == "measured");
  CHECK(measured.rate_source == "measured");
  const measure::Roofs tensor = measure::roofs_of({4262, 0.003, 61}, h200, problems::Type::bfloat16);
  CHECK(tensor.tflops == h200->bf16_tensor_tflops);
  CHECK(tensor.rate_source == "data sheet");
  // A sum writes nothing to speak of: a kernel that only reads is what it can reach.
  const measure::Roofs reads = measure::roofs_of({4262, 0.003, 61, 4570}, h200, problems::Type::float32, 1e-6);
  CHECK(reads.gb_per_s == 4570);
  CHECK(reads.only_reads);
  CHECK(measure::roofs_of({4262, 0.003, 61, 4570}, h200, problems::Type::float32, 0.5).gb_per_s == 4262);
  CHECK_FALSE(measure::roofs_of({4262, 0.003, 61, 0}, h200, problems::Type::float32, 0).only_reads);
  const measure::Roofs unknown = measure::roofs_of({}, nullptr, problems::Type::float32);
  CHECK(unknown.tflops == 0);
  CHECK(unknown.bandwidth_source == "");
}
