#include "harness/runner/child/server.h"

#include <cuda_profiler_api.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "harness/runner/child/calls/host_calls.h"
#include "harness/runner/child/calls/observed_calls.h"
#include "harness/runner/child/calls/stream_order.h"
#include "harness/runner/child/calls/timed_launches.h"
#include "harness/runner/child/device_error.h"
#include "harness/runner/child/host_memory.h"

namespace ridge::runner {

namespace {

nlohmann::json failure(const std::string& stage, int code, const std::string& name, const std::string& text) {
  return {{"ok", false}, {"stage", stage}, {"code", code}, {"name", name}, {"text", text}};
}

// The first error that a call of the function returned, or else that of its work: {"code", "name"}.
nlohmann::json first_error_of(const std::vector<ObservedCall>& calls, cudaError_t at_the_end) {
  const std::optional<ObservedCall> refused = first_refused(calls);
  const cudaError_t code = refused ? refused->code : at_the_end;
  return {{"code", code}, {"name", code == cudaSuccess ? "" : cudaGetErrorName(code)}};
}

}  // namespace

int Server::serve() {
  std::string packet(kLargestPacket, '\0');
  while (true) {
    ssize_t length = recv(socket_, packet.data(), packet.size(), 0);
    if (length <= 0) return length == 0 ? 0 : 1;  // the parent closed the connection
    auto command = nlohmann::json::parse(packet.data(), packet.data() + length);
    if (command.contains("token")) token_ = command["token"];
    nlohmann::json reply;
    try {
      reply = answer(command);
      reply["ok"] = true;
    } catch (const DeviceError& error) {
      reply = failure(error.stage, error.code, cudaGetErrorName(error.code),
                      error.what + ": " + cudaGetErrorString(error.code));
      if (command["do"] == "case") reply["refused"] = refusal_of(observed_calls());
    } catch (const MissingLibrary& missing) {
      reply = failure("missing", 0, missing.name, missing.text);
    } catch (const std::exception& error) {
      reply = failure(command["do"] == "load" ? "load" : "setup", 0, "", error.what());
    }
    std::fflush(nullptr);  // the student's output must precede the answer
    reply["token"] = token_;
    reply["id"] = command["id"];
    // The loader's message may contain any bytes.
    std::string text = reply.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (send(socket_, text.data(), text.size(), MSG_NOSIGNAL) < 0) return 1;
  }
}

void Server::replay(const nlohmann::json& commands) {
  for (const auto& command : commands)
    answer(command);
}

nlohmann::json Server::answer(const nlohmann::json& command) {
  const std::string& what = command.at("do").get_ref<const std::string&>();
  if (what == "greet") return greet();
  if (what == "load") {
    student_ = StudentCode::load(command.at("object").get<std::string>(), command.at("entry"),
                                 command.at("problem").get<std::string>());
    return nlohmann::json::object();
  }
  if (what == "case")
    return student_.problem != nullptr && student_.problem->in_host_memory() ? run_host_case(command)
                                                                            : run_case(command);
  if (what == "prepare") return rounds_.prepare(command, memory_, devices_, stream_);
  if (what == "pass") return rounds_.pass(command, command.at("side") == "student" ? &student_ : nullptr);
  if (what == "rows")
    return rounds_.prepare_rows(command, command.at("side") == "student" ? &student_ : nullptr);
  if (what == "renew") return rounds_.renew(command, memory_);
  if (what == "collect") return rounds_.collect(command, memory_);
  if (what == "roofs") return rounds_.roofs();
  throw std::runtime_error("the parent asked for \"" + what + "\", which this runner does not know");
}

nlohmann::json Server::greet() {
  int device = 0;
  check(cudaGetDevice(&device), "finding a device");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "querying the device");
  size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for the free memory");
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  char bus[32] = "";
  if (cudaDeviceGetPCIBusId(bus, sizeof bus, device) != cudaSuccess) (void)cudaGetLastError();
  return {{"device", properties.name},
          {"l2_bytes", properties.l2CacheSize},
          {"free_bytes", free_bytes},
          {"pci_bus_id", bus},
          {"confined", {{"user", confined_.user}, {"files", confined_.files}, {"calls", confined_.calls}, {"loopback", confined_.loopback}}}};
}

