// Four launches of a kernel that does x = x / 2 + 1, one of which may be broken; the function
// reports the first error.
#include "harness/problems/host/broken_launch.h"
#include "harness/problems/host/relaxation.h"
#include "harness/problems/inputs.h"

namespace ridge::problems {

namespace {

// As in labs/00-host-side/steps.h.
struct Launch {
  int blocks = 0, threads = 0;
  size_t shared_bytes = 0;
  int fault = 0;  // what the kernel does wrong; 0: nothing
};

constexpr int kThreads = 128;
constexpr int kTooManyThreads = 4096;
constexpr size_t kTooMuchShared = size_t{16} << 20;
constexpr int kNullPointer = 1, kTrap = 2;

// Nothing is broken in these: each broken launch needs a process of its own (grade/host).
std::vector<Sizes> unbroken_sizes() {
  std::vector<Sizes> sizes;
  for (const Sizes& n : edge_sizes_1d())
    sizes.push_back({n[0], 1, static_cast<int64_t>(Breakage::nothing)});
  return sizes;
}

void call_with_launches(void* entry, const Arguments& with) {
  Launch launches[kLaunches];
  for (Launch& launch : launches)
    launch = {(with.size(0) + kThreads - 1) / kThreads, kThreads, 0, 0};
  Launch& broken = launches[with.size(1) - 1];
  switch (static_cast<Breakage>(with.size(2))) {
    case Breakage::nothing:
      break;
    case Breakage::threads:
      broken.threads = kTooManyThreads;
      break;
    case Breakage::shared_memory:
      broken.shared_bytes = kTooMuchShared;
      break;
    case Breakage::address:
      broken.fault = kNullPointer;
      break;
    case Breakage::trap:
      broken.fault = kTrap;
      break;
  }
  auto function =
      reinterpret_cast<void (*)(const float*, float*, int64_t*, int, const Launch*)>(entry);
  function(with.buffer<float>(0), with.buffer<float>(1), with.buffer<int64_t>(2), with.size(0),
           launches);
}

}  // namespace

Problem host_errors() {
  return {
      .id = "host_errors",
      .signature = "(const float* x, float* y, FirstError* first, int n, const Launch* launches)",
      .size_names = {"n", "launch", "breakage"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"x", Role::input, {sizes[0]}},
                {"y", Role::output, {sizes[0]}},
                {"first", Role::output, {2}, Type::int64}};
      },
      .operations =
          [](const Sizes& sizes) { return 2.0 * kLaunches * static_cast<double>(sizes[0]); },
      .reference = [](const Case& given) -> std::vector<Expected> {
        Expected y = relaxed(given.input<float>(0), kLaunches, 1);
        Expected first{2, LargeArray<double>(2), {}};  // no error, in no line
        first.value[0] = first.value[1] = 0;
        std::vector<Expected> both;
        both.push_back(std::move(y));
        both.push_back(std::move(first));
        return both;
      },
      .call = call_with_launches,
      .edge_sizes = unbroken_sizes(),
      .hidden_limit = {6000, 1, 1},
      .host_code = HostCode::first_error,
  };
}

}  // namespace ridge::problems
