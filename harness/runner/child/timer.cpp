#include "harness/runner/child/timer.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "harness/runner/child/device_error.h"

namespace ridge::runner {

namespace {

constexpr unsigned long long kGateNs = 20'000;
constexpr int64_t kMostCopied = int64_t{512} << 20;

int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "finding a device");
  check(cudaDeviceGetAttribute(&value, which, device), "querying the device");
  return value;
}

}  // namespace

Timer::Timer(cudaStream_t stream) : stream_(stream) {
  check(cudaEventCreate(&start_), "making an event");
  check(cudaEventCreate(&stop_), "making an event");
}

Timer::~Timer() {
  if (start_) cudaEventDestroy(start_);
  if (stop_) cudaEventDestroy(stop_);
}

Timer& Timer::operator=(Timer&& other) noexcept {
  std::swap(stream_, other.stream_);
  std::swap(start_, other.start_);
  std::swap(stop_, other.stop_);
  std::swap(multiprocessors_, other.multiprocessors_);
  std::swap(threads_, other.threads_);
  std::swap(gate_, other.gate_);
  std::swap(empty_launch_, other.empty_launch_);
  std::swap(read_, other.read_);
  std::swap(multiply_adds_, other.multiply_adds_);
  return *this;
}

void Timer::use_module(const std::string& path) {
  const Library module = Library::open({"the module timing", path, "it is made by ridge itself"});
  gate_ = module.function<Gate>("ridge_gate");
  empty_launch_ = module.function<EmptyLaunch>("ridge_empty_launch");
  read_ = module.function<Read>("ridge_read");
  multiply_adds_ = module.function<MultiplyAdds>("ridge_multiply_adds");
  multiprocessors_ = attribute(cudaDevAttrMultiProcessorCount);
  threads_ = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
}

CallTime Timer::time(const std::function<void()>& call, bool gated) const {
  if (gated && gate_)
    check(static_cast<cudaError_t>(gate_(multiprocessors_, threads_, kGateNs, stream_)),
          "holding the device");
  const auto begin = std::chrono::steady_clock::now();
  check(cudaEventRecord(start_, stream_), "recording an event");
  call();
  const cudaError_t stop_error = cudaEventRecord(stop_, stream_);
  check(cudaGetLastError(), "the launch was refused", "launch");
  check(cudaDeviceSynchronize(), "the kernel failed", "run");
  check(stop_error, "recording an event", "run");
  const std::chrono::duration<double, std::milli> host = std::chrono::steady_clock::now() - begin;
  float device_ms = 0;
  check(cudaEventElapsedTime(&device_ms, start_, stop_), "reading the events", "run");
  return {static_cast<double>(device_ms), host.count()};
}

double Timer::median_ms(int calls, const std::function<void(int call)>& work) const {
  std::vector<double> times;
  for (int i = 0; i < calls; ++i)
    times.push_back(time([&] { work(i); }, true).device_ms);
  std::nth_element(times.begin(), times.begin() + calls / 2, times.end());
  return times[static_cast<size_t>(calls / 2)];
}

Roofs Timer::roofs() const {
  Roofs roofs;
  size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for the free memory");
  const int64_t bytes = std::min(kMostCopied, static_cast<int64_t>(free_bytes) / 8) / 512 * 512;
  if (bytes > 0) {
    // Alternates between two halves, so that no copy reads what the previous one left in the cache.
    const DeviceMemory from(2 * bytes), to(2 * bytes);
    check(cudaMemsetAsync(from.start(), 0x3c, static_cast<size_t>(2 * bytes), stream_), "filling a buffer");
    const double ms = median_ms(16, [&](int i) {
      check(cudaMemcpyAsync(to.start() + i % 2 * bytes, from.start() + i % 2 * bytes,
                            static_cast<size_t>(bytes), cudaMemcpyDeviceToDevice, stream_),
            "copying");
    });
    roofs.copy_gb_per_s = ms > 0 ? 2 * static_cast<double>(bytes) / ms / 1e6 : 0;
    if (read_) {
      const double read_ms = median_ms(16, [&](int i) {
        (void)read_(multiprocessors_, from.start() + i % 2 * bytes, bytes, reinterpret_cast<unsigned*>(to.start()),
                    stream_);
      });
      roofs.read_gb_per_s = read_ms > 0 ? static_cast<double>(bytes) / read_ms / 1e6 : 0;
    }
  }
  if (!gate_) return roofs;
  roofs.launch_ms = median_ms(32, [&](int) { (void)empty_launch_(stream_); });
  const DeviceMemory out(4);
  double operations = 0;
  const double ms = median_ms(9, [&](int) {
    (void)multiply_adds_(multiprocessors_, reinterpret_cast<float*>(out.start()), &operations, stream_);
  });
  roofs.fp32_tflops = ms > 0 ? operations / ms / 1e9 : 0;
  return roofs;
}

}  // namespace ridge::runner
