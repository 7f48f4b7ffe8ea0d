// The events of the copy engine: whose bytes moved, when, and what that orders.
#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/copy_engine/bulk_kernel.h"
#include "tests/virtual_gpu/machine/virtual_device.h"
#include "virtual_gpu/machine/copy_engine/tensor_map.h"

using namespace ridge::machine;
using namespace ridge::machine::test;

namespace {

// One line an event, in the order in which they came.
class Listener final : public Observer {
 public:
  Listener(std::vector<std::string>& lines, uint64_t in, uint64_t out) : lines_(lines), in_(in), out_(out) {}

  void bulk_access(const BulkAccess& a) override {
    std::string text = fmt::format("{} {}", a.space == AccessSpace::global ? "global" : "shared",
                                   a.kind == AccessKind::load        ? "read"
                                   : a.kind == AccessKind::store     ? "written"
                                   : a.kind == AccessKind::reduction ? "updated"
                                                                     : "?");
    if (a.space == AccessSpace::shared) text += fmt::format(" of block {}", a.owner);
    text += fmt::format(" by block {} lanes {:#x}:", a.block, a.mask);
    for (const auto& run : a.runs) {
      const bool is_out = a.space == AccessSpace::global && run.begin >= out_ && run.begin < out_ + 8192;
      const uint64_t origin = a.space == AccessSpace::shared ? 0 : is_out ? out_ : in_;
      text += fmt::format(" {}{}+{}", is_out ? "out " : "", run.begin - origin, run.bytes);
    }
    lines_.push_back(text);
  }
  void released(uint64_t block, uint32_t, uint32_t mask, const SyncPlace& place) override {
    record("released", block, mask, place);
  }
  void acquired(uint64_t block, uint32_t, uint32_t mask, const SyncPlace& place) override {
    record("acquired", block, mask, place);
  }
  void fence(uint64_t, uint32_t, uint32_t, Scope, bool proxy_async) override {
    if (proxy_async) lines_.push_back("fence.proxy.async");
  }

 private:
  void record(const char* what, uint64_t block, uint32_t mask, const SyncPlace& place) {
    if (place.kind == SyncPlace::Kind::mbarrier)
      lines_.push_back(fmt::format("{} mbarrier {} of block {} phase {} by block {} lanes {:#x}", what,
                                   place.id, place.block, place.phase, block, mask));
    if (place.kind == SyncPlace::Kind::bulk_group)
      lines_.push_back(
          fmt::format("{} group {} of unit {} by lanes {:#x}", what, place.phase, place.id, mask));
  }

  std::vector<std::string>& lines_;
  uint64_t in_, out_;
};

struct Factory final : ObserverFactory {
  std::vector<std::string> lines;
  uint64_t in = 0, out = 0;
  std::unique_ptr<Observer> make(const Program&) override {
    return std::make_unique<Listener>(lines, in, out);
  }
  void collect(std::unique_ptr<Observer>) override {}
};

std::vector<std::string> events_of(const std::string& body, Dim3 cluster = {1, 1, 1},
                                   const TensorLayout* tensor = nullptr) {
  Device device(bulk_kernel(body, 4096,
                            cluster.x > 1
                                ? fmt::format(".explicitcluster .reqnctapercluster {}, 1, 1", cluster.x)
                                : std::string()));
  Factory factory;
  factory.in = device.upload(std::vector<uint32_t>(1024));
  factory.out = device.upload(std::vector<uint32_t>(2048));
  device.observers = &factory;
  device.config.cluster = cluster;
  TensorMap map;
  if (tensor != nullptr) {
    TensorLayout layout = *tensor;
    layout.address = factory.in;
    map = packed(layout);
  }
  const auto outcome = device.launch("k", cluster, {32, 1, 1}, factory.in, factory.out, 0u, map);
  INFO((outcome.fault ? outcome.fault->message : ""));
  REQUIRE_FALSE(outcome.fault);
  return factory.lines;
}

}  // namespace

