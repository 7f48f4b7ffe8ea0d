#include "harness/grade/findings/outcome.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <csignal>

namespace ridge::grade {

namespace {

using runner::ChildEnd;
using runner::Failure;

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

// True for the errors of calls that a stream capture does not allow, and of captures that ended
// with an error.
bool is_of_capture(int code) {
  return code >= cudaErrorStreamCaptureUnsupported && code <= cudaErrorStreamCaptureWrongThread;
}

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

// The runner's setup fails mostly for lack of memory; a library's start can fail for it, too.
bool lacks_memory(const Failure& failure) {
  constexpr int kMemoryAllocation = 2;  // cudaErrorMemoryAllocation
  const auto says = [&](const char* words) { return failure.text.find(words) != std::string::npos; };
  return failure.code == kMemoryAllocation || says("out of memory") ||
         says("annot allocate memory") || says("bad_alloc");
}

}  // namespace

Outcome outcome_with(const Finding& finding, std::string detail, const std::string& during) {
  std::string sentence = finding.sentence();
  if (!during.empty() && sentence.ends_with('.')) sentence.insert(sentence.size() - 1, ", " + during);
  return {finding.verdict(), std::move(sentence), finding.next(), std::move(detail), std::string(finding.id)};
}

Outcome outcome_of_load(const Failure& failure, double limit_seconds) {
  if (failure.stage != Failure::Stage::ended) return outcome_of(failure, "while it was loaded", limit_seconds);
  const std::string end = failure.end.words();
  switch (failure.end.how) {
    case ChildEnd::How::timed_out:
      return outcome_with({"timeout.load", {{"seconds", limit_seconds}}});
    case ChildEnd::How::signalled:
    case ChildEnd::How::over_limit:
      return outcome_with({"launch_error.ended_at_load", {{"end", end}}});
    default:
      return outcome_of(failure, "while it was loaded", limit_seconds);
  }
}

Outcome outcome_of(const Failure& failure, const std::string& during, double limit_seconds) {
  switch (failure.stage) {
    case Failure::Stage::ended:
      return outcome_with(finding_of(failure.end, limit_seconds), "", during);
    case Failure::Stage::load:
      return outcome_with({"launch_error.load"}, failure.text);
    case Failure::Stage::setup:
      return outcome_with({lacks_memory(failure) ? "skipped.no_memory" : "skipped.not_prepared"},
                          failure.text, during);
    case Failure::Stage::missing:
      return outcome_with({"skipped.no_library", {{"library", failure.name}}}, failure.text);
    case Failure::Stage::launch:
    case Failure::Stage::run:
      break;
  }
  std::string detail = fmt::format("{} ({})", failure.name, failure.text);
  if (failure.refused) {
    const Failure::RefusedCall& refused = *failure.refused;
    detail = fmt::format("{} answered {}. {}", refused.call, refused.name, detail);
    if (refused.freed_twice)
      return outcome_with({"launch_error.freed_twice", {{"call", refused.call}}}, std::move(detail), during);
    if (is_of_capture(refused.code))
      return outcome_with({"launch_error.capture", {{"call", refused.call}, {"error", refused.name}}}, std::move(detail),
                          during);
    if (failure.stage == Failure::Stage::launch)
      for (const ErrorCause& cause : kErrorCauses)
        if (cause.code == refused.code) return outcome_with({cause.id}, std::move(detail), during);
  }
  for (const ErrorCause& cause : kErrorCauses)
    if (cause.code == failure.code) return outcome_with({cause.id}, std::move(detail), during);
  return outcome_with(
      {failure.stage == Failure::Stage::launch ? "launch_error.refused" : "launch_error.run_failed"},
      std::move(detail), during);
}

}  // namespace ridge::grade
