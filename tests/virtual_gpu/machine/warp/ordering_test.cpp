// The events of synchronisation: who released and acquired which place, and the order that accesses
// name.
#include <algorithm>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/ptx_kernel.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::Device;
using ridge::machine::test::ptx_kernel;
using ridge::machine::test::ptx_module;

namespace {

struct Event {
  enum class Kind { released, acquired, fence, access, bulk } kind;
  uint64_t block;
  uint32_t warp, mask;
  SyncPlace place{};
  Ordering ordering = Ordering::weak;
  Scope scope = Scope::system;
  AccessSpace space = AccessSpace::global;
  AccessKind access = AccessKind::load;
  uint64_t owner = 0;
  bool proxy_async = false;
};

class Listener : public Observer {
 public:
  explicit Listener(std::vector<Event>& events) : events_(events) {}
  void access(const Access& a) override {
    events_.push_back({Event::Kind::access,
                       a.block,
                       a.warp,
                       a.mask,
                       {},
                       a.ordering,
                       a.scope,
                       a.space,
                       a.kind,
                       a.owner});
  }
  void bulk_access(const BulkAccess& a) override {
    events_.push_back(
        {Event::Kind::bulk, a.block, a.warp, a.mask, {}, {}, {}, a.space, a.kind, a.owner});
  }
  void released(uint64_t block, uint32_t warp, uint32_t mask, const SyncPlace& place) override {
    events_.push_back({Event::Kind::released, block, warp, mask, place});
  }
  void acquired(uint64_t block, uint32_t warp, uint32_t mask, const SyncPlace& place) override {
    events_.push_back({Event::Kind::acquired, block, warp, mask, place});
  }
  void fence(uint64_t block, uint32_t warp, uint32_t mask, Scope scope, bool proxy_async) override {
    Event events{Event::Kind::fence, block, warp, mask};
    events.scope = scope;
    events.proxy_async = proxy_async;
    events_.push_back(events);
  }

