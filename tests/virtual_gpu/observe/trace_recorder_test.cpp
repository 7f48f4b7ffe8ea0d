#include "virtual_gpu/observe/trace/trace_recorder.h"

#include <cstring>

#include "tests/catch.h"
#include "tests/trace/scratch_folder.h"
#include "tests/virtual_gpu/observe/small_kernel.h"
#include "virtual_gpu/observe/copies/record_fill.h"

using namespace ridge;
using Catch::Matchers::Contains;
using machine::Access;
using machine::AccessShape;
using machine::AccessSpace;
using trace::RecordKind;
using trace::TraceRecord;

namespace {

Access load(uint64_t block, uint32_t warp, uint64_t base, int64_t stride = 4) {
  Access access;
  access.shape = AccessShape::strided;
  access.mask = 0xffffffff;
  access.bytes = 4;
  access.base = base;
  access.stride = stride;
  access.block = block;
  access.warp = warp;
  return access;
}

trace::TraceLaunch launch_of(uint32_t blocks) {
  trace::TraceLaunch launch;
  launch.kernel = "small";
  launch.grid = {blocks, 1, 1};
  launch.block = {64, 1, 1};
  return launch;
}

std::vector<TraceRecord> records_of(const trace::BlockRecords& block) {
  std::vector<TraceRecord> records;
  trace::RecordCursor cursor(block);
  for (TraceRecord record; cursor.next(record);)
    records.push_back(record);
  return records;
}

}  // namespace

TEST_CASE("blocks are chosen by word or by index") {
  struct Row {
    std::string words;
    uint64_t blocks;
    std::vector<uint64_t> chosen;
  };
  const Row row = GENERATE(values<Row>({{"", 9, {0, 4, 8}},
                                        {"first,middle,last", 1, {0}},
                                        {"last", 7, {6}},
                                        {"5,0, 5 ,last", 9, {0, 5, 8}},
                                        {"2:0:0|8", 9, {2, 8}},
                                        {"all", 3, {0, 1, 2}},
                                        {"1,all", 3, {0, 1, 2}},
                                        {"2,0,0|8", 9, {2, 8}}}));
  CAPTURE(row.words, row.blocks);
  CHECK(observe::choose_blocks(row.words, {static_cast<uint32_t>(row.blocks), 1, 1}) == row.chosen);
}

TEST_CASE("a block that does not exist is refused with the grid's size") {
  CHECK_THAT(complaint_of([] { observe::choose_blocks("9", {9, 1, 1}); }), Contains("9 blocks, 0 to 8"));
  CHECK_THAT(complaint_of([] {
               observe::choose_blocks("frist", {9, 1, 1});
             }),
             Contains("\"frist\"") && Contains("\"first\""));
  CHECK_THAT(complaint_of([] { observe::choose_blocks("1,,2", {9, 1, 1}); }), Contains("\"\" is no block"));
  CHECK_THAT(complaint_of([] {
               observe::choose_blocks("all", {70000, 1, 1});
             }),
             Contains("70000 blocks") && Contains("65536"));
}

TEST_CASE("only the chosen blocks are recorded, in order, whatever thread ran them") {
  const auto program = small_program();
  const ScratchFolder folder;
  observe::TraceRecorder recorder(
      {{1, 3}, 1 << 20, false, [](uint64_t address) {
         return std::optional(trace::TraceArray{address / 0x1000 * 0x1000, 0x1000, "cudaMalloc"});
       }});
  auto a = recorder.make(*program), b = recorder.make(*program);
  CHECK_FALSE(a->wants_values());
  a->access(load(0, 0, 0x1000));
  a->access(load(1, 0, 0x1000));
  b->access(load(3, 1, 0x5000));
  a->barrier(1, 0, 2, 0xffffffff);
  b->access(load(1, 1, 0x1080));  // block 1 has moved to another thread
  b->warp_diverged(1, 1, 3, 0xff, 0xffffff00);
  b->barrier(2, 0, 2, 0xffffffff);
  Access parameter = load(1, 0, 0);
  parameter.space = AccessSpace::param;
  b->access(parameter);
  a->block_end(1);
  recorder.collect(std::move(a));
  recorder.collect(std::move(b));
  recorder.write(folder.path / "t", launch_of(4));

  const trace::AccessTrace trace = trace::read_access_trace(folder.path / "t");
  CHECK(trace.launch.instructions.size() == machine::sources(*program).size());
  REQUIRE(trace.blocks.size() == 2);
  const std::vector<TraceRecord> first = records_of(trace.blocks[0]), second = records_of(trace.blocks[1]);
  REQUIRE(first.size() == 4);
  CHECK(trace.blocks[0].block() == 1);
  CHECK(first[0].addresses[31] == 0x1000 + 31 * 4);
  CHECK(first[1].kind == RecordKind::barrier);
  CHECK(first[2].warp == 1);
  CHECK(first[3].kind == RecordKind::divergence);
  CHECK(first[3].other_mask == 0xffffff00);
  CHECK(second.size() == 1);
  REQUIRE(trace.arrays.size() == 3);
  CHECK(trace.arrays[0].address == 0x1000);
  CHECK(trace.arrays[1].address == 0x5000);
  CHECK(trace.arrays[2].space == ridge::trace::RecordSpace::shared);
}

