// What a function that does its host work itself did wrong, by the calls that it made.
#include "harness/runner/child/calls/host_calls.h"

#include "tests/catch.h"

using namespace ridge::runner;

namespace {

constexpr uint64_t kResult = 0x100, kDevice = 0x200, kOther = 0x300;  // addresses
constexpr uint64_t kDefault = 0, kStream = 0x1000, kApart = 0x2000;   // streams
constexpr uint64_t kEvent = 0x10, kBytes = 64;

ObservedCall call(std::string_view name, uint64_t pointer = 0, uint64_t bytes = 0,
                  uint64_t stream = 0) {
  return {name, cudaSuccess, pointer, bytes, stream};
}
const ObservedCall kMade = call("cudaMalloc", kDevice, kBytes), kFreed = call("cudaFree", kDevice),
                   kLaunched = call("cudaLaunchKernel"),
                   kCopied = call("cudaMemcpy", kResult, kBytes),
                   kWaited = call("cudaDeviceSynchronize"),
                   kMadeApart = call("cudaStreamCreateWithFlags", kApart, cudaStreamNonBlocking);
ObservedCall launched_in(uint64_t stream) {
  return call("cudaLaunchKernel", 0, 0, stream);
}
ObservedCall copied_in(uint64_t stream) {
  return call("cudaMemcpyAsync", kResult, kBytes, stream);
}

nlohmann::json facts_of(const std::vector<ObservedCall>& calls, bool page_locked = true) {
  return host_facts(calls, {[](uint64_t address) { return address == kResult; }, page_locked});
}

struct Row {
  const char* what;
  std::vector<ObservedCall> calls;
  const char* fault;  // the call that copied too early, or "": none
};

}  // namespace

TEST_CASE("a result may be copied back only behind a kernel that has been launched") {
  const Row rows[] = {
      {"the usual order", {kLaunched, kCopied}, ""},
      {"before the launch", {kCopied, kLaunched}, "cudaMemcpy"},
      {"row by row, before the launch",
       {call("cudaMemcpy2D", kResult, kBytes), kLaunched},
       "cudaMemcpy2D"},
      {"from a variable, before the launch",
       {call("cudaMemcpyFromSymbol", kResult, kBytes), kLaunched},
       "cudaMemcpyFromSymbol"},
      {"in the kernel's stream", {launched_in(kStream), copied_in(kStream)}, ""},
      {"in a stream that waits for the default one", {kLaunched, copied_in(kStream)}, ""},
      {"by the default stream, which waits for others", {launched_in(kStream), kCopied}, ""},
      {"by the default stream, behind a stream apart",
       {kMadeApart, launched_in(kApart), kCopied},
       "cudaMemcpy"},
      {"the host waits between them", {kMadeApart, launched_in(kApart), kWaited, kCopied}, ""},
      {"in another stream",
       {kMadeApart, launched_in(kApart), copied_in(kStream)},
       "cudaMemcpyAsync"},
      {"an event joins the streams",
       {kMadeApart, launched_in(kApart), call("cudaEventRecord", kEvent, 0, kApart),
        call("cudaStreamWaitEvent", kEvent, 0, kStream), copied_in(kStream)},
       ""},
      {"a copy to other memory", {call("cudaMemcpy", kDevice, kBytes), kLaunched}, ""},
      {"two streams, each with its kernel and its copy",
       {kMadeApart, launched_in(kApart), launched_in(kStream), copied_in(kApart),
        copied_in(kStream)},
       ""},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(facts_of(row.calls).at("ahead") == row.fault);
  }
}

TEST_CASE("a function must wait for all its work") {
  const Row rows[] = {
      {"a blocking copy waits", {kLaunched, kCopied}, ""},
      {"nothing waits", {kLaunched, copied_in(kDefault)}, "cudaMemcpyAsync"},
      {"the wait comes first", {kLaunched, kWaited, copied_in(kDefault)}, "cudaMemcpyAsync"},
      {"the wait comes last", {kLaunched, copied_in(kDefault), kWaited}, ""},
      {"a wait for another stream",
       {kMadeApart, launched_in(kApart), call("cudaStreamSynchronize", 0, 0, kStream)},
       "cudaLaunchKernel"},
      {"memory freed in the stream's order",
       {kLaunched, kWaited, call("cudaFreeAsync", kDevice)},
       ""},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(facts_of(row.calls).at("left") == row.fault);
  }
  // Copies to memory that is not page-locked have ended when the call returns.
  CHECK(facts_of({kLaunched, copied_in(kDefault)}, false).at("left") == "");
  const ObservedCall by_rows = call("cudaMemcpy2DAsync", kResult, kBytes);
  CHECK(facts_of({kLaunched, by_rows}, false).at("left") == "");
  CHECK(facts_of({kLaunched, by_rows}).at("left") == "cudaMemcpy2DAsync");
  CHECK(facts_of({kLaunched, copied_in(kDefault)}).at("waits") == false);
  CHECK(facts_of({kLaunched, kWaited, copied_in(kDefault)}).at("waits") == true);
}

