// Each unit of the executor, built without the others that it does not name in its constructor.
#include <cstring>
#include <numeric>

#include "tests/catch.h"
#include "virtual_gpu/machine/barriers/block_barriers.h"
#include "virtual_gpu/machine/barriers/mbarriers.h"
#include "virtual_gpu/machine/copy_engine/copy_engine.h"
#include "virtual_gpu/machine/matrix/matrix_unit.h"
#include "virtual_gpu/machine/memory/access_fast_path.h"
#include "virtual_gpu/machine/memory/atomic_unit.h"
#include "virtual_gpu/machine/texture/texture_unit.h"
#include "virtual_gpu/ptx/parser.h"

using namespace ridge::machine;

namespace {

constexpr uint32_t kWarpCount = 2, kSharedBytes = 256;

std::shared_ptr<const Program> program_of(const std::string& body) {
  auto module = std::make_shared<const ridge::ptx::Module>(
      ridge::ptx::parse(".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
                        ".reg .b32 %r<8>;\n.reg .b64 %d<8>;\n.reg .f32 %f<8>;\n" +
                        body + "\nret;\n}\n"));
  return decode(std::move(module), "k", [](const std::string&) { return uint64_t{0}; });
}

// A block of two warps, each with one split at the first instruction of a kernel.
struct Stage {
  explicit Stage(const std::string& body) : program(program_of(body)) {
    config.grid = {1, 1, 1};
    config.block = {kWarpCount * 32, 1, 1};
    block.cluster = &cluster;
    block.live_threads = cluster.live_threads = kWarpCount * 32;
    block.shared = allocate_aligned(kSharedBytes);
    std::memset(block.shared.get(), 0, kSharedBytes);
    block.warps.resize(kWarpCount);
    const uint32_t bytes = program->functions[0].register_bytes;
    for (uint32_t i = 0; i < kWarpCount; ++i) {
      frames[i].registers = allocate_aligned(bytes);
      std::memset(frames[i].registers.get(), 0, bytes);
      Warp& warp = block.warps[i];
      warp.index = i;
      warp.live = kAllLanes;
      warp.split_count = 1;
      warp.splits[0].frame = &frames[i];
      warp.splits[0].mask = kAllLanes;
    }
    enter(0);
  }
  void enter(uint32_t warp) {
    context.block = context.owner = &block;
    context.warp = &block.warps[warp];
    context.frame = &frames[warp];
    context.registers = frames[warp].registers.get();
  }
  // The instruction at `index`, made the current one.
  const MicroOp& at(uint32_t index) {
    context.pc = index;
    return program->ops[index];
  }
  Split& split(uint32_t warp) { return block.warps[warp].splits[0]; }
  template <class T>
  void fill(RowOffset row, T first, T step) {
    for (uint32_t lane = 0; lane < 32; ++lane)
      context.row<T>(row)[lane] = first + step * static_cast<T>(lane);
  }
  uint32_t shared(uint32_t word) const {
    return reinterpret_cast<const uint32_t*>(block.shared.get())[word];
  }

  std::shared_ptr<const Program> program;
  LaunchConfig config;
  DeviceMemory memory{uint64_t{1} << 24};
  Launch launch{*program,  config, memory, kWarpCount * 32, kWarpCount, kSharedBytes, 1,
                {1, 1, 1}, 1,      false};
  Cluster cluster;
  Block block;
  Frame frames[kWarpCount];
  ExecutionContext context{launch, nullptr};
};

struct NothingPending final : PendingDeliveries {
  void land(Block&, uint32_t) override { ++asked; }
  int asked = 0;
};

}  // namespace

TEST_CASE("AddressSpaces finds the addresses of a warp and refuses those outside shared memory") {
  Stage stage("ld.shared.b32 %r1, [%r0];");
  AddressSpaces spaces(stage.context);
  const MemoryOp& op = stage.program->memory[stage.at(0).detail];
  for (const uint32_t begin : {0u, kSharedBytes - 128, kSharedBytes - 124}) {
    stage.fill<uint32_t>(op.address, begin, 4);
    Addresses addresses;
    spaces.find_addresses(op, kAllLanes, addresses);
    CHECK(addresses.summary.lowest == begin);
    CHECK(addresses.summary.stride == 4);
    const auto check = [&] {
      spaces.check(op, AccessKind::load, MemorySpace::shared, addresses, kAllLanes, 4);
    };
    if (begin + 128 <= kSharedBytes)
      CHECK_NOTHROW(check());
    else
      CHECK_THROWS_AS(check(), LaunchFault);
  }
}

TEST_CASE("MemoryUnit stores and loads shared memory, and its inline cache hits the second time") {
  Stage stage("st.shared.b32 [%r0], %r1;\nld.shared.b32 %r2, [%r0];");
  AddressSpaces spaces(stage.context);
  AccessCaches caches(stage.context, spaces);
  MemoryUnit unit(stage.context, spaces, caches);
  const MemoryOp &store = stage.program->memory[stage.program->ops[0].detail],
                 &load = stage.program->memory[stage.program->ops[1].detail];
  stage.fill<uint32_t>(store.address, 64, 4);
  for (const uint32_t first : {100u, 500u}) {
    stage.fill<uint32_t>(store.values[0], first, 1);
    unit.store(stage.at(0), kAllLanes);
    CHECK(stage.shared(16 + 31) == first + 31);
    unit.load(stage.at(1), kAllLanes);
    CHECK(stage.context.row<uint32_t>(load.values[0])[7] == first + 7);
  }
  CHECK(caches.cache(store.cache).mask == kAllLanes);
  CHECK(caches.cache(store.cache).misses == 0);
}

