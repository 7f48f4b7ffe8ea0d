// Which instructions of a file may add to an output.
#include "harness/grade/diagnosis/atomic_adds.h"

#include <vector>

#include "tests/catch.h"

using ridge::grade::adds_atomically;

TEST_CASE("atomics that add floats to global memory may add to an output, counters do not") {
  struct Row {
    const char* ptx;
    bool adds;
  };
  const Row rows[] = {
      {"red.global.add.f32 [%rd1], %f1;", true},
      {"atom.global.add.f32 %f2, [%rd1], %f1;", true},
      {"atom.add.f32 %f2, [%rd1], %f1;", true},  // a generic address
      {"red.relaxed.gpu.global.add.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};", true},
      {"atom.global.add.noftz.bf16x2 %r1, [%rd1], %r2;", true},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r1], %r2;", true},
      {"atom.global.max.s32 %r1, [%rd1], %r2;", true},
      {"atom.global.add.u32 %r1, [%rd1], 1;", false},
      {"red.release.gpu.global.add.s32 [%rd1], 1;", false},
      {"atom.shared.add.f32 %f2, [%r1], %f1;", false},
      {"atom.global.cas.b32 %r1, [%rd1], %r2, %r3;", false},
      {"st.global.f32 [%rd1], %f1; add.f32 %f2, %f1, %f1;", false},
      {"redux.sync.add.s32 %r1, %r2, %r3;", false},
      {"// red.global.add.f32 [%rd1], %f1;", false},
  };
  for (const Row& row : rows) {
    INFO(row.ptx);
    CHECK(adds_atomically(std::vector<std::string>{"mov.u32 %r1, 0;", row.ptx}) == row.adds);
  }
  CHECK_FALSE(adds_atomically({}));
}
