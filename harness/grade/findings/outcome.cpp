#include "harness/grade/findings/outcome.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <csignal>
#include <filesystem>

namespace ridge::grade {

namespace {

using runner::ChildEnd;
using runner::Failure;

// The virtual GPU's checks. Where one check finds different causes, the words of its advice tell them apart;
// such a row comes before the general one.
struct CheckCause {
  std::string_view check, id;
  std::string_view words = {};
};
constexpr CheckCause kCheckCauses[] = {
    {"out_of_bounds", "out_of_bounds.access"},
    {"misaligned", "out_of_bounds.misaligned"},
    {"barrier", "deadlock.cluster_barrier", "the cluster's barrier"},
    {"barrier", "deadlock.block_barrier"},
    {"deadlock", "deadlock.waits"},
    {"race", "race.two_writes", "between the two writes"},
    {"race", "race.blocks_write", "be written by one block only"},
    {"race", "race.blocks_read", "blocks run in any order"},
    {"race", "race.shared"},
    {"uninitialised", "uninitialised.read"},
    {"time_limit", "timeout.kernel"},
    {"trap", "launch_error.trap"},
    {"assertion", "launch_error.assertion"},
    {"unknown_instruction", "launch_error.unknown_instruction"},
};

struct ErrorCause {
  cudaError_t code;
  std::string_view id;
};
constexpr ErrorCause kErrorCauses[] = {
    {cudaErrorInvalidConfiguration, "launch_error.configuration"},
    {cudaErrorLaunchOutOfResources, "launch_error.registers"},
    {cudaErrorInvalidValue, "launch_error.argument"},
    {cudaErrorIllegalAddress, "out_of_bounds.illegal_address"},
    {cudaErrorMisalignedAddress, "out_of_bounds.misaligned_on_gpu"},
    {cudaErrorAssert, "launch_error.assertion_on_gpu"},
    {cudaErrorLaunchTimeout, "timeout.kernel_on_gpu"},
    {cudaErrorLaunchFailure, "launch_error.kernel_failed"},
    {cudaErrorNoKernelImageForDevice, "launch_error.no_kernel_image"},
    {cudaErrorNotSupported, "launch_error.not_supported"},
};

std::string_view crash_cause(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
      return "launch_error.crash_pointer";
    case SIGABRT:
      return "launch_error.crash_abort";
    case SIGFPE:
      return "launch_error.crash_division";
    default:
      return "launch_error.crash";
  }
}

Finding finding_of(const ChildEnd& end, double limit_seconds) {
  switch (end.how) {
    case ChildEnd::How::exited:
      if (end.code == 0) return {"suspect.exited"};
      return {"launch_error.exited", {{"status", end.code}}};
    case ChildEnd::How::signalled:
      return {crash_cause(end.code), {{"end", end.words()}}};
    case ChildEnd::How::timed_out:
      return {"timeout.call", {{"seconds", limit_seconds}}};
    case ChildEnd::How::over_limit:
      return {"launch_error.over_limit", {{"end", end.words()}}};
    case ChildEnd::How::closed:
    case ChildEnd::How::malformed:
      break;
  }
  return {"suspect.runner_ended", {{"end", end.words()}}};
}

}  // namespace

Outcome outcome_with(const Finding& finding, std::string detail, const std::string& during) {
  std::string sentence = finding.sentence();
  if (!during.empty() && sentence.ends_with('.')) sentence.insert(sentence.size() - 1, ", " + during);
  return {finding.verdict(), std::move(sentence), finding.next(), std::move(detail), std::string(finding.id)};
}

Outcome outcome_of(const trace::Finding& finding, const std::string& during) {
  std::string place;
  if (finding.line) {
    std::string file = std::filesystem::path(finding.file).filename().string();
    place = file.empty() ? fmt::format(" in line {}", finding.line)
                         : fmt::format(" in {} line {}", file, finding.line);
    if (!finding.called_from.empty()) place += " (called from " + finding.called_from + ")";
  }
  for (const CheckCause& cause : kCheckCauses)
    if (cause.check == finding.check && finding.message.find(cause.words) != std::string::npos)
      return outcome_with({cause.id, {{"place", place}}}, finding.message, during);
  return outcome_with({"launch_error.stopped", {{"place", place}}}, finding.message, during);
}

Outcome outcome_of(const Failure& failure, const std::string& during, double limit_seconds) {
  switch (failure.stage) {
    case Failure::Stage::ended:
      return outcome_with(finding_of(failure.end, limit_seconds), "", during);
    case Failure::Stage::load:
      return outcome_with({"launch_error.load"}, failure.text);
    case Failure::Stage::setup:
      return outcome_with({"skipped.no_memory"}, failure.text, during);
    case Failure::Stage::missing:
      return outcome_with({"skipped.no_library", {{"library", failure.name}}}, failure.text);
    case Failure::Stage::launch:
    case Failure::Stage::run:
      break;
  }
  std::string detail = fmt::format("{} ({})", failure.name, failure.text);
  for (const ErrorCause& cause : kErrorCauses)
    if (cause.code == failure.code) return outcome_with({cause.id}, std::move(detail), during);
  return outcome_with(
      {failure.stage == Failure::Stage::launch ? "launch_error.refused" : "launch_error.run_failed"},
      std::move(detail), during);
}

}  // namespace ridge::grade
