// Records what the calling thread executes, for the message when a signal ends the program inside
// the virtual GPU.
#pragma once

#include <optional>

#include "virtual_gpu/machine/grid/launch.h"

namespace ridge::machine {

struct ExecutionContext;

// During its lifetime the calling thread runs `program`; with a context, also its position is
// known.
class ExecutionMark {
 public:
  ExecutionMark(const Program& program, const LaunchConfig& config,
                const ExecutionContext* context = nullptr);
  ~ExecutionMark();
  ExecutionMark(const ExecutionMark&) = delete;
  ExecutionMark& operator=(const ExecutionMark&) = delete;

 private:
  const ExecutionMark* const outer_;
  const Program& program_;
  const LaunchConfig& config_;
  const ExecutionContext* const context_;
  friend struct ExecutionPlace;
};

// The strings belong to the program. Without an instruction the thread is preparing or ending the
// launch.
struct ExecutionPlace {
  const char* kernel = "";  // mangled
  const char* text = nullptr;
  const char* file = "";
  uint32_t line = 0, ptx_line = 0;
  Dim3 block;
  uint32_t warp = 0;
  bool bounds_checks = true;

  // nullopt: the calling thread runs no launch. May be called in a signal handler.
  static std::optional<ExecutionPlace> of_this_thread();
};

}  // namespace ridge::machine
