// Numbers with the units that fit them.
#include "text/numbers.h"

#include "tests/catch.h"

using namespace ridge::text;

TEST_CASE("a rate has the unit that fits its size and its kind") {
  CHECK(byte_rate(4265) == "4.26 TB/s");
  CHECK(byte_rate(51) == "51 GB/s");
  CHECK(byte_rate(0.25) == "0.2 GB/s");
  CHECK(operation_rate(780265) == "780.3 TFLOP/s");
  CHECK(operation_rate(512) == "512 GFLOP/s");
  CHECK(work_rate(51, 780265) == "780.3 TFLOP/s");  // a product of matrices
  CHECK(work_rate(4265, 355) == "4.26 TB/s");       // a sum
  CHECK(work_rate(0, 0) == "0.0 GB/s");
  CHECK(with_thousands(1048576) == "1,048,576");
}