 private:
  std::vector<Event>& events_;
};

class Factory : public ObserverFactory {
 public:
  std::vector<Event> events;
  std::unique_ptr<Observer> make(const Program&) override {
    return std::make_unique<Listener>(events);
  }
  void collect(std::unique_ptr<Observer>) override {}
};

std::vector<Event> listen(const std::string& body, uint32_t threads, uint32_t cluster = 1) {
  Device device(
      ptx_module(ptx_kernel("k", body, ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 box[1024];")));
  const uint64_t out = device.upload(std::vector<uint32_t>(256, 0));
  Factory factory;
  device.observers = &factory;
  device.config.cluster = {cluster, 1, 1};
  device.config.host_threads = 1;
  const auto outcome = device.launch("k", {cluster, 1, 1}, {threads, 1, 1}, out);
  if (outcome.fault) FAIL(outcome.fault->message);
  return factory.events;
}

std::vector<Event> only(const std::vector<Event>& events, Event::Kind kind, SyncPlace::Kind place) {
  std::vector<Event> found;
  std::copy_if(events.begin(), events.end(), std::back_inserter(found),
               [&](const Event& h) { return h.kind == kind && h.place.kind == place; });
  return found;
}

}  // namespace

TEST_CASE("a block barrier is released at the arrival and acquired when the lanes go on, by phase") {
  const auto events = listen("bar.sync 0;\nbar.sync 0;\nbar.sync 3, 64;\n", 64);
  const auto released = only(events, Event::Kind::released, SyncPlace::Kind::block_barrier);
  const auto acquired = only(events, Event::Kind::acquired, SyncPlace::Kind::block_barrier);
  REQUIRE(released.size() == 6);
  REQUIRE(acquired.size() == 6);
  for (const auto& list : {released, acquired}) {
    for (uint64_t phase = 0; phase < 2; ++phase) {
      const auto here = std::count_if(list.begin(), list.end(), [&](const Event& h) {
        return h.place.id == 0 && h.place.phase == phase && h.mask == ~0u;
      });
      REQUIRE(here == 2);
    }
    REQUIRE(std::count_if(list.begin(), list.end(),
                          [](const Event& h) { return h.place.id == 3; }) == 2);
  }
  // All have released before anybody acquires.
  REQUIRE(events[0].kind == Event::Kind::released);
  REQUIRE(events[1].kind == Event::Kind::released);
  REQUIRE(events[2].kind == Event::Kind::acquired);
}

TEST_CASE("an mbarrier's phase is released by arrivals and acquired by the waits that see it complete") {
  const auto events = listen(R"(mbarrier.init.shared.b64 [bar], 2;
mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [bar];
mbarrier.arrive.shared::cta.b64 _, [bar];
mbarrier.test_wait.parity.shared::cta.b64 %p0, [bar], 1;
mbarrier.test_wait.parity.shared::cta.b64 %p0, [bar], 0;
mbarrier.test_wait.parity.relaxed.cta.shared::cta.b64 %p0, [bar], 0;
mbarrier.inval.shared.b64 [bar];
mbarrier.init.shared.b64 [bar], 1;
mbarrier.arrive.shared::cta.b64 _, [bar];
)",
                             1);
  const auto released = only(events, Event::Kind::released, SyncPlace::Kind::mbarrier);
  const auto acquired = only(events, Event::Kind::acquired, SyncPlace::Kind::mbarrier);
  REQUIRE(released.size() == 2);
  REQUIRE(acquired.size() == 1);
  REQUIRE(acquired[0].place.phase == released[0].place.phase);
  REQUIRE(released[1].place.phase != released[0].place.phase);
}

TEST_CASE("*.sync lets its lanes see each other, and fences tell how far they reach") {
  struct Case {
    const char* fence;
    Scope scope;
    bool proxy_async;
  };
  const Case cases[] = {{"membar.cta;", Scope::block, false},
                        {"membar.gl;", Scope::device, false},
                        {"membar.sys;", Scope::system, false},
                        {"fence.acq_rel.cluster;", Scope::cluster, false},
                        {"fence.sc.gpu;", Scope::device, false},
                        {"fence.proxy.async;", Scope::block, true},
                        {"fence.proxy.async.shared::cta;", Scope::block, true},
                        {"fence.mbarrier_init.release.cluster;", Scope::cluster, false}};
  for (const Case& c : cases) {
    INFO(c.fence);
    const auto events = listen(std::string("bar.warp.sync 0xffffffff;\n") + c.fence + "\n", 32);
    REQUIRE(events.size() == 3);
    REQUIRE(events[0].kind == Event::Kind::released);
    REQUIRE(events[1].kind == Event::Kind::acquired);
    REQUIRE(events[1].place.kind == SyncPlace::Kind::warp);
    REQUIRE(events[1].mask == ~0u);
    REQUIRE(events[2].kind == Event::Kind::fence);
    REQUIRE(events[2].scope == c.scope);
    REQUIRE(events[2].proxy_async == c.proxy_async);
  }
}

TEST_CASE("accesses tell the order and the scope they name") {
  struct Case {
    const char* instruction;
    Ordering ordering;
    Scope scope;
  };
  const Case cases[] = {
      {"ld.global.u32 %r0, [%rd39];", Ordering::weak, Scope::system},
      {"ld.volatile.global.u32 %r0, [%rd39];", Ordering::relaxed, Scope::system},
      {"ld.relaxed.gpu.global.u32 %r0, [%rd39];", Ordering::relaxed, Scope::device},
      {"ld.acquire.cta.global.u32 %r0, [%rd39];", Ordering::acquire, Scope::block},
      {"st.release.sys.global.u32 [%rd39], %r0;", Ordering::release, Scope::system},
      {"st.global.u32 [%rd39], %r0;", Ordering::weak, Scope::system},
      {"atom.add.global.u32 %r0, [%rd39], 1;", Ordering::relaxed, Scope::device},
      {"atom.acq_rel.cluster.add.global.u32 %r0, [%rd39], 1;", Ordering::acquire_release, Scope::cluster},
      {"red.release.gpu.add.global.u32 [%rd39], 1;", Ordering::release, Scope::device},
  };
  for (const Case& c : cases) {
    INFO(c.instruction);
    const auto events = listen(std::string("mov.u32 %r0, 0;\n") + c.instruction + "\n", 1);
    REQUIRE(events.size() == 1);
    REQUIRE(events[0].ordering == c.ordering);
    REQUIRE(events[0].scope == c.scope);
  }
}

TEST_CASE(
    "accesses to another block's shared memory name their owner, and the cluster's barrier orders them") {
  const auto events = listen(R"(mov.u32 %r1, %cluster_ctarank;
xor.b32 %r2, %r1, 1;
mov.u32 %r3, box;
mapa.shared::cluster.u32 %r3, %r3, %r2;
barrier.cluster.arrive.relaxed.aligned;
barrier.cluster.wait.aligned;
st.shared::cluster.u32 [%r3], %r1;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
)",
                             1, 2);
  const auto released = only(events, Event::Kind::released, SyncPlace::Kind::cluster_barrier);
  const auto acquired = only(events, Event::Kind::acquired, SyncPlace::Kind::cluster_barrier);
  REQUIRE(released.size() == 2);
  REQUIRE(released[0].place.phase == 1);
  REQUIRE(acquired.size() == 4);
  REQUIRE(std::count_if(acquired.begin(), acquired.end(),
                        [](const Event& h) { return h.place.phase == 1; }) == 2);
  for (const Event& h : events) {
    if (h.kind != Event::Kind::access) continue;
    REQUIRE(h.space == AccessSpace::shared);
    REQUIRE(h.owner == (h.block ^ 1));
  }
}

TEST_CASE("a cp.async group is released when it is closed and acquired when it is waited for") {
  const auto events = listen(R"(cp.async.ca.shared.global [box], [%rd39], 4;
cp.async.commit_group;
cp.async.ca.shared.global [box+4], [%rd39], 4;
cp.async.commit_group;
cp.async.wait_group 1;
cp.async.wait_group 0;
)",
                             1);
  std::vector<std::pair<Event::Kind, uint64_t>> order;
  for (const Event& h : events) {
    if (h.place.kind == SyncPlace::Kind::bulk_group) order.push_back({h.kind, h.place.phase});
  }
  REQUIRE(order == std::vector<std::pair<Event::Kind, uint64_t>>{{Event::Kind::released, 0},
                                                                 {Event::Kind::released, 1},
                                                                 {Event::Kind::acquired, 0},
                                                                 {Event::Kind::acquired, 1}});
}
