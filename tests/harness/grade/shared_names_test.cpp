// Places in shared memory by the names of the source.
#include "harness/grade/findings/shared_names.h"

#include "tests/catch.h"

using ridge::grade::SharedNames;

namespace {

const char* const kNamesFile = R"cu(
constexpr int kTile = 32, kStages = 2;
constexpr int kPitch = kTile + 1, kBytes = sizeof(float) * kTile;
struct Stage {
  alignas(128) float a[kTile * 2];
  __half b[4][kTile / 2];
  uint64_t full, empty[kStages];
  __device__ float first() const { return a[0]; }
};
struct PipelineState { int stage = 0, parity = 0; };
__global__ void f() {
  __shared__ float tile[kTile][kPitch], flags[4];
  __shared__ __align__(16) float4 rows[2][kTile], last;
  __shared__ Stage one;
  extern __shared__ unsigned char memory[];
  Stage& shared = aligned_1024<Stage>(memory);
  Stage* const stages = reinterpret_cast<Stage*>(memory);
}
__global__ void g() {
  extern __shared__ __align__(16) Stage own[];  // [kStages]
  __shared__ float twice[3];
  extern __shared__ double doubles[];
}
template <int kRows> __global__ void h() {
  __shared__ float of_template[kRows][4];
  __shared__ float twice[4];
  __shared__ Unknown unknown[4];
}
)cu";

}  // namespace

TEST_CASE("a place in shared memory has the name that the source gives it") {
  struct Row {
    const char* array;
    uint64_t begin, offset;
    const char* name;  // "": none
  };
  // Stage: a at 0 (256 bytes), b at 256 (128 bytes), full at 384, empty at 392; 512 bytes in all.
  const Row rows[] = {
      {"tile", 0, 0, "tile[0][0]"},
      {"tile", 0, 4 * 33 * 3 + 4 * 32, "tile[3][32]"},
      {"tile", 1024, 1024 + 4 * 33, "tile[1][0]"},
      {"tile", 0, 4 * 33 * 32, ""},  // behind its end
      {"flags", 64, 72, "flags[2]"},
      {"rows", 0, 16 * 33 + 8, "rows[1][1].z"},
      {"last", 0, 4, "last.y"},
      {"one", 0, 4 * 63, "one.a[63]"},
      {"one", 0, 256 + 2 * 17, "one.b[1][1]"},
      {"one", 0, 384, "one.full"},
      {"one", 0, 400, "one.empty[1]"},
      {"one", 0, 410, ""},                             // between the members and the end
      {"memory", 64, 1024 + 4, "shared.a[1]"},         // from 1024 on
      {"memory", 64, 64 + 512 + 4, "stages[1].a[1]"},  // before that
      {"own", 16, 16 + 512 * 3 + 392, "own[3].empty[0]"},
      {"doubles", 16, 16 + 8 * 70, "doubles[70]"},
      {"doubles", 16, 8, ""},  // before its begin
      {"twice", 0, 4, ""},     // of two kernels
      {"of_template", 0, 4, ""},
      {"unknown", 0, 4, ""},
      {"nothing", 0, 4, ""},
  };
  const SharedNames names(kNamesFile);
  for (const Row& row : rows) {
    INFO(row.array << " " << row.offset);
    CHECK(names.place(row.array, row.begin, row.offset).value_or("") == row.name);
  }
}

TEST_CASE("an index beyond an array of two dimensions is given as two indices") {
  const SharedNames names(kNamesFile);
  const auto beyond = names.element("tile", 4 * (33 * 32 + 1));
  REQUIRE(beyond);
  CHECK(beyond->name == "tile[32][1]");
  CHECK(beyond->extent == "32 x 33");
  CHECK_FALSE(names.element("flags", 16));
  CHECK_FALSE(names.element("tile", -1));
  CHECK_FALSE(names.element("own", 4));
  CHECK_FALSE(names.element("nothing", 4));
}

TEST_CASE("a text that is no program has no names") {
  for (const char* text :
       {"", "__shared__", "__shared__ float", "__shared__ float a[", "__shared__ float a[];",
        "struct {", "struct S { float a[0]; };", "constexpr int a", "constexpr int kA = 1 / 0;",
        "extern __shared__ float a[]; a = ", "__shared__ alignas( float a;"}) {
    INFO(text);
    const SharedNames names(text);
    CHECK_FALSE(names.place("b", 0, 0));
    CHECK_FALSE(names.element("a", 0));
  }
}