namespace {

struct Window final : machine::MachineView {
  std::array<std::byte, 256> shared{};
  const std::byte* registers() const override { return nullptr; }
  const std::byte* shared_window() const override { return shared.data(); }
};

uint32_t value_at(const TraceRecord& record, size_t lane_in_order) {
  uint32_t value = 0;
  REQUIRE(record.values.size() >= 4 * lane_in_order + 4);
  std::memcpy(&value, record.values.data() + 4 * lane_in_order, sizeof value);
  return value;
}

}  // namespace

TEST_CASE("a load's values are what memory held before it, a store's what it holds after it") {
  const auto program = small_program();
  const ScratchFolder folder;
  observe::TraceRecorder recorder({{0}, 1 << 20, true, {}});
  auto observer = recorder.make(*program);
  CHECK_FALSE(observer->wants_values());  // which would slow every block
  Window window;
  observer->attach(window);
  uint32_t memory[32];
  for (uint32_t lane = 0; lane < 32; ++lane)
    memory[lane] = 100 + lane;
  Access access = load(0, 0, reinterpret_cast<uintptr_t>(memory));
  access.mask = 0x80000005;
  observer->access(access);
  memory[0] = 7;
  access.kind = machine::AccessKind::store;
  observer->access(access);
  memory[2] = 8;  // the store is made after its event
  Access shared = load(0, 0, 64);
  shared.space = AccessSpace::shared;
  shared.kind = machine::AccessKind::store;
  shared.mask = 1;
  observer->access(shared);
  window.shared[64] = std::byte{9};
  observer->block_end(0);
  recorder.collect(std::move(observer));
  recorder.write(folder.path / "t", launch_of(1));
  const trace::AccessTrace trace = trace::read_access_trace(folder.path / "t");
  const std::vector<TraceRecord> records = records_of(trace.blocks.at(0));
  REQUIRE(records.size() == 3);
  REQUIRE(records[0].values.size() == 12);
  CHECK(value_at(records[0], 0) == 100);
  CHECK(value_at(records[0], 1) == 102);
  CHECK(value_at(records[0], 2) == 131);
  CHECK(value_at(records[1], 0) == 7);
  CHECK(value_at(records[1], 1) == 8);
  CHECK(value_at(records[2], 0) == 9);
}

TEST_CASE("only while a chosen block runs must every load be told") {
  const auto program = small_program();
  observe::TraceRecorder recorder({{1}, 1 << 20, true, {}});
  auto made = recorder.make(*program);
  auto& observer = dynamic_cast<observe::SelectiveObserver&>(*made);
  observe::ElisionTerms terms;
  observer.block_begin(0);
  CHECK_FALSE(observer.wants_every_load());
  CHECK(observer.may_elide(load(0, 0, 0), terms));
  observer.block_begin(1);  // block 0 waits for it
  CHECK(observer.wants_every_load());
  CHECK_FALSE(observer.may_elide(load(0, 0, 0), terms));
  observer.block_end(1);
  CHECK_FALSE(observer.wants_every_load());
}

