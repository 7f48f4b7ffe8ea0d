#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::compile_cuda;
using ridge::machine::test::Device;

namespace {

const char* const kKernels = R"(
extern "C" __global__ void triangular(int* out) {
  int sum = 0;
  for (int i = 0; i <= threadIdx.x; ++i) sum += i;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void collatz(int* out, int limit) {
  int n = threadIdx.x + 1, steps = 0;
  while (n != 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    if (++steps == limit) break;
  }
  out[threadIdx.x] = steps;
}
extern "C" __global__ void reconverge(unsigned* out) {
  int lane = threadIdx.x;
  volatile int x = 0;
  if (lane % 3 == 0) { x = 1; if (lane % 2) x = 2; }
  else { for (int i = 0; i < lane; ++i) x = x + 1; }
  out[lane] = __activemask();
}
extern "C" __global__ void switched(int* out, int n) {
  int i = threadIdx.x, v = 0;
  switch (i % 9) {
    case 0: v = 10; break;
    case 1: v = out[i] + 1; break;
    case 2: v = i * i; break;
    case 3: v = -i;
    case 4: v += 7; break;
    case 5: for (int j = 0; j < n; ++j) v += j; break;
    case 6: v = 66; break;
    case 7: v = 77; break;
    default: v = 88;
  }
  out[i] = v;
}
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int thrice_of_twice(int x) { return 3 * twice(x) + twice(1); }
extern "C" __global__ void nested(int* out) { out[threadIdx.x] = threadIdx.x % 2 ? thrice_of_twice(threadIdx.x) : twice(threadIdx.x); }

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursive(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

__device__ __noinline__ int endless(int n) { volatile int a[64]; a[n & 63] = n; return endless(n + 1) + a[n & 63]; }
extern "C" __global__ void overflowing(int* out) { out[0] = endless(0); }

__device__ __noinline__ float plus_one(float x) { return x + 1; }
__device__ __noinline__ float doubled(float x) { return x * 2; }
__device__ __noinline__ float squared(float x) { return x * x; }
__device__ float (*table[3])(float) = {plus_one, doubled, squared};
extern "C" __global__ void through_pointer(float* out) { out[threadIdx.x] = table[threadIdx.x % 3](float(threadIdx.x)); }

struct Big { int a; double b; char c[24]; };
__device__ __noinline__ Big changed(Big big, int i) { big.a += i; big.b *= 2; big.c[i % 24] = char(i); return big; }
extern "C" __global__ void by_value(double* out, Big big) {
  Big r = changed(big, threadIdx.x);
  out[threadIdx.x] = r.a + r.b + r.c[threadIdx.x % 24] + r.c[(threadIdx.x + 1) % 24];
}
extern "C" __global__ void specials(int* out) {
  int linear = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + linear] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y + 100000 * blockIdx.z;
}
)";

Device& device() {
  static Device d(compile_cuda(kKernels));
  return d;
}

uint64_t ints(size_t count) {
  return device().upload(std::vector<int>(count, 0));
}

}  // namespace

TEST_CASE("a loop runs a different number of times in each lane") {
  const uint64_t out = ints(96);
  REQUIRE_FALSE(device().launch("triangular", {2, 1, 1}, {48, 1, 1}, out).fault);
  const auto values = device().download<int>(out, 96);
  for (int i = 0; i < 96; ++i)
    REQUIRE(values[i] == (i % 48) * (i % 48 + 1) / 2);
}

TEST_CASE("a loop with a break gives each lane its own number of steps") {
  const uint64_t out = ints(64);
  REQUIRE_FALSE(device().launch("collatz", {1, 1, 1}, {64, 1, 1}, out, 100).fault);
  const auto values = device().download<int>(out, 64);
  for (int i = 0; i < 64; ++i) {
    int n = i + 1, steps = 0;
    while (n != 1 && steps < 100)
      n = n % 2 == 0 ? n / 2 : 3 * n + 1, ++steps;
    REQUIRE(values[i] == steps);
  }
}