TEST_CASE("AtomicUnit adds every lane of a warp to one word") {
  Stage stage("red.shared.add.u32 [%r0], %r1;");
  AddressSpaces spaces(stage.context);
  AccessCaches caches(stage.context, spaces);
  NothingPending pending;
  Mbarriers mbarriers(stage.context, spaces, pending);
  AtomicUnit unit(stage.context, spaces, caches, mbarriers);
  const AtomicOp& op = stage.program->atomics[stage.at(0).detail];
  stage.fill<uint32_t>(op.a[0], 1, 1);
  unit.atomic(stage.at(0), kAllLanes);
  CHECK(stage.shared(0) == 32 * 33 / 2);
}

TEST_CASE("BlockBarriers parks the first warp and releases both when the second arrives") {
  Stage stage("bar.sync 0;");
  BlockBarriers unit(stage.context);
  const BarrierOp& op = stage.program->barriers[stage.at(0).detail];
  unit.block_barrier(stage.split(0), op);
  CHECK(stage.split(0).wait == Wait::block_barrier);
  stage.enter(1);
  unit.block_barrier(stage.split(1), op);
  for (uint32_t warp = 0; warp < kWarpCount; ++warp) {
    CHECK(stage.split(warp).wait == Wait::none);
    CHECK(stage.split(warp).pc == 1);
  }
  CHECK(stage.block.barriers[0].phase == 1);
}

TEST_CASE(
    "Mbarriers complete a phase with the last arrival, and a wait lets pending copies land first") {
  Stage stage(
      "mbarrier.init.shared.b64 [%r0], %r1;\nmbarrier.arrive.shared.b64 %d1, [%r0];\n"
      "mbarrier.inval.shared.b64 [%r0];");
  AddressSpaces spaces(stage.context);
  NothingPending pending;
  Mbarriers unit(stage.context, spaces, pending);
  stage.fill<uint32_t>(stage.program->mbarriers[stage.at(0).detail].count, 2, 0);
  unit.mbarrier(stage.at(0), 1);
  const MbarrierPlace place{&stage.block, 0};
  const uint64_t phase = unit.mbarrier_phase(place).phase;
  for (const uint64_t completed : {0u, 1u}) {
    unit.mbarrier(stage.at(1), 1);
    CHECK(unit.mbarrier_phase(place).phase == phase + completed);
    CHECK(unit.read_mbarrier(place, stage.context.culprit(0)).parity == (completed == 1));
  }
  unit.mbarrier(stage.at(2), 1);
  CHECK(pending.asked == 1);
  CHECK_THROWS_AS(unit.read_mbarrier(place, stage.context.culprit(0)), LaunchFault);
}

TEST_CASE("CopyEngine writes the bytes of cp.async at the wait, and not before") {
  Stage stage(
      "cp.async.ca.shared.global [%r0], [%d0], 4;\ncp.async.commit_group;\ncp.async.wait_all;");
  AddressSpaces spaces(stage.context);
  AccessCaches caches(stage.context, spaces);
  NothingPending pending;
  Mbarriers mbarriers(stage.context, spaces, pending);
  CopyEngine unit(stage.context, spaces, caches, mbarriers);
  const AsyncCopyOp& op = stage.program->async_copies[stage.at(0).detail];
  const uint64_t from = stage.memory.allocate(128, "cudaMalloc").value();
  std::iota(reinterpret_cast<uint32_t*>(from), reinterpret_cast<uint32_t*>(from) + 32, 7u);
  stage.fill<uint32_t>(op.destination.address, 0, 4);
  stage.fill<uint64_t>(op.source.address, from, 4);
  unit.async_copy(stage.at(0), kAllLanes);
  unit.async_commit(kAllLanes);
  CHECK(stage.shared(31) == 0);
  unit.async_wait(stage.at(2), kAllLanes);
  CHECK(stage.shared(0) == 7);
  CHECK(stage.shared(31) == 38);
}

TEST_CASE("MatrixUnit transposes a core matrix") {
  Stage stage("movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;");
  AddressSpaces spaces(stage.context);
  AccessCaches caches(stage.context, spaces);
  MemoryUnit memory(stage.context, spaces, caches);
  MatrixUnit unit(stage.context, spaces, caches, memory);
  const MatrixOp& op = stage.program->matrices[stage.at(0).target];
  auto* const from = stage.context.row<uint16_t>(op.a_rows[0]);
  std::iota(from, from + 64, uint16_t{0});
  unit.matrix(stage.split(0), stage.at(0));
  const auto* const to = stage.context.row<uint16_t>(op.d_rows[0]);
  for (size_t row = 0; row < 8; ++row)
    for (size_t column = 0; column < 8; ++column)
      REQUIRE(to[row * 8 + column] == column * 8 + row);
}

TEST_CASE("TextureUnit refuses a handle that names no texture") {
  Stage stage("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d0, {%r0}];");
  AddressSpaces spaces(stage.context);
  AccessCaches caches(stage.context, spaces);
  TextureUnit unit(stage.context, spaces, caches);
  CHECK_THROWS_AS(unit.texture(stage.at(0), 1), LaunchFault);
}
