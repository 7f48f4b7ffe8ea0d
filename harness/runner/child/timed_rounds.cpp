#include "harness/runner/child/timed_rounds.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "harness/runner/child/device_error.h"

namespace ridge::runner {

namespace {

nlohmann::json json_of(const BaselineReport& report) {
  nlohmann::json trials = nlohmann::json::array();
  for (const BaselineTrial& trial : report.trials)
    trials.push_back({{"name", trial.name}, {"time_ms", trial.time_ms}});
  return {{"library", report.library}, {"chosen", report.chosen}, {"trials", trials}};
}

// Removes an L2 access policy window that stays on the stream, with its persisting lines, so that
// they do not help the next call.
void forget_persisting_lines(cudaStream_t stream) {
  cudaStreamAttrValue none = {};
  none.accessPolicyWindow.num_bytes = 0;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &none);
  cudaCtxResetPersistingL2Cache();
  cudaGetLastError();  // GPUs without such windows return an error; nothing to do there
}

// Resets device settings between the two sides: L2 that one side set aside is not a cache for the
// other.
void undo_device_settings() {
  size_t set_aside = 0;
  if (cudaDeviceGetLimit(&set_aside, cudaLimitPersistingL2CacheSize) == cudaSuccess && set_aside > 0)
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
  cudaDeviceSetCacheConfig(cudaFuncCachePreferNone);
  cudaGetLastError();
}

// Keeps the memory of cudaMallocAsync in the pool, as in a program that calls a kernel often. A
// pool that returns its memory to the system does so at a synchronisation after the call, which is
// not timed.
void keep_pooled_memory() {
  int device = 0;
  cudaMemPool_t pool = nullptr;
  uint64_t everything = UINT64_MAX;
  if (cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess)
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything);
  cudaGetLastError();  // devices without pools return an error
}

}  // namespace

nlohmann::json TimedRounds::prepare(const nlohmann::json& command, SharedMemory& memory,
                                    RankDevices& devices, cudaStream_t stream) {
  row_graphs_.clear();
  sets_.reset();
  baseline_.reset();
  second_.reset();
  keep_pooled_memory();
  memory.map(command.at("map_bytes"));
  work_ = {&problems::find_problem(command.at("problem").get<std::string>()),
           command.at("sizes").get<problems::Sizes>(), command.at("scalars").get<std::vector<double>>(),
           command.at("baseline_bytes"), stream, {stream}, command.at("in_a_row")};
  captures_ = command.at("capture");
  for (std::string& why_not : not_captured_)
    why_not.clear();
  if (work_.problem->on_ranks) {
    devices.open(static_cast<int>(work_.sizes.front()), stream);
    work_.streams = devices.streams(static_cast<int>(work_.sizes.front()));
  }
  timer_ = Timer(work_.streams);
  if (const std::string module = command.at("timing_module"); !module.empty()) timer_.use_module(module);
  baseline_ = make_baseline(command.at("baseline"), command.at("baseline_module"));
  if (const std::string second = command.at("second"); !second.empty())
    second_ = make_baseline(second, command.at("second_module"));
  std::vector<std::vector<BufferPlan>> plans;
  for (const auto& set : command.at("sets"))
    plans.push_back(set.get<std::vector<BufferPlan>>());
  if (plans.empty()) throw std::runtime_error("no set of buffers was given");
  std::vector<size_t> order(plans.size());
  sets_.emplace(std::move(plans), memory,
                std::max(baseline_->slot_bytes(work_), second_ ? second_->slot_bytes(work_) : 0));
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  sets_->move(order);
  sets_->fill(stream);
  check(cudaDeviceSynchronize(), "waiting for the inputs");
  BaselineReport report = baseline_->prepare(work_, sets_->slot(0));
  if (second_) second_->prepare(work_, sets_->slot(0));
  check(cudaDeviceSynchronize(), "preparing the baseline");
  return {{"baseline", json_of(report)}};
}

nlohmann::json TimedRounds::pass(const nlohmann::json& command, const StudentCode* student) {
  if (!sets_) throw std::runtime_error("a pass was asked for before anything was prepared");
  const auto order = command.at("order").get<std::vector<size_t>>();
  const bool gated = command.at("gated");
  Baseline* const baseline = command.at("side") == "second" ? second_.get() : baseline_.get();
  if (!student && !baseline) throw std::runtime_error("a pass was asked for of a baseline that was not prepared");
  undo_device_settings();
  if (work_.in_a_row > 1) return pass_in_rows(gated, student, baseline);
  sets_->move(order);
  sets_->fill(work_.stream);
  check(cudaDeviceSynchronize(), "filling the buffers");
  std::vector<double> device_ms, host_ms;
  for (size_t i = 0; i < sets_->count(); ++i) {
    forget_persisting_lines(work_.stream);
    const CallTime time = timer_.time([&] { call(sets_->slot(i), student, baseline); }, gated);
    device_ms.push_back(time.device_ms);
    host_ms.push_back(time.host_ms);
  }
  return {{"device_ms", device_ms}, {"host_ms", host_ms}};
}

