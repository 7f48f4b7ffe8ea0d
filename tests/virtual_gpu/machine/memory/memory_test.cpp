#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::compile_cuda;
using ridge::machine::test::Device;

namespace {

const char* const kKernels = R"(#include <cuda_fp16.h>
extern "C" __global__ void scale(float* x, int n, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = a * x[i];
}
extern "C" __global__ void widths(const unsigned char* b, const short* h, const double* d, const float4* v, double* out) {
  int i = threadIdx.x;
  float4 q = v[i];
  out[i] = b[i] + h[i] + d[i] + q.x + 10 * q.y + 100 * q.z + 1000 * q.w;
}
extern "C" __global__ void narrow_stores(unsigned char* b, short* h, float2* v) {
  int i = threadIdx.x;
  b[i] = i * 7; h[i] = -i; v[i] = make_float2(i, -i);
}
extern "C" __global__ void generic(int* out, int which) {
  __shared__ int s[32];
  int local[32];
  for (int k = 0; k < 32; ++k) local[k] = 1000 + k + threadIdx.x;
  s[threadIdx.x] = 2000 + threadIdx.x;
  out[threadIdx.x] = 3000 + threadIdx.x;
  __syncthreads();
  int* p = (which + threadIdx.x) % 3 == 0 ? s : (which + threadIdx.x) % 3 == 1 ? local : out;
  int v = p[31 - threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = v;
}
extern "C" __global__ void local_array(int* out, int n) {
  int a[40];
  for (int k = 0; k < 40; ++k) a[k] = k * threadIdx.x;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += a[(k * 7 + threadIdx.x) % 40];
  out[threadIdx.x] = sum;
}
__constant__ float weights[64];
__device__ int counters[4] = {5, 6, 7, 8};
__device__ int* where = &counters[2];
extern "C" __global__ void module_variables(float* out) { out[threadIdx.x] = weights[threadIdx.x % 64] + *where + counters[threadIdx.x % 4]; }
extern __shared__ double dynamic[];
extern "C" __global__ void dynamic_shared(double* out) {
  __shared__ int fixed[3];
  if (threadIdx.x < 3) fixed[threadIdx.x] = threadIdx.x;
  dynamic[threadIdx.x] = threadIdx.x * 0.5;
  __syncthreads();
  out[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x] + fixed[threadIdx.x % 3];
}
extern "C" __global__ void shared_overrun(float* out, int k) {
  __shared__ float tile[64];
  tile[threadIdx.x + k] = 1;
  out[threadIdx.x] = tile[threadIdx.x];
}
extern "C" __global__ void misaligned(float* x) { *(float4*)(x + 1) = make_float4(1, 2, 3, 4); }
extern "C" __global__ void unwritten(float* out) { __shared__ float s[32]; asm volatile("" ::"l"(s) : "memory"); out[threadIdx.x] = s[31 - threadIdx.x]; }
extern "C" __global__ void copy_async(const float* in, float* out, int wait) {
  __shared__ float s[64];
  unsigned at = __cvta_generic_to_shared(&s[threadIdx.x]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(in + threadIdx.x));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at + 128), "l"(in + threadIdx.x), "r"(threadIdx.x % 2 ? 4 : 0));
  asm volatile("cp.async.commit_group;");
  if (wait == 1) asm volatile("cp.async.wait_group 1;");
  if (wait == 2) asm volatile("cp.async.wait_group 0;");
  __syncwarp();
  out[threadIdx.x] = s[threadIdx.x];
  out[32 + threadIdx.x] = s[32 + threadIdx.x];
}
extern "C" __global__ void heap(int* out) {
  int* p = (int*)malloc(16);
  p[0] = threadIdx.x; p[3] = 5;
  out[threadIdx.x] = p[0] + p[3];
  free(p);
}
extern "C" __global__ void dynamic_parameter(int* out, const __grid_constant__ int4 a, int k) { out[threadIdx.x] = ((const int*)&a)[(threadIdx.x + k) % 4]; }
#line 2 "ring.h"
__device__ inline void take(float* x, int i) {
  x[i] = 0;
}
#line 900 "kernel.cu"
extern "C" __global__ void takes(float* x, int n) {
  take(x, n + threadIdx.x);
}
)";

Device& device() {
  static Device d(compile_cuda(kKernels));
  d.config.dynamic_shared_bytes = 0;
  return d;
}

template <class T>
uint64_t zeros(size_t count) {
  return device().upload(std::vector<T>(count, T{}));
}

std::string message_of(const LaunchOutcome& outcome) {
  return outcome.fault ? outcome.fault->message : "(no fault)";
}

}  // namespace