TEST_CASE("diverged lanes reconverge after the branch") {
  const uint64_t out = ints(32);
  REQUIRE_FALSE(device().launch("reconverge", {1, 1, 1}, {32, 1, 1}, out).fault);
  for (const uint32_t mask : device().download<uint32_t>(out, 32))
    REQUIRE(mask == 0xffffffffu);
}

TEST_CASE("a switch takes every lane to its case") {
  const uint64_t out = device().upload(std::vector<int>(32, 5));
  REQUIRE_FALSE(device().launch("switched", {1, 1, 1}, {32, 1, 1}, out, 4).fault);
  const auto values = device().download<int>(out, 32);
  for (int i = 0; i < 32; ++i) {
    const int expected[] = {10, 6, i * i, -i + 7, 7, 6, 66, 77, 88};
    REQUIRE(values[i] == expected[i % 9]);
  }
}

TEST_CASE("functions call functions, for some lanes only") {
  const uint64_t out = ints(32);
  REQUIRE_FALSE(device().launch("nested", {1, 1, 1}, {32, 1, 1}, out).fault);
  const auto values = device().download<int>(out, 32);
  for (int i = 0; i < 32; ++i)
    REQUIRE(values[i] == (i % 2 ? 6 * i + 2 : 2 * i));
}

TEST_CASE("recursion goes to a different depth in each lane") {
  const uint64_t out = ints(40);
  REQUIRE_FALSE(device().launch("recursive", {1, 1, 1}, {40, 1, 1}, out).fault);
  const int fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  const auto values = device().download<int>(out, 40);
  for (int i = 0; i < 40; ++i)
    REQUIRE(values[i] == fibonacci[i % 12]);
}

TEST_CASE("recursion without end is reported as a stack overflow") {
  const auto outcome = device().launch("overflowing", {1, 1, 1}, {1, 1, 1}, ints(1));
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->kind == Fault::Kind::trap);
  REQUIRE_THAT(outcome.fault->message,
               Catch::Contains("Stack overflow") && Catch::Contains("give the recursion an end"));
}

TEST_CASE("a function pointer may differ from lane to lane") {
  const uint64_t out = device().upload(std::vector<float>(32, 0));
  REQUIRE_FALSE(device().launch("through_pointer", {1, 1, 1}, {32, 1, 1}, out).fault);
  const auto values = device().download<float>(out, 32);
  for (int i = 0; i < 32; ++i)
    REQUIRE(values[i] == (i % 3 == 0 ? i + 1.f : i % 3 == 1 ? i * 2.f : float(i) * i));
}

TEST_CASE("a structure is passed and returned by value") {
  struct Big {
    int a;
    double b;
    char c[24];
  };
  Big big{7, 0.25, {}};
  for (int i = 0; i < 24; ++i)
    big.c[i] = char(100 + i);
  const uint64_t out = device().upload(std::vector<double>(32, 0));
  REQUIRE_FALSE(device().launch("by_value", {1, 1, 1}, {32, 1, 1}, out, big).fault);
  const auto values = device().download<double>(out, 32);
  for (int i = 0; i < 32; ++i)
    REQUIRE(values[i] == 7 + i + 0.5 + i + (100 + (i + 1) % 24));
}

TEST_CASE("threads and blocks know their places in three dimensions") {
  const uint64_t out = ints(2 * 3 * 2 * 4 * 3 * 2);
  REQUIRE_FALSE(device().launch("specials", {2, 3, 2}, {4, 3, 2}, out).fault);
  const auto values = device().download<int>(out, 2 * 3 * 2 * 4 * 3 * 2);
  size_t at = 0;
  for (int bz = 0; bz < 2; ++bz)
    for (int by = 0; by < 3; ++by)
      for (int bx = 0; bx < 2; ++bx)
        for (int z = 0; z < 2; ++z)
          for (int y = 0; y < 3; ++y)
            for (int x = 0; x < 4; ++x)
              REQUIRE(values[at++] == x + 10 * y + 100 * z + 1000 * bx + 10000 * by + 100000 * bz);
}