void TimedRounds::call(const Slot& slot, const StudentCode* student, Baseline* baseline) const {
  if (student)
    student->call({slot.pointers, work_.sizes, work_.scalars, work_.stream, work_.streams});
  else
    baseline->run(slot);
}

std::vector<RowGraph> TimedRounds::capture(size_t rows, bool is_student,
                                           const std::function<void(size_t row)>& enqueue) {
  std::vector<RowGraph> graphs;
  std::string& why_not = not_captured_[is_student];
  // Both sides in the same way; the baseline's pass comes first.
  if (is_student && why_not.empty()) why_not = not_captured_[false];
  for (size_t row = 0; captures_ && why_not.empty() && row < rows; ++row)
    if (auto graph = RowGraph::capture(work_.streams, [&] { enqueue(row); }, why_not))
      graphs.push_back(std::move(*graph));
  // A function may have queued something elsewhere although it is captured.
  synchronize_devices(static_cast<int>(work_.streams.size()));
  if (!why_not.empty()) graphs.clear();
  return graphs;
}

void TimedRounds::enqueue_row(size_t row, const StudentCode* student, Baseline* baseline) const {
  const auto calls = static_cast<size_t>(work_.in_a_row);
  for (size_t slot = row * calls; slot < (row + 1) * calls; ++slot) {
    const bool is_watched = sets_->is_watched(slot);
    if (is_watched && timer_.can_write_late()) timer_.write_late(sets_->late_inputs(slot), arrivals() + row);
    call(sets_->slot(slot), student, baseline);
    if (is_watched) sets_->keep(slot, work_.streams);
  }
}

nlohmann::json TimedRounds::prepare_rows(const nlohmann::json& command, const StudentCode* student) {
  if (!sets_ || work_.in_a_row == 1) throw std::runtime_error("rows were asked for before any were prepared");
  Baseline* const baseline = command.at("side") == "second" ? second_.get() : baseline_.get();
  const size_t rows = sets_->count() / static_cast<size_t>(work_.in_a_row);
  row_graphs_.clear();
  sets_->move(command.at("order").get<std::vector<size_t>>());
  sets_->watch(command.at("watched").get<std::vector<size_t>>(), timer_.can_write_late());
  arrivals_ = DeviceMemory(static_cast<int64_t>(rows * sizeof(unsigned)), 0);
  row_graphs_ = capture(rows, student != nullptr, [&](size_t row) { enqueue_row(row, student, baseline); });
  return {{"not_captured", not_captured_[student != nullptr]}};
}

nlohmann::json TimedRounds::pass_in_rows(bool gated, const StudentCode* student, Baseline* baseline) {
  const size_t rows = sets_->count() / static_cast<size_t>(work_.in_a_row);
  check(cudaMemsetAsync(arrivals(), 0, rows * sizeof(unsigned), work_.stream), "filling the buffers");
  sets_->fill(work_.stream);
  check(cudaDeviceSynchronize(), "filling the buffers");
  std::vector<double> device_ms, host_ms;
  for (size_t row = 0; row < rows; ++row) {
    forget_persisting_lines(work_.stream);
    const bool captured = !row_graphs_.empty();
    // The launch of a graph takes the host as long as that of a few kernels per device.
    const int queued = captured ? 4 : work_.in_a_row;
    const CallTime time = timer_.time(
        [&] { captured ? row_graphs_[row].launch() : enqueue_row(row, student, baseline); }, gated, queued);
    device_ms.push_back(time.device_ms);
    host_ms.push_back(time.host_ms);
  }
  return {{"device_ms", device_ms}, {"host_ms", host_ms}};
}

nlohmann::json TimedRounds::renew(const nlohmann::json& command, const SharedMemory& memory) {
  if (!sets_) throw std::runtime_error("other inputs came before anything was prepared");
  sets_->renew(command.at("sets").get<std::vector<size_t>>(), memory);
  check(cudaDeviceSynchronize(), "waiting for the inputs");
  return nlohmann::json::object();
}

nlohmann::json TimedRounds::collect(const nlohmann::json& command, const SharedMemory& memory) const {
  if (!sets_) throw std::runtime_error("nothing was prepared that could be collected");
  sets_->copy_back(command.at("slot"), command.at("windows").get<std::vector<Window>>(), memory);
  return nlohmann::json::object();
}

nlohmann::json TimedRounds::roofs() const {
  const Roofs roofs = timer_.roofs();
  return {{"copy_gb_per_s", roofs.copy_gb_per_s},
          {"read_gb_per_s", roofs.read_gb_per_s},
          {"launch_ms", roofs.launch_ms},
          {"fp32_tflops", roofs.fp32_tflops}};
}

}  // namespace ridge::runner
