#include "harness/runner/child/timer.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "harness/runner/child/device_error.h"
#include "harness/runner/child/rank_devices.h"

namespace ridge::runner {

namespace {

constexpr unsigned long long kGateNs = 20'000;
// Per further device: the host needs as long for the launches there.
constexpr unsigned long long kGateNsPerDevice = 40'000;
constexpr unsigned long long kLateNs = 10'000;
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

Timer::Timer(const std::vector<cudaStream_t>& streams) : Timer(streams.front()) {
  for (size_t device = 1; device < streams.size(); ++device) {
    const OnDevice on(static_cast<int>(device));
    Other& other = others_.emplace_back(Other{streams[device], nullptr});
    check(cudaEventCreateWithFlags(&other.done, cudaEventDisableTiming), "making an event");
  }
}

Timer::~Timer() {
  for (const Other& other : others_)
    if (other.done) cudaEventDestroy(other.done);
  if (start_) cudaEventDestroy(start_);
  if (stop_) cudaEventDestroy(stop_);
}

Timer& Timer::operator=(Timer&& other) noexcept {
  std::swap(stream_, other.stream_);
  std::swap(start_, other.start_);
  std::swap(stop_, other.stop_);
  std::swap(others_, other.others_);
  std::swap(multiprocessors_, other.multiprocessors_);
  std::swap(threads_, other.threads_);
  std::swap(gate_, other.gate_);
  std::swap(empty_launch_, other.empty_launch_);
  std::swap(read_, other.read_);
  std::swap(multiply_adds_, other.multiply_adds_);
  std::swap(write_late_, other.write_late_);
  return *this;
}

void Timer::use_module(const std::string& path) {
  const Library module = Library::open({"the module timing", path, "it is made by ridge itself"});
  gate_ = module.function<Gate>("ridge_gate");
  empty_launch_ = module.function<EmptyLaunch>("ridge_empty_launch");
  read_ = module.function<Read>("ridge_read");
  multiply_adds_ = module.function<MultiplyAdds>("ridge_multiply_adds");
  write_late_ = module.function<WriteLate>("ridge_write_late");
  multiprocessors_ = attribute(cudaDevAttrMultiProcessorCount);
  threads_ = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
}

// The other devices begin after the start event.
void Timer::begin_others() const {
  for (const Other& other : others_)
    check(cudaStreamWaitEvent(other.stream, start_, 0), "letting a device wait");
}

// What follows on the first stream begins after the work of all devices. The function may have left
// any device as the current one.
cudaError_t Timer::join_others() const {
  if (others_.empty()) return cudaSuccess;
  cudaError_t first = cudaSuccess;
  const auto keep = [&](cudaError_t code) {
    if (first == cudaSuccess) first = code;
  };
  for (size_t i = 0; i < others_.size(); ++i) {
    keep(cudaSetDevice(static_cast<int>(i) + 1));
    keep(cudaEventRecord(others_[i].done, others_[i].stream));
  }
  keep(cudaSetDevice(0));
  for (const Other& other : others_)
    keep(cudaStreamWaitEvent(stream_, other.done, 0));
  return first;
}

CallTime Timer::time(const std::function<void()>& call, bool gated, int queued) const {
  const auto calls = static_cast<unsigned long long>(queued);
  if (gated && gate_)
    check(static_cast<cudaError_t>(
              gate_(multiprocessors_, threads_, calls * (kGateNs + kGateNsPerDevice * others_.size()), stream_)),
          "holding the device");
  const auto begin = std::chrono::steady_clock::now();
  check(cudaEventRecord(start_, stream_), "recording an event");
  begin_others();
  call();
  const cudaError_t refused = cudaGetLastError(), join_error = join_others();
  const cudaError_t stop_error = cudaEventRecord(stop_, stream_);
  const cudaError_t latest = cudaGetLastError();
  check(refused != cudaSuccess ? refused : latest, "the launch was refused", "launch");
  synchronize_devices(1 + static_cast<int>(others_.size()));
  check(join_error != cudaSuccess ? join_error : stop_error, "recording an event", "run");
  const std::chrono::duration<double, std::milli> host = std::chrono::steady_clock::now() - begin;
  float device_ms = 0;
  check(cudaEventElapsedTime(&device_ms, start_, stop_), "reading the events", "run");
  return {static_cast<double>(device_ms), host.count()};
}

void Timer::write_late(const std::vector<LateInput>& inputs, unsigned* arrivals) const {
  for (size_t device = 0; device <= others_.size(); ++device) {
    const OnDevice on(static_cast<int>(device));
    cudaStream_t stream = device == 0 ? stream_ : others_[device - 1].stream;
    std::vector<const void*> from;
    std::vector<void*> to;
    std::vector<long long> bytes;
    for (const LateInput& input : inputs) {
      if (input.device != static_cast<int>(device)) continue;
      from.push_back(input.from);
      to.push_back(input.to);
      bytes.push_back(input.bytes);
    }
    check(static_cast<cudaError_t>(write_late_(static_cast<int>(bytes.size()), from.data(), to.data(), bytes.data(),
                                               arrivals, static_cast<int>(others_.size()) + 1, kLateNs, stream)),
          "copying inputs late");
  }
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
