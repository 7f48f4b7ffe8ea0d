// Which barrier the finding on a race in shared memory advises.
#include <cstring>
#include <string>

#include "tests/catch.h"
#include "tests/virtual_gpu/observe/small_kernel.h"
#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/observe/checks.h"

using namespace ridge;

namespace {

// Thread t writes tile[t] and reads tile[t ^ partner], without a barrier.
constexpr std::string_view kExchange = R"(.version 8.8
.target sm_90a
.address_size 64
.visible .entry exchange(.param .u32 partner)
{
  .reg .b32 %r<8>;
  .shared .align 4 .b8 tile[256];
  ld.param.u32 %r1, [partner];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, tile;
  shl.b32 %r4, %r2, 2;
  add.s32 %r4, %r3, %r4;
  st.shared.u32 [%r4], %r2;
  xor.b32 %r5, %r2, %r1;
  shl.b32 %r5, %r5, 2;
  add.s32 %r5, %r3, %r5;
  ld.shared.u32 %r6, [%r5];
  ret;
}
)";

std::string advice_for(uint32_t threads, uint32_t partner) {
  auto module = std::make_shared<const ptx::Module>(ptx::parse(kExchange));
  const auto program = machine::decode(std::move(module), "exchange", [](const std::string&) -> uint64_t { return 0; });
  machine::DeviceMemory memory(1 << 20);
  machine::LaunchConfig config;
  config.block = {threads, 1, 1};
  config.parameters.resize(4);
  std::memcpy(config.parameters.data(), &partner, 4);
  observe::Checks checks({}, config, memory);
  const machine::LaunchOutcome outcome = machine::run(*program, config, memory, &checks);
  REQUIRE(outcome.fault.has_value());
  CHECK(outcome.fault->kind == machine::Fault::Kind::race);
  CHECK(outcome.fault->cause.id == std::string("shared_read_too_early"));
  return outcome.fault->advice;
}

}  // namespace

TEST_CASE("a race in shared memory is to be mended with __syncthreads(), which is named first") {
  struct Row {
    uint32_t threads, partner;
    bool may_be_warp;
  };
  const Row rows[] = {
      {32, 1, false},   // the block merely happens to be one warp
      {64, 32, false},  // threads of two warps
      {64, 1, true},    // threads of one warp, of two in the block
  };
  for (const Row& row : rows) {
    const std::string advice = advice_for(row.threads, row.partner);
    INFO(row.threads << " threads, partner " << row.partner << ": " << advice);
    CHECK(advice.starts_with("put a __syncthreads() "));
    const size_t warp = advice.find("__syncwarp()");
    CHECK((warp != std::string::npos) == row.may_be_warp);
  }
}