TEST_CASE("an access past the end of an array says thread, index, size and line") {
  const uint64_t x = device().upload(std::vector<float>(1000, 1));
  const auto outcome = device().launch("scale", {4, 1, 1}, {256, 1, 1}, x, 1000, 2.f);
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->kind == Fault::Kind::out_of_bounds);
  REQUIRE(outcome.fault->line == 4);
  REQUIRE(outcome.fault->block.x == 3);
  REQUIRE(outcome.fault->thread.x == 232);
  CHECK(outcome.fault->cause.id == "index");
  INFO(message_of(outcome));
  REQUIRE_THAT(outcome.fault->message,
               Catch::Contains("Out of bounds: thread (232,0,0) of block (3,0,0) reads 4 bytes at index 1000 "
                               "of the array passed as parameter 1, which holds 1000 elements of 4 bytes") &&
                   Catch::Contains("the first byte past its end (cudaMalloc, allocation #") &&
                   Catch::Contains("kernel.cu:4 in scale") && Catch::Contains("if (i < n)"));
}

TEST_CASE("of a line in a header the message says which call of it", "[nvcc]") {
  if (ridge::tests::skipped_without_nvcc("the line that called an inlined function")) return;
  const uint64_t x = device().upload(std::vector<float>(1000, 1));
  const auto outcome = device().launch("takes", {1, 1, 1}, {32, 1, 1}, x, 1000);
  INFO(message_of(outcome));
  REQUIRE(outcome.fault);
  CHECK(outcome.fault->line == 3);
  CHECK(outcome.fault->called_from == "kernel.cu:901");
  CHECK_THAT(outcome.fault->message, Catch::Contains("ring.h:3 (called from kernel.cu:901) in takes"));
  const auto direct = device().launch("scale", {4, 1, 1}, {256, 1, 1}, x, 1000, 2.f);
  REQUIRE(direct.fault);
  CHECK(direct.fault->called_from.empty());
}

TEST_CASE("what was inlined from a header has its call's line in the kernel's own file", "[nvcc]") {
  if (ridge::tests::skipped_without_nvcc("the line that called an inlined function")) return;
  const auto program = device().program("takes");
  bool found = false;
  for (const InstructionSource& source : sources(*program)) {
    if (source.line != 3 || source.text.find("st.global") == std::string::npos) continue;
    found = true;
    CHECK(source.file.ends_with("ring.h"));
    CHECK(source.own_file.ends_with("kernel.cu"));
    CHECK(source.own_line == 901);
  }
  CHECK(found);
  const auto plain = device().program("scale");  // its sources live as long as it does
  for (const InstructionSource& source : sources(*plain)) {
    CHECK(source.own_line == source.line);
    CHECK(source.own_file == source.file);
  }
}

TEST_CASE("the same first fault is reported whatever the number of host threads") {
  std::string first;
  for (const unsigned threads : {1u, 2u, 4u}) {
    Device& d = device();
    const uint64_t x = d.upload(std::vector<float>(1000, 1), "cudaMalloc");
    d.config.host_threads = threads;
    const auto outcome = d.launch("scale", {64, 1, 1}, {256, 1, 1}, x, 1000, 2.f);
    d.config.host_threads = 0;
    REQUIRE(outcome.fault);
    const std::string text = outcome.fault->message.substr(0, outcome.fault->message.find("allocation #"));
    if (first.empty()) first = text;
    REQUIRE(text == first);
  }
}

TEST_CASE("freed memory, null pointers and host pointers have different messages") {
  Device& d = device();
  const uint64_t x = zeros<float>(256);
  REQUIRE(d.memory.release(x));
  REQUIRE_THAT(message_of(d.launch("scale", {1, 1, 1}, {32, 1, 1}, x, 32, 2.f)),
               Catch::Contains("was freed") && Catch::Contains("do not use the pointer again"));
  REQUIRE_THAT(message_of(d.launch("scale", {1, 1, 1}, {32, 1, 1}, uint64_t{0}, 32, 2.f)),
               Catch::Contains("null pointer (address 0x0)"));
  float on_the_host[32] = {};
  REQUIRE_THAT(message_of(d.launch("scale", {1, 1, 1}, {32, 1, 1}, &on_the_host[0], 32, 2.f)),
               Catch::Contains("belongs to no device memory"));
}

TEST_CASE("host memory can be made known to the device") {
  Device& d = device();
  alignas(16) static float on_the_host[32];
  for (float& value : on_the_host)
    value = 3;
  d.memory.adopt(reinterpret_cast<uint64_t>(on_the_host), sizeof on_the_host, "cudaHostRegister");
  REQUIRE_FALSE(d.launch("scale", {1, 1, 1}, {32, 1, 1}, &on_the_host[0], 32, 2.f).fault);
  REQUIRE(on_the_host[31] == 6);
}

