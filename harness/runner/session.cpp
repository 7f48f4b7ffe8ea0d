#include "harness/runner/session.h"

#include <fmt/format.h>

#include <stdexcept>

namespace ridge::runner {

namespace {

StartOptions start_options(const SessionOptions& options, int memory_descriptor) {
  StartOptions start;
  start.program = options.installation.runner;
  start.arguments = {"--serve"};
  start.library_folder = options.library_folder;
  start.working_folder = options.scratch;
  start.environment = options.environment;
  start.memory_descriptor = memory_descriptor;
  return start;
}

Failure::Stage stage_from(const std::string& text) {
  if (text == "load") return Failure::Stage::load;
  if (text == "launch") return Failure::Stage::launch;
  return text == "run" ? Failure::Stage::run : Failure::Stage::setup;
}

}  // namespace

Session::Session(const SessionOptions& options)
    : child_(start_options(options, memory_.descriptor())),
      guard_bytes_(options.guard_bytes),
      call_limit_seconds_(options.call_limit_seconds) {
  auto answer = ask({{"do", "greet"}}, 30);
  if (const auto* failure = std::get_if<Failure>(&answer))
    throw std::runtime_error(
        fmt::format("the runner {} could not start with the CUDA runtime of {}: {}\n{}",
                    options.installation.runner.string(), options.library_folder.string(),
                    failure->stage == Failure::Stage::ended ? "it " + failure->end.words() : failure->text,
                    child_.printed()));
  const auto& reply = std::get<nlohmann::json>(answer);
  device_ = reply.at("device");
  l2_bytes_ = reply.at("l2_bytes");
  free_bytes_ = reply.at("free_bytes");
}

std::variant<nlohmann::json, Failure> Session::ask(nlohmann::json command, double limit_seconds) {
  auto answer = child_.ask(std::move(command), limit_seconds);
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
    return Failure{stage_from(reply.at("stage")), reply.at("code"), reply.at("name"), reply.at("text"), {}};
  } catch (const nlohmann::json::exception&) {
    Failure failure;
    failure.stage = Failure::Stage::ended;
    failure.end = {ChildEnd::How::nonsense, 0};
    failure.text = failure.end.words();
    return failure;
  }
}

std::optional<Failure> Session::load(const std::filesystem::path& object, const std::string& entry,
                                     const problems::Problem& problem) {
  auto answer = ask({{"do", "load"},
                     {"object", std::filesystem::absolute(object).string()},
                     {"entry", entry},
                     {"problem", std::string(problem.id)}},
                    call_limit_seconds_);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  return std::nullopt;
}

void Session::write_inputs(const problems::Case& given, const std::vector<BufferPlan>& plans) {
  for (size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].read)
      std::memcpy(memory_.at(plans[i].in_offset, plans[i].bytes).data(), given.initial[i].data(),
                  given.initial[i].size());
  }
}

std::vector<Returned> Session::view(const std::vector<BufferPlan>& plans) const {
  std::vector<Returned> views;
  for (const BufferPlan& plan : plans)
    views.push_back({memory_.at(plan.out_offset, plan.guard),
                     memory_.at(plan.out_offset + plan.guard, plan.bytes),
                     memory_.at(plan.out_offset + plan.guard + plan.bytes, plan.guard)});
  return views;
}

std::variant<CaseRun, Failure> Session::run_case(const problems::Case& given, bool profiled) {
  int64_t bytes = 0;
  std::vector<BufferPlan> plans = plan_buffers(given.buffers, guard_bytes_, bytes);
  memory_.map(bytes);
  write_inputs(given, plans);
  auto answer = ask({{"do", "case"},
                     {"sizes", given.sizes},
                     {"scalars", given.scalars},
                     {"buffers", plans},
                     {"map_bytes", bytes},
                     {"profiled", profiled}},
                    call_limit_seconds_);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  const auto& reply = std::get<nlohmann::json>(answer);
  return CaseRun{view(plans), reply.value("device_ms", 0.0), reply.value("host_ms", 0.0)};
}

std::optional<Failure> Session::prepare(const std::vector<problems::Case>& sets,
                                        const std::string& baseline) {
  int64_t bytes = 0;
  set_plans_.clear();
  for (const problems::Case& set : sets)
    set_plans_.push_back(plan_buffers(set.buffers, guard_bytes_, bytes));
  memory_.map(bytes);
  for (size_t i = 0; i < sets.size(); ++i)
    write_inputs(sets[i], set_plans_[i]);
  const problems::Case& first = sets.front();
  auto answer =
      ask({{"do", "prepare"},
           {"sizes", first.sizes},
           {"scalars", first.scalars},
           {"sets", set_plans_},
           {"map_bytes", bytes},
           {"baseline", baseline},
           {"baseline_bytes", static_cast<int64_t>(problems::bytes_moved(*first.problem, first.sizes))}},
          60 + call_limit_seconds_);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  return std::nullopt;
}

std::variant<RoundRun, Failure> Session::round(bool student) {
  auto answer = ask({{"do", "round"}, {"side", student ? "student" : "baseline"}}, call_limit_seconds_);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  const auto& reply = std::get<nlohmann::json>(answer);
  return RoundRun{reply.value("device_ms", std::vector<double>()),
                  reply.value("host_ms", std::vector<double>())};
}

std::variant<std::vector<Returned>, Failure> Session::collect(size_t set) {
  auto answer = ask({{"do", "collect"}, {"set", set}}, 30 + call_limit_seconds_);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  return view(set_plans_[set]);
}

}  // namespace ridge::runner