nlohmann::json Server::run_case(const nlohmann::json& command) {
  memory_.map(command.at("map_bytes"));
  const auto sizes = command.at("sizes").get<problems::Sizes>();
  const auto scalars = command.at("scalars").get<std::vector<double>>();
  const bool on_ranks = student_.problem != nullptr && student_.problem->on_ranks;
  std::vector<cudaStream_t> streams = {stream_};
  if (on_ranks) {
    devices_.open(static_cast<int>(sizes.front()), stream_);
    streams = devices_.streams(static_cast<int>(sizes.front()));
  }
  BufferSet buffers(command.at("buffers").get<std::vector<BufferPlan>>(), memory_);
  synchronize_devices(static_cast<int>(streams.size()));
  // The range contains only the runtime calls of the student.
  bool profiled = command.at("profiled");
  const CallTime time = Timer(streams).time(
      [&] {
        if (profiled) cudaProfilerStart();
        {
          const CallObservation observation;
          student_.call({buffers.pointers(), sizes, scalars, stream_, streams});
        }
        if (profiled) cudaProfilerStop();
        if (on_ranks) buffers.keep_outputs(streams);
      },
      false);
  buffers.copy_back(memory_);
  std::vector<uint64_t> addresses;
  for (const void* pointer : buffers.pointers())
    addresses.push_back(reinterpret_cast<uintptr_t>(pointer));
  nlohmann::json reply = {{"device_ms", time.device_ms}, {"host_ms", time.host_ms}, {"addresses", addresses}};
  if (const auto left = first_left_running(observed_calls(), streams)) {
    reply["left_running"] = left->name;
    reply["left_on_default_stream"] = is_default_stream(left->stream);
  } else if (!observed_all_calls()) {
    reply["left_running"] = "one of very many calls";
  }
  if (const LeftMemory left = left_allocated(observed_calls()); left.blocks > 0 && observed_all_calls())
    reply["left_allocated"] = {left.blocks, left.bytes};
  return reply;
}

nlohmann::json Server::run_host_case(const nlohmann::json& command) {
  memory_.map(command.at("map_bytes"));
  const auto sizes = command.at("sizes").get<problems::Sizes>();
  const auto scalars = command.at("scalars").get<std::vector<double>>();
  const HostBufferSet buffers(command.at("buffers").get<std::vector<BufferPlan>>(),
                              command.value("page_locked", false), memory_);
  check(cudaDeviceSynchronize(), "waiting before the call");
  const bool profiled = command.at("profiled");
  const auto begin = std::chrono::steady_clock::now();
  if (profiled) cudaProfilerStart();
  std::optional<TimedLaunches> timed;
  if (student_.problem->host_code == problems::HostCode::time) timed.emplace();
  {
    const CallObservation observation;
    student_.call({buffers.pointers(), sizes, scalars, nullptr});
  }
  if (profiled) cudaProfilerStop();
  const std::chrono::duration<double, std::milli> host = std::chrono::steady_clock::now() - begin;
  nlohmann::json facts = host_facts(
      observed_calls(), {[&](uint64_t address) { return buffers.is_output(address); }, buffers.is_page_locked()});
  // An error may stay for the next call that looks for one.
  const cudaError_t kept = cudaGetLastError(), ended = cudaDeviceSynchronize();
  facts["first_error"] = first_error_of(observed_calls(), ended);
  if (student_.problem->host_code != problems::HostCode::first_error) {
    check(ended, "the kernel failed", "run");
    if (const auto refused = first_refused(observed_calls()))
      check(refused->code, "the call was refused", "launch");
    // An event that was asked too early is a result, not an error.
    if (kept != cudaErrorNotReady) check(kept, "the launch was refused", "launch");
  }
  if (timed) facts["launch_ms"] = timed->milliseconds();
  buffers.copy_back(memory_);
  return {{"host_ms", host.count()}, {"host_calls", std::move(facts)}};
}

}  // namespace ridge::runner