TEST_CASE("an index before the beginning is called negative") {
  const uint64_t x = zeros<float>(100);
  REQUIRE_THAT(message_of(device().launch("scale", {1, 1, 1}, {32, 1, 1}, x - 8, 32, 2.f)),
               Catch::Contains("at index -2 of an array") && Catch::Contains("8 bytes before its begin") &&
                   Catch::Contains("negative"));
}

TEST_CASE("a store past the end of a shared array names it and its size") {
  const auto outcome = device().launch("shared_overrun", {1, 1, 1}, {64, 1, 1}, zeros<float>(64), 10);
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->thread.x == 54);
  REQUIRE_THAT(
      outcome.fault->message,
      Catch::Contains("thread (54,0,0) of block (0,0,0) writes 4 bytes at index 64 of the __shared__ "
                      "array `tile`, which holds 64 elements of 4 bytes"));
}

TEST_CASE("a misaligned vector store says by how much") {
  const uint64_t x = zeros<float>(64);
  const auto outcome = device().launch("misaligned", {1, 1, 1}, {1, 1, 1}, x);
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->kind == Fault::Kind::misaligned);
  REQUIRE_THAT(outcome.fault->message, Catch::Contains("writes 16 bytes at global address") &&
                                           Catch::Contains("4 bytes past a multiple here"));
}

TEST_CASE("loads of every width reach the right lanes") {
  std::vector<unsigned char> b(48);
  std::vector<short> h(48);
  std::vector<double> dd(48);
  std::vector<float> v(4 * 48);
  for (int i = 0; i < 48; ++i)
    b[i] = static_cast<unsigned char>(200 + i), h[i] = static_cast<short>(-i), dd[i] = i / 4.0;
  for (int i = 0; i < 4 * 48; ++i)
    v[i] = static_cast<float>(i % 10);
  Device& d = device();
  const uint64_t out = zeros<double>(48);
  const auto outcome =
      d.launch("widths", {1, 1, 1}, {48, 1, 1}, d.upload(b), d.upload(h), d.upload(dd), d.upload(v), out);
  INFO(message_of(outcome));
  REQUIRE_FALSE(outcome.fault);
  const auto values = d.download<double>(out, 48);
  for (int i = 0; i < 48; ++i)
    REQUIRE(values[i] ==
            b[i] + h[i] + dd[i] + v[4 * i] + 10 * v[4 * i + 1] + 100 * v[4 * i + 2] + 1000 * v[4 * i + 3]);
}

TEST_CASE("narrow stores touch only their own bytes") {
  Device& d = device();
  const uint64_t b = zeros<unsigned char>(64), h = zeros<short>(64), v = zeros<float>(128);
  REQUIRE_FALSE(d.launch("narrow_stores", {1, 1, 1}, {40, 1, 1}, b, h, v).fault);
  for (int i = 0; i < 40; ++i) {
    REQUIRE(d.download<unsigned char>(b, 64)[i] == static_cast<unsigned char>(i * 7));
    REQUIRE(d.download<short>(h, 64)[i] == -i);
    REQUIRE(d.download<float>(v, 128)[2 * i + 1] == -i);
  }
  REQUIRE(d.download<unsigned char>(b, 64)[40] == 0);
}

TEST_CASE("a generic pointer may mean another memory in each lane") {
  for (int which = 0; which < 3; ++which) {
    Device& d = device();
    const uint64_t out = zeros<int>(32);
    const auto outcome = d.launch("generic", {1, 1, 1}, {32, 1, 1}, out, which);
    INFO(message_of(outcome));
    REQUIRE_FALSE(outcome.fault);
    const auto values = d.download<int>(out, 32);
    for (int i = 0; i < 32; ++i) {
      const int expected[] = {2000 + 31 - i, 1000 + 31 - i + i, 3000 + 31 - i};
      REQUIRE(values[i] == expected[(which + i) % 3]);
    }
  }
}

TEST_CASE("a local array belongs to its thread, whatever the index") {
  Device& d = device();
  const uint64_t out = zeros<int>(64);
  REQUIRE_FALSE(d.launch("local_array", {1, 1, 1}, {50, 1, 1}, out, 9).fault);
  const auto values = d.download<int>(out, 64);
  for (int i = 0; i < 50; ++i) {
    int sum = 0;
    for (int k = 0; k < 9; ++k)
      sum += (k * 7 + i) % 40 * i;
    REQUIRE(values[i] == sum);
  }
}