TEST_CASE("__shared__ arrays have the type and the shape of their declaration, if it fits") {
  const auto program = small_program();  // .shared .align 4 .b8 tile[256]
  struct Row {
    const char *source, *type;
    std::vector<uint64_t> extent;
  };
  const Row rows[] = {
      {"__shared__ float tile[8][8];", "float32", {8, 8}},
      {"constexpr int kTile = 8;\n__shared__ float tile[kTile][kTile * 1];", "float32", {8, 8}},
      {"constexpr int kRows = 4, kCols = 16;\n__shared__ float tile[kRows][kCols];", "float32", {4, 16}},
      {"#define TILE 4\n__shared__ double a[3], tile[TILE][TILE + 4];", "float64", {4, 8}},
      {"template <int kPad> ... __shared__ float tile[4][15 + kPad];", "float32", {4, 16}},
      {"__shared__ alignas(128) float4 tile[16];", "float4", {16}},
      {"__shared__ float tile[9][8];", "float32", {}},
      {"__shared__ float other[64];", "", {}},
      {"__shared__ Particle tile[8];", "", {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.source);
    const auto arrays = observe::shared_arrays(*program, 0, {{"small.cu", row.source}});
    REQUIRE(arrays.size() == 1);
    CHECK(arrays[0].name == "tile");
    CHECK(arrays[0].bytes == 256);
    CHECK(arrays[0].type == row.type);
    CHECK(arrays[0].extent == row.extent);
  }
}

TEST_CASE("issue and wait are recorded for inline assembly with several instructions") {
  constexpr std::string_view kAssembly = R"(.version 8.8
.target sm_90a
.address_size 64
.visible .entry small()
{
  .reg .b32 %r<4>;
  .shared .align 8 .b8 full[8];
  mov.u32 %r1, full;
  mov.u32 %r2, 0;
  { .reg .pred ended; again: mbarrier.try_wait.parity.shared.b64 ended, [%r1], %r2; @!ended bra again; }
  { cp.async.commit_group; cp.async.wait_group 0; }
  bar.sync 0;
  ret;
}
)";
  auto module = std::make_shared<const ptx::Module>(ptx::parse(kAssembly));
  const auto program = machine::decode(std::move(module), "small", [](const std::string& name) -> uint64_t {
    throw std::runtime_error("no symbol " + name);
  });
  const observe::InstructionUnits units(*program);
  CHECK(units.waits(instruction_named(*program, "try_wait")));
  CHECK_FALSE(units.waits(instruction_named(*program, "bar.sync")));
  CHECK(units[instruction_named(*program, "wait_group")] == trace::RecordUnit::async_copy);
  CHECK(units[instruction_named(*program, "bar.sync")] == trace::RecordUnit::threads);
}

TEST_CASE(
    "a fence is an event; a copy to several blocks says which, and each that is recorded shows what comes") {
  constexpr std::string_view kCopies = R"(.version 8.8
.target sm_90a
.address_size 64
.visible .entry small()
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  .shared .align 16 .b8 tile[256];
  mov.u32 %r1, tile;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 64, [%r1];
  fence.proxy.async;
  ret;
}
)";
  auto module = std::make_shared<const ptx::Module>(ptx::parse(kCopies));
  const auto program = machine::decode(std::move(module), "small", [](const std::string& name) -> uint64_t {
    throw std::runtime_error("no symbol " + name);
  });
  const uint32_t copy = instruction_named(*program, "cp.async.bulk"),
                 fence = instruction_named(*program, "fence.proxy");
  const ScratchFolder folder;
  observe::TraceRecorder recorder({{0, 1}, 1 << 20, true, {}});
  auto observer = recorder.make(*program);
  for (const uint64_t block : {0, 1, 2})
    observer->block_begin(block);
  const machine::BulkAccess::Run run{0, 64};
  machine::BulkAccess landing;
  landing.instruction = copy;
  landing.kind = machine::AccessKind::store;
  landing.warp = 1;
  landing.mask = 1;
  landing.runs = {&run, 1};
  const machine::AsyncStep issue{machine::AsyncStep::Kind::issue, 0, 1, 1, copy, 64, {}};
  // To itself alone, then to all three.
  observer->async_step(issue);
  observer->mbarrier(0, 1, 1, copy, 0, 0, false);  // of the copy, no event of its own
  observer->bulk_begins(landing);
  observer->async_step({machine::AsyncStep::Kind::fence, 0, 1, ~0u, fence});
  observer->async_step(issue);
  for (landing.owner = 0; landing.owner < 3; ++landing.owner)
    observer->bulk_begins(landing);
  for (landing.owner = 0; landing.owner < 3; ++landing.owner)
    observer->bulk_access(landing);
  for (const uint64_t block : {0, 1, 2})
    observer->block_end(block);
  recorder.collect(std::move(observer));
  recorder.write(folder.path / "t", launch_of(3));
  const trace::AccessTrace trace = trace::read_access_trace(folder.path / "t");
  const std::vector<TraceRecord> asking = records_of(trace.blocks.at(0)),
                                 receiving = records_of(trace.blocks.at(1));
  REQUIRE(asking.size() == 6);
  CHECK(asking[0].receivers.empty());
  CHECK(asking[1].kind == RecordKind::fence);
  CHECK(asking[1].instruction == fence);
  CHECK(asking[2].receivers == std::vector<uint64_t>{0, 1, 2});
  CHECK_FALSE(asking[3].owner);
  CHECK(asking[4].owner == 1);
  CHECK(asking[5].owner == 2);
  REQUIRE(receiving.size() == 1);
  CHECK(receiving[0].is_received());
  CHECK(receiving[0].place.id == 0);
  CHECK(receiving[0].mask == 0);
  CHECK(receiving[0].runs.at(0).bytes == 64);
}

