#include <cmath>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::compile_cuda;
using ridge::machine::test::Device;

namespace {

const char* const kKernels = R"(#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void totals(int* i, unsigned long long* u, float* f, double* d) {
  atomicAdd(i, 1); atomicSub(i + 1, 2);
  atomicMin(i + 2, -int(threadIdx.x)); atomicMax(i + 3, int(threadIdx.x + blockIdx.x));
  atomicOr(i + 4, 1 << (threadIdx.x % 32)); atomicAnd(i + 5, ~(1 << (threadIdx.x % 31))); atomicXor(i + 6, threadIdx.x);
  atomicAdd(u, 1ull << 33); atomicMax(u + 1, (unsigned long long)threadIdx.x << 40);
  atomicAdd(f, 0.5f); atomicAdd(d, 0.25);
}
extern "C" __global__ void shared_histogram(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[data[i] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
extern "C" __global__ void wrapping(unsigned* x, unsigned* seen) { seen[threadIdx.x] = atomicInc(x, 4); atomicDec(x + 1, 6); }
extern "C" __global__ void halves(__half* h, __half2* h2, __nv_bfloat162* b2) {
  atomicAdd(h, __float2half(0.25f));
  atomicAdd(h2, __floats2half2_rn(1.0f, -1.0f));
  atomicAdd(b2, __floats2bfloat162_rn(1.0f, 2.0f));
}
extern "C" __global__ void exchange(int* x, int* old) { old[threadIdx.x] = atomicExch(x, threadIdx.x + 1); }
extern "C" __global__ void maximum_by_cas(float* x, const float* values) {
  int* at = (int*)x;
  int old = *at, assumed;
  do { assumed = old; old = atomicCAS(at, assumed, __float_as_int(fmaxf(values[blockIdx.x * blockDim.x + threadIdx.x], __int_as_float(assumed)))); } while (old != assumed);
}
extern "C" __global__ void vector_add(float* x) {
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(x), "f"(1.f), "f"(2.f), "f"(3.f), "f"(4.f));
}
extern "C" __global__ void in_generic_space(int* out) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  int* p = threadIdx.x % 2 ? &s : out;
  atomicAdd(p, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[1] = s;
}
extern "C" __global__ void wide(unsigned long long* x) {
  asm volatile("{ .reg .b128 a, b; mov.b128 a, {%1, %2}; atom.global.exch.b128 b, [%0], a; }" ::"l"(x), "l"(7ull), "l"(9ull) : "memory");
}
)";

Device& device() {
  static Device d(compile_cuda(kKernels));
  d.config = LaunchConfig{};
  return d;
}

}  // namespace

TEST_CASE("atomic totals are right on any number of host threads") {
  for (const unsigned threads : {1u, 2u, 4u}) {
    Device& d = device();
    d.config.host_threads = threads;
    const uint64_t i = d.upload(std::vector<int>{0, 0, 5, 5, 0, -1, 0}),
                   u = d.upload(std::vector<uint64_t>{0, 0});
    const uint64_t f = d.upload(std::vector<float>{0}), dd = d.upload(std::vector<double>{0});
    REQUIRE_FALSE(d.launch("totals", {20, 1, 1}, {100, 1, 1}, i, u, f, dd).fault);
    REQUIRE(d.download<int>(i, 7) ==
            std::vector<int>{2000, -4000, -99, 118, -1, static_cast<int>(0x80000000), 0});
    REQUIRE(d.download<uint64_t>(u, 2) == std::vector<uint64_t>{2000ull << 33, 99ull << 40});
    REQUIRE(d.download<float>(f, 1)[0] == 1000);
    REQUIRE(d.download<double>(dd, 1)[0] == 500);
  }
}

TEST_CASE("a histogram in shared memory counts every element") {
  Device& d = device();
  std::vector<unsigned char> data(5000);
  std::vector<uint32_t> expected(16, 0);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<unsigned char>(i * i % 251), ++expected[data[i] % 16];
  const uint64_t bins = d.upload(std::vector<uint32_t>(16, 0));
  REQUIRE_FALSE(d.launch("shared_histogram", {4, 1, 1}, {128, 1, 1}, d.upload(data), 5000, bins).fault);
  REQUIRE(d.download<uint32_t>(bins, 16) == expected);
}

