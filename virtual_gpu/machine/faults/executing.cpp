#include "virtual_gpu/machine/faults/executing.h"

#include "virtual_gpu/machine/execution_context.h"

namespace ridge::machine {
namespace {

thread_local const ExecutionMark* innermost = nullptr;

}  // namespace

ExecutionMark::ExecutionMark(const Program& program, const LaunchConfig& config,
                             const ExecutionContext* context)
    : outer_(innermost), program_(program), config_(config), context_(context) {
  innermost = this;
}

ExecutionMark::~ExecutionMark() {
  innermost = outer_;
}

std::optional<ExecutionPlace> ExecutionPlace::of_this_thread() {
  const ExecutionMark* const mark = innermost;
  if (mark == nullptr) return std::nullopt;
  ExecutionPlace place;
  place.kernel = mark->program_.info.name.c_str();
  place.bounds_checks = mark->config_.bounds_checks;
  const ExecutionContext* const context = mark->context_;
  if (context == nullptr || context->block == nullptr || context->warp == nullptr ||
      context->pc >= mark->program_.sources.size())
    return place;
  const InstructionSource& source = mark->program_.sources[context->pc];
  place.text = source.text.data();
  place.file = source.file.empty() ? "" : source.file.data();  // of a std::string
  place.line = source.line;
  place.ptx_line = source.ptx_line;
  place.block = context->block->index;
  place.warp = context->warp->index;
  return place;
}

}  // namespace ridge::machine
