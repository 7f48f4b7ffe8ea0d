#include "harness/runner/child/server.h"

#include <cuda_profiler_api.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "harness/runner/child/device_error.h"

namespace ridge::runner {

namespace {

nlohmann::json failure(const std::string& stage, int code, const std::string& name, const std::string& text) {
  return {{"ok", false}, {"stage", stage}, {"code", code}, {"name", name}, {"text", text}};
}

}  // namespace

int Server::serve() {
  std::string packet(kLargestPacket, '\0');
  while (true) {
    ssize_t length = recv(socket_, packet.data(), packet.size(), 0);
    if (length <= 0) return length == 0 ? 0 : 1;  // the parent hung up
    auto command = nlohmann::json::parse(packet.data(), packet.data() + length);
    if (command.contains("token")) token_ = command["token"];
    nlohmann::json reply;
    try {
      reply = answer(command);
      reply["ok"] = true;
    } catch (const DeviceError& error) {
      reply = failure(error.stage, error.code, cudaGetErrorName(error.code),
                      error.what + ": " + cudaGetErrorString(error.code));
    } catch (const std::exception& error) {
      reply = failure(command["do"] == "load" ? "load" : "setup", 0, "", error.what());
    }
    std::fflush(nullptr);  // what the student printed goes before the answer
    reply["token"] = token_;
    reply["id"] = command["id"];
    // The loader's words may hold any bytes.
    std::string text = reply.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (send(socket_, text.data(), text.size(), MSG_NOSIGNAL) < 0) return 1;
  }
}

nlohmann::json Server::answer(const nlohmann::json& command) {
  const std::string& what = command.at("do").get_ref<const std::string&>();
  if (what == "greet") return greet();
  if (what == "load") {
    student_ = StudentCode::load(command.at("object").get<std::string>(), command.at("entry"),
                                 command.at("problem").get<std::string>());
    return nlohmann::json::object();
  }
  if (what == "case") return run_case(command);
  if (what == "prepare") return prepare(command);
  if (what == "round") return round(command.at("side") == "student");
  if (what == "collect") {
    sets_.at(command.at("set")).copy_back(memory_);
    return nlohmann::json::object();
  }
  throw std::runtime_error("the parent asked for \"" + what + "\", which this runner does not know");
}

nlohmann::json Server::greet() {
  int device = 0;
  check(cudaGetDevice(&device), "finding a device");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "asking the device what it is");
  size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for the free memory");
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  check(cudaEventCreate(&start_), "making an event");
  check(cudaEventCreate(&stop_), "making an event");
  return {{"device", properties.name},
          {"l2_bytes", properties.l2CacheSize},
          {"free_bytes", free_bytes},
          {"confined", {{"user", confined_.user}, {"files", confined_.files}, {"calls", confined_.calls}}}};
}

std::pair<double, double> Server::timed_call(const BufferSet* student_set, int set) {
  auto begin = std::chrono::steady_clock::now();
  check(cudaEventRecord(start_, stream_), "recording an event");
  if (student_set)
    student_.call({student_set->pointers(), sizes_, scalars_, stream_});
  else
    baseline_->run(set, stream_);
  cudaError_t stop_error = cudaEventRecord(stop_, stream_);
  check(cudaGetLastError(), "the launch was refused", "launch");
  check(cudaDeviceSynchronize(), "the kernel failed", "run");
  check(stop_error, "recording an event", "run");
  std::chrono::duration<double, std::milli> host = std::chrono::steady_clock::now() - begin;
  float device_ms = 0;
  check(cudaEventElapsedTime(&device_ms, start_, stop_), "reading the events", "run");
  return {device_ms, host.count()};
}

nlohmann::json Server::run_case(const nlohmann::json& command) {
  memory_.map(command.at("map_bytes"));
  sizes_ = command.at("sizes").get<problems::Sizes>();
  scalars_ = command.at("scalars").get<std::vector<double>>();
  BufferSet buffers(command.at("buffers").get<std::vector<BufferPlan>>(), memory_, false);
  check(cudaDeviceSynchronize(), "waiting for the inputs");
  bool profiled = command.at("profiled");
  if (profiled) cudaProfilerStart();
  auto [device_ms, host_ms] = timed_call(&buffers, 0);
  if (profiled) cudaProfilerStop();
  buffers.copy_back(memory_);
  return {{"device_ms", device_ms}, {"host_ms", host_ms}};
}

nlohmann::json Server::prepare(const nlohmann::json& command) {
  memory_.map(command.at("map_bytes"));
  sizes_ = command.at("sizes").get<problems::Sizes>();
  scalars_ = command.at("scalars").get<std::vector<double>>();
  sets_.clear();
  for (const auto& plans : command.at("sets"))
    sets_.emplace_back(plans.get<std::vector<BufferPlan>>(), memory_, true);
  baseline_ = make_baseline(command.at("baseline").get<std::string>());
  baseline_->prepare(static_cast<int>(sets_.size()), sizes_, command.at("baseline_bytes"));
  check(cudaDeviceSynchronize(), "waiting for the inputs");
  return nlohmann::json::object();
}

nlohmann::json Server::round(bool student) {
  if (student) {
    for (BufferSet& set : sets_)
      set.restore();
  }
  check(cudaDeviceSynchronize(), "restoring the buffers");
  std::vector<double> device_ms, host_ms;
  for (size_t set = 0; set < sets_.size(); ++set) {
    // A persisting-L2 window that the student's code left behind must not help the next call.
    cudaCtxResetPersistingL2Cache();
    auto [device, host] = timed_call(student ? &sets_[set] : nullptr, static_cast<int>(set));
    device_ms.push_back(device);
    host_ms.push_back(host);
  }
  return {{"device_ms", device_ms}, {"host_ms", host_ms}};
}

}  // namespace ridge::runner