TEST_CASE("inc and dec wrap at their bound") {
  Device& d = device();
  const uint64_t x = d.upload(std::vector<uint32_t>{0, 3}), seen = d.upload(std::vector<uint32_t>(32, 0));
  REQUIRE_FALSE(d.launch("wrapping", {1, 1, 1}, {32, 1, 1}, x, seen).fault);
  REQUIRE(d.download<uint32_t>(x, 2) == std::vector<uint32_t>{32 % 5, 6});
  REQUIRE(d.download<uint32_t>(seen, 7)[6] == 1);
}

TEST_CASE("half precision atomics add each half") {
  Device& d = device();
  const uint64_t h = d.upload(std::vector<uint16_t>{0, 0x7777}), h2 = d.upload(std::vector<uint16_t>{0, 0}),
                 b2 = d.upload(std::vector<uint16_t>{0, 0});
  const auto outcome = d.launch("halves", {1, 1, 1}, {32, 1, 1}, h, h2, b2);
  INFO((outcome.fault ? outcome.fault->message : ""));
  REQUIRE_FALSE(outcome.fault);
  REQUIRE(d.download<uint16_t>(h, 2) == std::vector<uint16_t>{0x4800, 0x7777});
  REQUIRE(d.download<uint16_t>(h2, 2) == std::vector<uint16_t>{0x5000, 0xd000});
  REQUIRE(d.download<uint16_t>(b2, 2) == std::vector<uint16_t>{0x4200, 0x4280});
}

TEST_CASE("exchange passes every value on exactly once") {
  Device& d = device();
  const uint64_t x = d.upload(std::vector<int>{0}), old = d.upload(std::vector<int>(64, -1));
  REQUIRE_FALSE(d.launch("exchange", {1, 1, 1}, {64, 1, 1}, x, old).fault);
  auto values = d.download<int>(old, 64);
  values.push_back(d.download<int>(x, 1)[0]);
  std::sort(values.begin(), values.end());
  for (int i = 0; i <= 64; ++i)
    REQUIRE(values[i] == i);
}

TEST_CASE("a maximum by compare and swap terminates") {
  Device& d = device();
  std::vector<float> values(2048);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * 7919 % 2039);
  for (const unsigned threads : {1u, 4u}) {
    d.config.host_threads = threads;
    const uint64_t x = d.upload(std::vector<float>{-1});
    REQUIRE_FALSE(d.launch("maximum_by_cas", {16, 1, 1}, {128, 1, 1}, x, d.upload(values)).fault);
    REQUIRE(d.download<float>(x, 1)[0] == 2038);
  }
}

TEST_CASE("a vector reduction adds element by element") {
  Device& d = device();
  const uint64_t x = d.upload(std::vector<float>(4, 0));
  REQUIRE_FALSE(d.launch("vector_add", {2, 1, 1}, {32, 1, 1}, x).fault);
  REQUIRE(d.download<float>(x, 4) == std::vector<float>{64, 128, 192, 256});
}

TEST_CASE("an atomic on a generic pointer may mean shared memory in some lanes") {
  Device& d = device();
  const uint64_t out = d.upload(std::vector<int>(2, 0));
  REQUIRE_FALSE(d.launch("in_generic_space", {1, 1, 1}, {32, 1, 1}, out).fault);
  REQUIRE(d.download<int>(out, 2) == std::vector<int>{16, 16});
}

TEST_CASE("128 bits are exchanged as one") {
  Device& d = device();
  const uint64_t x = d.upload(std::vector<uint64_t>{1, 2});
  const auto outcome = d.launch("wide", {1, 1, 1}, {1, 1, 1}, x);
  INFO((outcome.fault ? outcome.fault->message : ""));
  REQUIRE_FALSE(outcome.fault);
  REQUIRE(d.download<uint64_t>(x, 2) == std::vector<uint64_t>{7, 9});
}
