#include "harness/grade/findings/compile_outcome.h"

#include "harness/grade/diagnosis/helper_call.h"

namespace ridge::grade {

namespace {

// nvcc says "error:", its host compiler "error :" or "error:".
int errors_in(const std::string& messages) {
  int errors = 0;
  for (size_t at = messages.find("error"); at != std::string::npos;
       at = messages.find("error", at + 5))
    errors += messages.compare(at, 6, "error:") == 0 || messages.compare(at, 7, "error :") == 0;
  return errors;
}

}  // namespace

Outcome outcome_of_compile(const build::Compiled& compiled,
                           const std::vector<std::filesystem::path>& folders) {
  if (!compiled.stopped.empty())
    return outcome_with({"compile_error.stopped", {{"why", compiled.stopped}}}, compiled.messages);
  if (compiled.messages.find("separate compilation mode") != std::string::npos)
    return outcome_with({"compile_error.device_launch"}, compiled.messages);
  if (const auto helper = mismatched_helper(compiled.messages, folders))
    return outcome_with(*helper, compiled.messages);
  const int errors = errors_in(compiled.messages);
  if (errors > 1)
    return outcome_with({"compile_error.several", {{"count", errors}}}, compiled.messages);
  return outcome_with({"compile_error.one"}, compiled.messages);
}

}  // namespace ridge::grade
