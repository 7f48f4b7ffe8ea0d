#include <algorithm>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"
#include "virtual_gpu/machine/faults/print_format.h"

using namespace ridge::machine;
using ridge::machine::test::compile_cuda;
using ridge::machine::test::Device;

namespace {

const char* const kKernels = R"(#include <cstdio>
#include <cassert>
extern "C" __global__ void talk(int n) {
  if (threadIdx.x < n) printf("%d|%5u|%x|%s|%.2f|%lld|%c|%%\n", -int(threadIdx.x), threadIdx.x, 255, "word", threadIdx.x * 0.5, 1ll << 40, 'z');
}
extern "C" __global__ void count(int* out) { out[0] = printf("%d %d\n", 1, 2); }
extern "C" __global__ void claims(const int* x) {
  assert(x[threadIdx.x] < 7);
}
extern "C" __global__ void stops(int* x) { if (threadIdx.x == 3) __trap(); x[0] = 1; }
)";

Device& device() {
  static Device d(compile_cuda(kKernels));
  return d;
}

}  // namespace

TEST_CASE("printf in a kernel prints what it prints on a GPU, call by call") {
  REQUIRE_FALSE(device().launch("talk", {1, 1, 1}, {32, 1, 1}, 2).fault);
  REQUIRE(device().printed ==
          "0|    0|ff|word|0.00|1099511627776|z|%\n-1|    1|ff|word|0.50|1099511627776|z|%\n");
  const uint64_t out = device().upload(std::vector<int>{0});
  REQUIRE_FALSE(device().launch("count", {1, 1, 1}, {1, 1, 1}, out).fault);
  REQUIRE(device().download<int>(out, 1)[0] == 2);
}

TEST_CASE("a failed assertion has CUDA's text") {
  std::vector<int> x(64, 0);
  x[37] = 9;
  const auto outcome = device().launch("claims", {1, 1, 1}, {64, 1, 1}, device().upload(x));
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->kind == Fault::Kind::assertion);
  REQUIRE(outcome.fault->line == 8);
  REQUIRE_THAT(outcome.fault->message,
               Catch::Contains("kernel.cu:8: void claims(const int *): block: [0,0,0], thread: [37,0,0] "
                               "Assertion `x[threadIdx.x] < 7` failed."));
}

TEST_CASE("a trap names its line and thread") {
  const auto outcome = device().launch("stops", {1, 1, 1}, {32, 1, 1}, device().upload(std::vector<int>{0}));
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->kind == Fault::Kind::trap);
  REQUIRE(outcome.fault->thread.x == 3);
  REQUIRE_THAT(outcome.fault->message, Catch::Contains("Trap") && Catch::Contains("kernel.cu:10"));
}

// As nvcc -G writes it.
TEST_CASE("a trap in a function without line information is reported at the calling line") {
  struct Row {
    const char *loc, *place;
  };
  for (const Row& row : {Row{".loc 1 7 3", "kernel.cu:7 in stops"}, Row{"", "PTX line 11 in stops"}}) {
    Device debug(
        ".version 8.0\n.target sm_90\n.address_size 64\n.func __trap\n;\n.visible .entry stops()\n{\n" +
        std::string(row.loc) +
        "\ncall.uni __trap, ();\nret; }\n.func __trap() { trap; }\n.file 1 \"kernel.cu\"\n");
    const auto outcome = debug.launch("stops", {1, 1, 1}, {32, 1, 1});
    REQUIRE(outcome.fault);
    REQUIRE(outcome.fault->kind == Fault::Kind::trap);
    REQUIRE_THAT(outcome.fault->message, Catch::Contains(row.place));
  }
}

TEST_CASE("format_print follows printf in flags, width, precision and stars") {
  struct Row {
    const char* format;
    const char* expected;
  };
  for (const Row& row : {Row{"[%-6d]", "[42    ]"}, Row{"[%06d]", "[000042]"}, Row{"[%+d]", "[+42]"},
                         Row{"100%% %d", "100% 42"}, Row{"%q", "%q"}, Row{"no end %", "no end %"}}) {
    const int value = 42;
    const PrintArguments arguments{[&](uint64_t offset, void* out, size_t bytes) {
                                     std::memset(out, 0, bytes);
                                     if (offset == 0) std::memcpy(out, &value, std::min(bytes, sizeof value));
                                     return true;
                                   },
                                   [](uint64_t) { return std::string("text"); }};
    int used = 0;
    REQUIRE(format_print(row.format, arguments, used) == row.expected);
  }
}

TEST_CASE("an instruction that is not known stops the launch only when it is reached") {
  const std::string text = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u32 n)
{
  .reg .pred %p<3>;
  .reg .b32 %r<5>;
  ld.param.u32 %r1, [n];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  frobnicate.u32 %r2, %r1;
DONE:
  ret;
}
)";
  Device d(text);
  REQUIRE_FALSE(d.launch("k", {1, 1, 1}, {32, 1, 1}, 0u).fault);
  const auto outcome = d.launch("k", {1, 1, 1}, {32, 1, 1}, 1u);
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->kind == Fault::Kind::unknown_instruction);
  REQUIRE(outcome.fault->ptx_line == 11);
  REQUIRE_THAT(outcome.fault->message,
               Catch::Contains("frobnicate.u32 %r2, %r1") && Catch::Contains("PTX line 11"));
}

TEST_CASE("an impossible launch is refused with the numbers") {
  Device& d = device();
  const auto refused = [&](Dim3 grid, Dim3 block, uint32_t shared = 0) {
    d.config.dynamic_shared_bytes = shared;
    const auto outcome = d.launch("talk", grid, block, 0);
    d.config.dynamic_shared_bytes = 0;
    REQUIRE(outcome.fault);
    REQUIRE(outcome.fault->kind == Fault::Kind::invalid_launch);
    return outcome.fault->message;
  };
  REQUIRE_THAT(refused({1, 1, 1}, {1025, 1, 1}),
               Catch::Contains("1025 threads") && Catch::Contains("allows 1024"));
  REQUIRE_THAT(refused({0, 1, 1}, {32, 1, 1}), Catch::Contains("no threads"));
  REQUIRE_THAT(refused({1, 70000, 1}, {32, 1, 1}), Catch::Contains("(1,70000,1)"));
  REQUIRE_THAT(refused({1, 1, 1}, {32, 1, 1}, 300000), Catch::Contains("300000 bytes"));
}

TEST_CASE("a kernel the module does not have cannot be decoded") {
  const auto module = std::make_shared<ridge::ptx::Module>();
  REQUIRE_THROWS_AS(decode(module, "nothing", {}), DecodeError);
}
