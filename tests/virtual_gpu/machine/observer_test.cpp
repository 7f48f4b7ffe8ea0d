// What the machine tells its observers, and that it does not depend on the number of host threads.
#include <map>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::compile_cuda;
using ridge::machine::test::Device;

namespace {

const char* const kKernels =
    R"(extern "C" __global__ void copy(const float* in, float* out, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[(i * stride) % n];
}
extern "C" __global__ void transpose_in_shared(const float4* in, float* out) {
  __shared__ float tile[32];
  tile[31 - threadIdx.x] = in[threadIdx.x].y;
  __syncthreads();
  __syncwarp();
  out[threadIdx.x] = tile[threadIdx.x] + tile[0];
}
)";

struct Seen {
  std::map<std::tuple<uint32_t, AccessSpace, AccessKind, AccessShape, uint32_t>, uint64_t>
      accesses;  // -> lanes
  uint64_t issued = 0, lanes_issued = 0, begun = 0, ended = 0, barriers = 0, warp_barriers = 0, diverged = 0,
           address_sum = 0, value_sum = 0;
  bool operator==(const Seen&) const = default;
};

class Recorder : public Observer {
 public:
  explicit Recorder(uint64_t origin) : origin_(origin) {}
  void block_begin(uint64_t) override { ++seen.begun; }
  void block_end(uint64_t) override { ++seen.ended; }
  void access(const Access& a) override {
    seen.accesses[{a.instruction, a.space, a.kind, a.shape, a.bytes}] +=
        static_cast<uint64_t>(__builtin_popcount(a.mask));
    uint64_t addresses[32];
    fill_addresses(a, addresses);
    for (int lane = 0; lane < 32; ++lane) {
      if (a.mask >> lane & 1)
        seen.address_sum += addresses[lane] - (a.space == AccessSpace::global ? origin_ : 0);
    }
  }
  bool wants_values() const override { return true; }
  void values(const Access& a, const void* values) override {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      float value = 0;
      std::memcpy(&value, static_cast<const char*>(values) + lane * a.bytes, 4);
      if (a.mask >> lane & 1) seen.value_sum += static_cast<uint64_t>(value);
    }
  }
  void issued(uint32_t first, uint32_t last, uint32_t mask) override {
    seen.issued += last - first;
    seen.lanes_issued += (last - first) * static_cast<uint64_t>(__builtin_popcount(mask));
  }
  void barrier(uint64_t, uint32_t, uint32_t, uint32_t) override { ++seen.barriers; }
  void warp_barrier(uint64_t, uint32_t, uint32_t, uint32_t) override { ++seen.warp_barriers; }
  void diverged(uint32_t, uint32_t, uint32_t) override { ++seen.diverged; }

  Seen seen;

 private:
  uint64_t origin_;
};

class Factory : public ObserverFactory {
 public:
  uint64_t origin = 0;
  Seen total;
  std::unique_ptr<Observer> make(const Program&) override { return std::make_unique<Recorder>(origin); }
  void collect(std::unique_ptr<Observer> observer) override {
    const Seen& s = static_cast<Recorder&>(*observer).seen;
    for (const auto& [key, lanes] : s.accesses)
      total.accesses[key] += lanes;
    total.issued += s.issued, total.lanes_issued += s.lanes_issued, total.begun += s.begun,
        total.ended += s.ended;
    total.barriers += s.barriers, total.warp_barriers += s.warp_barriers, total.diverged += s.diverged;
    total.address_sum += s.address_sum, total.value_sum += s.value_sum;
  }
};

Device& device() {
  static Device d(compile_cuda(kKernels));
  return d;
}

uint64_t lanes_of(const Seen& seen, AccessSpace space, AccessKind kind, AccessShape shape, uint32_t bytes) {
  uint64_t lanes = 0;
  for (const auto& [key, count] : seen.accesses) {
    if (std::get<1>(key) == space && std::get<2>(key) == kind && std::get<3>(key) == shape &&
        std::get<4>(key) == bytes)
      lanes += count;
  }
  return lanes;
}

}  // namespace

TEST_CASE("observers see the same whatever the number of host threads, and so does the result") {
  Device& d = device();
  std::vector<float> in(5000);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i);
  const uint64_t source = d.upload(in), target = d.upload(std::vector<float>(5000, 0));
  Seen first;
  for (const unsigned threads : {1u, 2u, 4u}) {
    Factory factory;
    factory.origin = source;
    d.observers = &factory;
    d.config.host_threads = threads;
    const auto outcome = d.launch("copy", {40, 1, 1}, {128, 1, 1}, source, target, 5000, 3);
    d.observers = nullptr;
    REQUIRE_FALSE(outcome.fault);
    REQUIRE(outcome.warp_instructions == factory.total.issued);
    REQUIRE(factory.total.begun == 40);
    REQUIRE(factory.total.ended == 40);
    REQUIRE(factory.total.diverged == 1);
    REQUIRE(lanes_of(factory.total, AccessSpace::global, AccessKind::store, AccessShape::strided, 4) == 5000);
    REQUIRE(factory.total.value_sum == 2 * 4999ull * 5000 / 2);
    if (threads == 1) first = factory.total;
    REQUIRE(factory.total == first);
    const auto out = d.download<float>(target, 5000);
    for (int i = 0; i < 5000; ++i)
      REQUIRE(out[i] == in[i * 3 % 5000]);
  }
}

TEST_CASE("every access is reported with its space, kind and shape") {
  Device& d = device();
  std::vector<float> in(128);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i);
  const uint64_t source = d.upload(in), out = d.upload(std::vector<float>(32, 0));
  Factory factory;
  d.observers = &factory;
  const auto outcome = d.launch("transpose_in_shared", {1, 1, 1}, {32, 1, 1}, source, out);
  d.observers = nullptr;
  REQUIRE_FALSE(outcome.fault);
  const Seen& seen = factory.total;
  REQUIRE(lanes_of(seen, AccessSpace::global, AccessKind::load, AccessShape::strided, 16) +
              lanes_of(seen, AccessSpace::global, AccessKind::load, AccessShape::strided, 4) ==
          32);
  REQUIRE(lanes_of(seen, AccessSpace::shared, AccessKind::store, AccessShape::strided, 4) == 32);
  REQUIRE(lanes_of(seen, AccessSpace::shared, AccessKind::load, AccessShape::strided, 4) == 32);
  REQUIRE(lanes_of(seen, AccessSpace::shared, AccessKind::load, AccessShape::uniform, 4) == 32);
  REQUIRE(seen.barriers == 1);
  REQUIRE(seen.warp_barriers == 1);
}
