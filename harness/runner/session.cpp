#include "harness/runner/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "harness/problems/rows_in_parallel.h"
#include "trace/environment.h"

namespace ridge::runner {

namespace {

using sandbox::Policy;

constexpr int64_t kWindowAlignment = 256;  // bytes: windows begin at element boundaries

Failure::Stage stage_from(const std::string& text) {
  if (text == "load") return Failure::Stage::load;
  if (text == "launch") return Failure::Stage::launch;
  if (text == "missing") return Failure::Stage::missing;
  return text == "run" ? Failure::Stage::run : Failure::Stage::setup;
}

HostCalls host_calls_from(const nlohmann::json& facts) {
  const nlohmann::json& error = facts.at("first_error");
  HostCalls calls;
  calls.ahead = facts.at("ahead");
  calls.launched = facts.at("launched");
  calls.left = facts.at("left");
  calls.waits = facts.at("waits");
  calls.copied_back = facts.at("copied_back");
  calls.unfreed = facts.at("unfreed");
  calls.unfreed_bytes = facts.at("unfreed_bytes");
  calls.warmed_up = facts.at("warmed_up");
  calls.launch_ms = facts.value("launch_ms", std::vector<double>());
  calls.spans = facts.at("spans").get<std::vector<std::pair<double, int>>>();
  calls.error = error.at("code");
  calls.error_name = error.at("name");
  return calls;
}

// Every other case has page-locked memory: copies without a wait then go on when the call returns.
bool is_page_locked(const problems::Case& given, bool profiled) {
  return given.problem->in_host_memory() && !profiled && given.seed % 2 == 1;
}

Failure malformed_reply() {
  Failure failure;
  failure.stage = Failure::Stage::ended;
  failure.end = {ChildEnd::How::malformed, 0};
  failure.text = failure.end.words();
  return failure;
}

}  // namespace

Session::Session(const SessionOptions& options)
    : guard_bytes_(options.guard_bytes),
      call_limit_seconds_(options.call_limit_seconds),
      readable_(options.readable) {
  std::string complaints;
  for (const SandboxChoice& choice : sandboxes_to_try(options.gpu)) {
    std::string complaint = choice.why_not.empty() ? start_in(choice, options) : choice.why_not;
    if (complaint.empty()) {
      remember_working(choice, options.gpu);
      return;
    }
    complaints += fmt::format("{}{}: {}", complaints.empty() ? "" : "\n", name_of(choice), complaint);
  }
  throw std::runtime_error(fmt::format("the runner {} could not start with the CUDA runtime of {}:\n{}",
                                       options.installation.runner.string(), options.library_folder.string(),
                                       complaints));
}

std::string Session::start_in(const SandboxChoice& choice, const SessionOptions& options) {
  Policy policy;
  policy.gpu = options.gpu;
  policy.loopback = options.loopback;
  policy.readable = options.readable;
  policy.hidden = options.hidden;
  policy.readable.push_back(options.installation.runner);
  policy.readable.push_back(options.library_folder);
  // RIDGE_DEVICE may name a file with a device description.
  if (const char* device = std::getenv(trace::kDeviceVariable); device && std::filesystem::exists(device))
    policy.readable.push_back(std::filesystem::absolute(device));
  if (!options.scratch.empty()) policy.writable.push_back(std::filesystem::absolute(options.scratch));
  StartOptions start = start_options(choice, policy);
  start.program = options.installation.runner;
  start.library_folder = options.library_folder;
  start.working_folder = options.scratch;
  start.environment = options.environment;
  // The driver's cache of compiled kernels belongs to the user and must not be written.
  if (!options.scratch.empty()) start.environment.emplace_back("CUDA_CACHE_PATH", options.scratch.string());
  if (!options.report_file.empty()) {
    start.environment.emplace_back(trace::kReportVariable,
                                   fmt::format("/proc/self/fd/{}", kReportDescriptor));
    start.environment.emplace_back(trace::kHostApartVariable, "1");
    start.environment.emplace_back(trace::kGradedVariable, "1");
  }
  start.report_file = options.report_file;
  start.memory_descriptor = memory_.descriptor();
  start.most_memory_bytes = options.most_memory_bytes;
  if (!options.scratch.empty()) start.most_folder_bytes = options.most_folder_bytes;
  child_ = std::make_unique<ChildProcess>(start);
  auto answer = ask({{"do", "greet"}}, 120);
  if (const auto* failure = std::get_if<Failure>(&answer)) {
    std::string printed = child_->printed();
    return (failure->stage == Failure::Stage::ended ? "it " + failure->end.words() : failure->text) +
           (printed.empty() ? "" : "\n" + printed);
  }
  const auto& reply = std::get<nlohmann::json>(answer);
  device_ = reply.at("device");
  l2_bytes_ = reply.at("l2_bytes");
  free_bytes_ = reply.at("free_bytes");
  pci_bus_id_ = reply.value("pci_bus_id", "");
  const auto& confined = reply.at("confined");
  sandbox::Confined got{confined.at("user"), confined.at("files"), confined.at("calls"), confined.at("loopback")};
  sandbox_ = words_for(choice, got);
  return complaint_about(choice, got);
}

std::variant<nlohmann::json, Failure> Session::ask(nlohmann::json command, double limit_seconds) {
  auto answer = child_->ask(std::move(command), limit_seconds);
  if (const auto* end = std::get_if<ChildEnd>(&answer)) {
    Failure failure;
    failure.stage = Failure::Stage::ended;
    failure.end = *end;
    failure.text = end->words();
    return failure;
  }
  auto& reply = std::get<nlohmann::json>(answer);
  try {
    if (reply.at("ok").get<bool>()) return std::move(reply);
    Failure failure{stage_from(reply.at("stage")), reply.at("code"), reply.at("name"), reply.at("text"), {}};
    if (const auto refused = reply.find("refused"); refused != reply.end() && !refused->is_null())
      failure.refused = {refused->at("call"), refused->at("code"), refused->at("name"), refused->at("freed_twice")};
    return failure;
  } catch (const nlohmann::json::exception&) {
    return malformed_reply();
  }
}

std::optional<Failure> Session::load(const std::filesystem::path& object, const std::string& entry,
                                     const problems::Problem& problem) {
  bool announced = std::any_of(readable_.begin(), readable_.end(), [&](const std::filesystem::path& path) {
    return object == path || object.string().starts_with(path.string() + "/");
  });
  if (!announced)
    throw std::logic_error(
        fmt::format("{} is not in SessionOptions::readable, so the child cannot see it", object.string()));
  before_ = snapshot_of(child_->answering());
  object_ = std::filesystem::weakly_canonical(object).string();
  auto answer = ask({{"do", "load"},
                     {"object", std::filesystem::absolute(object).string()},
                     {"entry", entry},
                     {"problem", std::string(problem.id)}},
                    call_limit_seconds_);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  return std::nullopt;
}

std::string Session::what_changed(const Allowed& allowed) const {
  return runner::what_changed(before_, snapshot_of(child_->answering(), &before_), object_, allowed);
}

void Session::write_inputs(const problems::Case& given, const std::vector<BufferPlan>& plans) {
  for (size_t i = 0; i < plans.size(); ++i) {
    if (!plans[i].read) continue;
    // Copied by all cores: one core takes a second for two gigabytes of untouched memory.
    constexpr int64_t kCopiedAtATime = 8 << 20;
    std::byte* to = memory_.at(plans[i].in_offset, plans[i].bytes).data();
    const std::byte* from = given.initial[i].data();
    problems::rows_in_parallel(static_cast<int64_t>(given.initial[i].size()), kCopiedAtATime,
                               [&](int64_t first, int64_t last) {
                                 std::memcpy(to + first, from + first, static_cast<size_t>(last - first));
                               });
  }
}

std::vector<Returned> Session::view(const std::vector<BufferPlan>& plans) const {
  std::vector<Returned> views;
  for (const BufferPlan& plan : plans)
    views.push_back({memory_.at(plan.out_offset, plan.guard),
                     memory_.at(plan.out_offset + plan.guard, plan.bytes),
                     memory_.at(plan.out_offset + plan.guard + plan.bytes, plan.guard), 0});
  return views;
}

std::variant<CaseRun, Failure> Session::run_case(const problems::Case& given, bool profiled) {
  int64_t bytes = 0;
  std::vector<BufferPlan> plans = plan_buffers(given.buffers, guard_bytes_, bytes);
  memory_.map(bytes);
  child_->set_shared_bytes(bytes);
  write_inputs(given, plans);
  auto answer = ask({{"do", "case"},
                     {"sizes", given.sizes},
                     {"scalars", given.scalars},
                     {"buffers", plans},
                     {"map_bytes", bytes},
                     {"profiled", profiled},
                     {"page_locked", is_page_locked(given, profiled)}},
                    call_limit_seconds_);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  const auto& reply = std::get<nlohmann::json>(answer);
  CaseRun run{view(plans), reply.value("device_ms", 0.0), reply.value("host_ms", 0.0),
              reply.value("addresses", std::vector<uint64_t>()), reply.value("left_running", ""),
              reply.value("left_on_default_stream", false),
              reply.value("left_allocated", std::array<uint64_t, 2>{})};
  if (given.problem->in_host_memory()) run.host_calls = host_calls_from(reply.at("host_calls"));
  return run;
}

std::variant<BaselineReport, Failure> Session::prepare(const Preparation& wanted) {
  in_a_row_ = static_cast<size_t>(wanted.in_a_row);
  if (in_a_row_ == 0 || wanted.sets.size() % in_a_row_ != 0)
    throw std::logic_error(fmt::format("{} sets are not rows of {}", wanted.sets.size(), wanted.in_a_row));
  int64_t bytes = 0;
  set_plans_ = plan_sets(wanted.sets.front().buffers, guard_bytes_, wanted.sets.size(), bytes);
  memory_.map(bytes);
  child_->set_shared_bytes(bytes);
  for (size_t i = 0; i < wanted.sets.size(); ++i)
    write_inputs(wanted.sets[i], set_plans_[i]);
  if (wanted.inputs_are_shared) wanted.inputs_are_shared();
  const problems::Case& first = wanted.sets.front();
  auto answer =
      ask({{"do", "prepare"},
           {"problem", std::string(first.problem->id)},
           {"sizes", first.sizes},
           {"scalars", first.scalars},
           {"sets", set_plans_},
           {"map_bytes", bytes},
           {"baseline", wanted.baseline},
           {"baseline_bytes", static_cast<int64_t>(problems::bytes_moved(first))},
           {"baseline_module", wanted.baseline_module.string()},
           {"second", wanted.second},
           {"second_module", wanted.second_module.string()},
           {"timing_module", wanted.timing_module.string()},
           {"in_a_row", wanted.in_a_row},
           {"capture", wanted.capture}},
          120 + call_limit_seconds_);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  const auto& report = std::get<nlohmann::json>(answer).at("baseline");
  BaselineReport baseline{report.at("library"), report.at("chosen"), {}};
  for (const auto& trial : report.at("trials"))
    baseline.trials.push_back({trial.at("name"), trial.at("time_ms")});
  return baseline;
}

std::variant<PassRun, Failure> Session::pass(Side side, const std::vector<size_t>& order, bool gated,
                                             const std::vector<size_t>& watched) {
  constexpr const char* kSides[] = {"baseline", "student", "second"};
  const char* const name = kSides[static_cast<size_t>(side)];
  std::string not_captured;
  if (in_a_row_ > 1) {  // no part of the pass's time by our own clock
    auto rows = ask({{"do", "rows"}, {"side", name}, {"order", order}, {"watched", watched}}, call_limit_seconds_);
    if (auto* failure = std::get_if<Failure>(&rows)) return std::move(*failure);
    not_captured = std::get<nlohmann::json>(rows).value("not_captured", "");
  }
  const auto begin = std::chrono::steady_clock::now();
  auto answer = ask({{"do", "pass"}, {"side", name}, {"order", order}, {"gated", gated}}, call_limit_seconds_);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
  const auto& reply = std::get<nlohmann::json>(answer);
  PassRun run{reply.value("device_ms", std::vector<double>()), reply.value("host_ms", std::vector<double>()),
              passed.count(), std::move(not_captured)};
  const size_t samples = order.size() / in_a_row_;
  if (run.device_ms.size() != samples || run.host_ms.size() != samples) return malformed_reply();
  return run;
}

std::optional<Failure> Session::renew(std::span<const problems::Case> sets,
                                      const std::vector<size_t>& changed) {
  for (const size_t i : changed)
    write_inputs(sets[i], set_plans_.at(i));
  auto answer = ask({{"do", "renew"}, {"sets", changed}}, 30 + call_limit_seconds_);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  return std::nullopt;
}

std::variant<std::vector<Returned>, Failure> Session::collect(size_t slot, double first_of_input) {
  const std::vector<BufferPlan>& plans = set_plans_.at(slot);
  std::vector<Window> windows;
  for (const BufferPlan& plan : plans) {
    const int64_t count = plan.written ? plan.bytes : std::min(plan.bytes, kInputWindowBytes);
    const double room = static_cast<double>(plan.bytes - count) * first_of_input;
    windows.push_back({static_cast<int64_t>(room) / kWindowAlignment * kWindowAlignment, count});
  }
  auto answer = ask({{"do", "collect"}, {"slot", slot}, {"windows", windows}}, 30 + call_limit_seconds_);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  std::vector<Returned> returned = view(plans);
  for (size_t i = 0; i < plans.size(); ++i) {
    returned[i].first = windows[i].first;
    returned[i].data = returned[i].data.subspan(static_cast<size_t>(windows[i].first),
                                                static_cast<size_t>(windows[i].count));
  }
  return returned;
}

std::variant<MeasuredRoofs, Failure> Session::roofs() {
  auto answer = ask({{"do", "roofs"}}, 30);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  const auto& reply = std::get<nlohmann::json>(answer);
  return MeasuredRoofs{reply.at("copy_gb_per_s"), reply.at("launch_ms"), reply.at("fp32_tflops"),
                       reply.at("read_gb_per_s")};
}

}  // namespace ridge::runner