TEST_CASE("past the limit records are counted and not kept, and each block has its share") {
  const auto program = small_program();
  const ScratchFolder folder;
  observe::TraceRecorder recorder({{0, 1}, 4096, false, {}});
  auto observer = recorder.make(*program);
  for (uint64_t k = 0; k < 1000; ++k)
    observer->access(load(0, 0, 0x1000 + k * 128));
  for (uint64_t k = 0; k < 10; ++k)
    observer->access(load(1, 0, 0x1000 + k * 128));
  recorder.collect(std::move(observer));
  recorder.write(folder.path / "t", launch_of(2));
  const trace::AccessTrace trace = trace::read_access_trace(folder.path / "t");
  CHECK(trace.blocks.at(0).size() > 100);
  CHECK(trace.blocks[0].packed_bytes() <= 2048);
  CHECK(trace.blocks[0].size() + trace.blocks[0].dropped() == 1000);
  CHECK(trace.blocks[1].size() == 10);
  CHECK(trace.blocks[1].dropped() == 0);
  CHECK(records_of(trace.blocks[0]).size() == trace.blocks[0].size());
}

TEST_CASE("a block with a full share elides its loads and counts them") {
  const auto program = small_program();
  const ScratchFolder folder;
  observe::TraceRecorder recorder({{0, 1}, 2048, false, {}});
  auto made = recorder.make(*program);
  auto& observer = dynamic_cast<observe::SelectiveObserver&>(*made);
  observe::ElisionTerms terms;
  machine::ElidedAccess quiet{};
  quiet.times = 500;
  const auto run = [&](uint64_t block, bool alone) {
    observer.block_begin(block);
    uint64_t told = 0;
    while (told < 1000 && !observer.may_elide(load(block, 0, 0), terms))
      observer.access(load(block, 0, 0x1000 + 128 * told++));
    CHECK((told < 1000) == alone);
    if (alone) observer.accesses_elided(0, AccessSpace::global, quiet);
    observer.block_end(block);
    return told;
  };
  const uint64_t first = run(0, true);
  observer.block_begin(7);  // two blocks run, so elided accesses could not be attributed
  run(1, false);
  observer.block_end(7);
  recorder.collect(std::move(made));
  recorder.write(folder.path / "t", launch_of(2));
  const trace::AccessTrace trace = trace::read_access_trace(folder.path / "t");
  CHECK(trace.blocks.at(0).dropped() == 500 + first - trace.blocks[0].size());
  CHECK(trace.blocks.at(1).size() + trace.blocks[1].dropped() == 1000);
}

TEST_CASE("the sources that can be read go into the trace, each once") {
  const ScratchFolder folder;
  write_text(folder.path / "a.cu", "kernel\n");
  const std::string file = (folder.path / "a.cu").string();
  const std::vector<trace::TraceSource> sources = observe::read_sources(
      {{file, 1, 1, ""}, {file, 2, 2, ""}, {"/nowhere/b.cu", 1, 1, ""}, {"", 0, 0, ""}});
  REQUIRE(sources.size() == 1);
  CHECK(sources[0].path == file);
  CHECK(sources[0].text == "kernel\n");
}
