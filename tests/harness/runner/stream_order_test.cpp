// Which work a function has left running on streams of its own, by the calls that it made.
#include "harness/runner/child/calls/stream_order.h"

#include "tests/catch.h"

using namespace ridge::runner;

namespace {

constexpr uint64_t kGiven = 0x1000, kOwn = 0x2000, kThird = 0x3000, kEvent = 0x10, kOther = 0x20;

ObservedCall launch(uint64_t stream) {
  return {"cudaLaunchKernel", cudaSuccess, 0, 0, stream};
}
ObservedCall recorded(uint64_t event, uint64_t stream) {
  return {"cudaEventRecord", cudaSuccess, event, 0, stream};
}
ObservedCall awaited(uint64_t stream, uint64_t event) {
  return {"cudaStreamWaitEvent", cudaSuccess, event, 0, stream};
}
ObservedCall on_stream(std::string_view name, uint64_t stream) {
  return {name, cudaSuccess, 0, 0, stream};
}

struct Row {
  const char* what;
  std::vector<ObservedCall> calls;
  const char* left;  // the name of the call whose work is left; "": none
};

}  // namespace

TEST_CASE(
    "work on an own stream is left running unless the given stream or the host waits for it") {
  const Row rows[] = {
      {"on the given stream", {launch(kGiven)}, ""},
      {"never joined", {launch(kOwn)}, "cudaLaunchKernel"},
      {"a copy, never joined", {on_stream("cudaMemcpyAsync", kOwn)}, "cudaMemcpyAsync"},
      {"a copy of rows", {on_stream("cudaMemcpy2DAsync", kOwn)}, "cudaMemcpy2DAsync"},
      {"a fill of rows", {on_stream("cudaMemset2DAsync", kOwn)}, "cudaMemset2DAsync"},
      {"a copy to another device", {on_stream("cudaMemcpyPeerAsync", kOwn)}, "cudaMemcpyPeerAsync"},
      {"a copy to a symbol",
       {on_stream("cudaMemcpyToSymbolAsync", kOwn)},
       "cudaMemcpyToSymbolAsync"},
      {"a function of the host", {on_stream("cudaLaunchHostFunc", kOwn)}, "cudaLaunchHostFunc"},
      {"a function of the host, joined",
       {on_stream("cudaLaunchHostFunc", kOwn), recorded(kEvent, kOwn), awaited(kGiven, kEvent)},
       ""},
      {"a graph, never joined", {on_stream("cudaGraphLaunch", kOwn)}, "cudaGraphLaunch"},
      {"joined by an event", {launch(kOwn), recorded(kEvent, kOwn), awaited(kGiven, kEvent)}, ""},
      {"recorded too early",
       {recorded(kEvent, kOwn), launch(kOwn), awaited(kGiven, kEvent)},
       "cudaLaunchKernel"},
      {"work after the record",
       {launch(kOwn), recorded(kEvent, kOwn), launch(kOwn), awaited(kGiven, kEvent)},
       "cudaLaunchKernel"},
      {"the wait is on the own stream",
       {launch(kGiven), recorded(kEvent, kGiven), awaited(kOwn, kEvent), launch(kOwn)},
       "cudaLaunchKernel"},
      {"another event",
       {launch(kOwn), recorded(kEvent, kOwn), awaited(kGiven, kOther)},
       "cudaLaunchKernel"},
      {"joined by way of a third stream",
       {launch(kOwn), recorded(kEvent, kOwn), awaited(kThird, kEvent), launch(kThird),
        recorded(kOther, kThird), awaited(kGiven, kOther)},
       ""},
      {"the host waits for the stream",
       {launch(kOwn), on_stream("cudaStreamSynchronize", kOwn)},
       ""},
      {"the host waits for another stream",
       {launch(kOwn), on_stream("cudaStreamSynchronize", kGiven)},
       "cudaLaunchKernel"},
      {"the host waits for the device", {launch(kOwn), on_stream("cudaDeviceSynchronize", 0)}, ""},
      {"a copy that blocks waits for it", {launch(kOwn), on_stream("cudaMemcpy", 0)}, ""},
      {"freeing memory waits for the device", {launch(kOwn), on_stream("cudaFree", 0)}, ""},
      {"joined by an event recorded with flags",
       {launch(kOwn), {"cudaEventRecordWithFlags", cudaSuccess, kEvent, 0, kOwn}, awaited(kGiven, kEvent)},
       ""},
      {"the host waits before the work",
       {on_stream("cudaDeviceSynchronize", 0), launch(kOwn)},
       "cudaLaunchKernel"},
      {"the host waits for the event",
       {launch(kOwn), recorded(kEvent, kOwn), {"cudaEventSynchronize", cudaSuccess, kEvent, 0, 0}},
       ""},
      {"a query that says not ready is no wait",
       {launch(kOwn), {"cudaStreamQuery", cudaErrorNotReady, 0, 0, kOwn}},
       "cudaLaunchKernel"},
      {"a query that says ready is one", {launch(kOwn), on_stream("cudaStreamQuery", kOwn)}, ""},
      {"refused, so there is no work",
       {{"cudaLaunchKernel", cudaErrorInvalidValue, 0, 0, kOwn}},
       ""},
      {"captured: nothing runs",
       {on_stream("cudaStreamBeginCapture", kOwn), launch(kOwn),
        on_stream("cudaStreamEndCapture", kOwn)},
       ""},
      {"a kernel on the default stream has a finding of its own", {launch(0)}, ""},
      {"a fill on the default stream, and a kernel behind it",
       {on_stream("cudaMemsetAsync", 0), launch(0), launch(kGiven)},
       "cudaMemsetAsync"},
      {"a fill that names no stream", {on_stream("cudaMemset", 0), launch(kGiven)}, "cudaMemset"},
      {"a copy on the stream of the thread", {on_stream("cudaMemcpyAsync", 2)}, "cudaMemcpyAsync"},
      {"a graph on the default stream", {on_stream("cudaGraphLaunch", 0)}, "cudaGraphLaunch"},
      {"a fill on the default stream, joined",
       {on_stream("cudaMemsetAsync", 0), recorded(kEvent, 0), awaited(kGiven, kEvent)},
       ""},
      {"a fill on the default stream, and the host waits",
       {on_stream("cudaMemsetAsync", 0), on_stream("cudaDeviceSynchronize", 0)},
       ""},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const auto left = first_left_running(row.calls, {reinterpret_cast<cudaStream_t>(kGiven)});
    CHECK((left ? left->name : "") == std::string_view(row.left));
  }
}