TEST_CASE("constants and device variables are where the module put them") {
  Device& d = device();
  for (int i = 0; i < 64; ++i)
    reinterpret_cast<float*>(d.address_of("weights"))[i] = static_cast<float>(i);
  const uint64_t out = zeros<float>(64);
  REQUIRE_FALSE(d.launch("module_variables", {1, 1, 1}, {64, 1, 1}, out).fault);
  const auto values = d.download<float>(out, 64);
  for (int i = 0; i < 64; ++i)
    REQUIRE(values[i] == i + 7 + 5 + i % 4);
}

TEST_CASE("dynamic shared memory comes after the static arrays") {
  Device& d = device();
  const uint64_t out = zeros<double>(64);
  d.config.dynamic_shared_bytes = 64 * 8;
  REQUIRE_FALSE(d.launch("dynamic_shared", {3, 1, 1}, {64, 1, 1}, out).fault);
  const auto values = d.download<double>(out, 64);
  for (int i = 0; i < 64; ++i)
    REQUIRE(values[i] == (63 - i) * 0.5 + i % 3);
}

TEST_CASE("uninitialised shared memory reads as NaN") {
  Device& d = device();
  const uint64_t out = zeros<float>(32);
  REQUIRE_FALSE(d.launch("unwritten", {1, 1, 1}, {32, 1, 1}, out).fault);
  REQUIRE(d.download<float>(out, 1)[0] != d.download<float>(out, 1)[0]);
}

TEST_CASE("cp.async writes at the wait, the oldest groups first, and fills with zeros") {
  Device& d = device();
  std::vector<float> in(32);
  for (int i = 0; i < 32; ++i)
    in[i] = static_cast<float>(i + 1);
  for (int wait = 0; wait < 3; ++wait) {
    const uint64_t out = zeros<float>(64);
    REQUIRE_FALSE(d.launch("copy_async", {1, 1, 1}, {32, 1, 1}, d.upload(in), out, wait).fault);
    const auto values = d.download<float>(out, 64);
    REQUIRE((values[3] == 4) == (wait >= 1));
    if (wait < 2) {
      REQUIRE(values[32 + 3] != values[32 + 3]);
    } else {
      for (int i = 0; i < 32; ++i)
        REQUIRE(values[32 + i] == (i % 2 ? i + 1 : 0));
    }
  }
}

TEST_CASE("kernels can allocate and free") {
  Device& d = device();
  const uint64_t out = zeros<int>(32), before = d.memory.bytes_in_use();
  REQUIRE_FALSE(d.launch("heap", {1, 1, 1}, {32, 1, 1}, out).fault);
  REQUIRE(d.download<int>(out, 32)[9] == 14);
  REQUIRE(d.memory.bytes_in_use() == before);
}

TEST_CASE("a kernel parameter can be indexed at run time") {
  Device& d = device();
  struct alignas(16) Four {
    int v[4];
  };
  const uint64_t out = zeros<int>(32);
  REQUIRE_FALSE(d.launch("dynamic_parameter", {1, 1, 1}, {32, 1, 1}, out, Four{{4, 5, 6, 7}}, 1).fault);
  REQUIRE(d.download<int>(out, 32)[3] == 4);
  REQUIRE(d.download<int>(out, 32)[4] == 5);
}

TEST_CASE("device memory keeps arrays apart and knows what it freed") {
  DeviceMemory memory(uint64_t{1} << 24);
  const uint64_t a = memory.allocate(1000, "a").value(), b = memory.allocate(24, "b").value();
  REQUIRE(a % 256 == 0);
  REQUIRE(b >= a + 1000 + 256);
  REQUIRE(memory.range_of(a + 999).end == a + 1000);
  REQUIRE(memory.range_of(a + 1000).end == 0);
  REQUIRE(memory.find(a + 10, 990));
  REQUIRE_FALSE(memory.find(a + 10, 991));
  REQUIRE(memory.nearest(a + 1004)->origin == "a");
  const uint64_t generation = memory.generation();
  REQUIRE(memory.release(a));
  REQUIRE_FALSE(memory.release(a));
  REQUIRE_FALSE(memory.release(b + 1));
  REQUIRE(memory.generation() != generation);
  REQUIRE(memory.nearest(a + 4)->freed);
  REQUIRE(memory.bytes_in_use() == 24);
  REQUIRE_FALSE(memory.allocate(uint64_t{1} << 25, "too much"));
  for (int i = 0; i < 10000; ++i)
    REQUIRE(memory.release(memory.allocate(100000, "churn").value()));
}