TEST_CASE("memory that is allocated and not freed is counted with its bytes") {
  const auto unfreed = [](const std::vector<ObservedCall>& calls) {
    const nlohmann::json facts = facts_of(calls);
    return std::pair<int, int>(facts.at("unfreed"), facts.at("unfreed_bytes"));
  };
  CHECK(unfreed({kMade, kFreed}) == std::pair(0, 0));
  CHECK(unfreed({kMade, call("cudaMallocHost", kOther, 8), kFreed}) == std::pair(1, 8));
  CHECK(unfreed({kMade, kFreed, kMade}) == std::pair(1, static_cast<int>(kBytes)));
  ObservedCall refused = kFreed;
  refused.code = cudaErrorInvalidValue;
  CHECK(unfreed({kMade, refused}) == std::pair(1, static_cast<int>(kBytes)));
}

TEST_CASE("of the driver's functions students get those for tensor maps and errors") {
  using ridge::runner::is_harmless_driver_function;
  for (const char* name : {"cuModuleLoadData", "cuLaunchKernel", "cuGetProcAddress", "cuMemcpyDtoD_v2"})
    CHECK_FALSE(is_harmless_driver_function(name));
  for (const char* name : {"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col", "cuGetErrorString"})
    CHECK(is_harmless_driver_function(name));
}

TEST_CASE("a call leaves what it allocates and does not free, unless it frees as much of an earlier call") {
  const auto left = [](const std::vector<ObservedCall>& calls) {
    const ridge::runner::LeftMemory memory = ridge::runner::left_allocated(calls);
    return std::pair(memory.blocks, memory.bytes);
  };
  using Left = std::pair<size_t, uint64_t>;
  CHECK(left({kMade, kFreed}) == Left(0, 0));
  CHECK(left({kMade}) == Left(1, kBytes));
  CHECK(left({kFreed, call("cudaMallocAsync", kOther, 8)}) == Left(0, 0));  // a larger buffer instead
  CHECK(left({call("cudaFree", 0), kMade}) == Left(1, kBytes));
}

TEST_CASE(
    "a first launch is apart when an event or a wait lies behind it, and a launch behind that") {
  const ObservedCall event = call("cudaEventRecord", kEvent);
  CHECK(facts_of({kLaunched, event, kLaunched}).at("warmed_up") == true);
  CHECK(facts_of({kLaunched, kWaited, kLaunched}).at("warmed_up") == true);
  CHECK(facts_of({kLaunched, call("cudaMemcpy2D", kResult, kBytes), kLaunched}).at("warmed_up") ==
        true);
  CHECK(facts_of({event, kLaunched, kLaunched, event}).at("warmed_up") == false);
  CHECK(facts_of({kLaunched, event}).at("warmed_up") == false);
}

TEST_CASE("a span is the time between two events and the launches between their records") {
  constexpr uint64_t kFirst = 0x10, kSecond = 0x20;
  const ObservedCall first = call("cudaEventRecord", kFirst),
                     second = call("cudaEventRecord", kSecond);
  const ObservedCall asked = {"cudaEventElapsedTime", cudaSuccess, kSecond, kFirst, 0, 6.0};
  using Spans = std::vector<std::pair<double, int>>;
  const auto spans_of = [](const std::vector<ObservedCall>& calls) {
    return facts_of(calls).at("spans").get<Spans>();
  };
  CHECK(spans_of({kLaunched, first, kLaunched, kLaunched, second, asked}) == Spans{{6.0, 2}});
  CHECK(spans_of({first, second, kLaunched, asked}).empty());
  CHECK(spans_of({first, kLaunched, second, first, asked}).empty());  // recorded once more
  ObservedCall early = asked;
  early.code = cudaErrorNotReady;
  CHECK(spans_of({first, kLaunched, second, early}).empty());
}