TEST_CASE(
    "A load is reported when it arrives: read, written, released to its mbarrier, then acquired by who waits") {
  const auto lines = events_of(kInitBarrier + R"(
    @%p2 bra $done;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], 256;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r20+512], [%rd0+64], 256, [%r21];)" +
                               wait_for(0, 0) + "$done:");
  const std::vector<std::string> wanted = {"released mbarrier 4096 of block 0 phase 0 by block 0 lanes 0x1",
                                           "global read by block 0 lanes 0x1: 64+256",
                                           "shared written of block 0 by block 0 lanes 0x1: 512+256",
                                           "released mbarrier 4096 of block 0 phase 0 by block 0 lanes 0x1",
                                           "acquired mbarrier 4096 of block 0 phase 0 by block 0 lanes 0x1"};
  // Phases begin at an even number that the machine chooses.
  std::vector<std::string> seen = lines;
  const size_t at = lines.empty() ? 0 : lines[0].find("phase ") + 6;
  const std::string phase = lines.at(0).substr(at, lines[0].find(' ', at) - at);
  for (std::string& line : seen) {
    if (const size_t where = line.find("phase " + phase); where != std::string::npos)
      line.replace(where, 6 + phase.size(), "phase 0");
  }
  CHECK(seen == wanted);
}

TEST_CASE("a bulk store is observed as a read at its .read wait and a write at the full wait") {
  const auto lines = events_of(R"(
    fence.proxy.async.shared::cta;
    @%p2 ret;
    cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r20+128], 64;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1+256], [%r20], 32;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    fence.proxy.async;
    cp.async.bulk.wait_group 0;)");
  CHECK(lines == std::vector<std::string>{
                     "fence.proxy.async", "shared read of block 0 by block 0 lanes 0x1: 128+64",
                     "shared read of block 0 by block 0 lanes 0x1: 0+32", "fence.proxy.async",
                     "global written by block 0 lanes 0x1: out 0+64",
                     "released group 0 of unit 32 by lanes 0x1", "acquired group 0 of unit 32 by lanes 0x1",
                     "global updated by block 0 lanes 0x1: out 256+32",
                     "released group 0 of unit 32 by lanes 0x1", "acquired group 0 of unit 32 by lanes 0x1"});
}

TEST_CASE("A tile's runs are its rows in memory and its whole box in shared memory") {
  TensorLayout t;
  t.element = TensorElement::u32;
  t.rank = 2;
  t.swizzle = 2;
  t.dims = {24, 10, 1, 1, 1};
  t.strides = {96, 0, 0, 0};
  t.box = {16, 4, 0, 0, 0};
  const auto lines = events_of(kInitBarrier + R"(
    mov.u32 %r30, 16; mov.u32 %r31, 8;
    @%p2 bra $done;
    mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r21], 256;
    cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd38, {%r30, %r31}], [%r21];)" +
                                   wait_for(0, 0) + "$done:",
                               {1, 1, 1}, &t);
  REQUIRE(lines.size() >= 2);
  CHECK(lines[0] == "global read by block 0 lanes 0x1: 832+32 928+32");
  CHECK(lines[1] == "shared written of block 0 by block 0 lanes 0x1: 0+256");
}

TEST_CASE("a multicast is observed once per block, ordered by each block's mbarrier") {
  const auto lines = events_of(kInitBarrier + R"(
    mov.u32 %r1, %cluster_ctarank; mov.u16 %h0, 3; setp.ne.u32 %p3, %r1, 1; or.pred %p3, %p3, %p2;
    @!%p2 mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r21], 64;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    @!%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r20], [%rd0], 64, [%r21], %h0;)" +
                                   wait_for(0, 0) +
                                   "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
                               {2, 1, 1});
  for (const int block : {0, 1}) {
    CHECK(std::count(lines.begin(), lines.end(),
                     fmt::format("shared written of block {} by block 1 lanes 0x1: 0+64", block)) == 1);
    CHECK(std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
            return line.starts_with(fmt::format("released mbarrier 4096 of block {} ", block)) &&
                   line.ends_with("by block 1 lanes 0x1");
          }) == 1);
  }
}
