// Calls of functions: how values are passed, and what functions that no module defines do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_gpu/machine/program/memory_op.h"

namespace ridge::machine {

inline constexpr uint32_t kNoTarget = 0xffffffffu;

// Values that pass through .param variables are kept as rows of 32-bit words in the frame's registers.
struct ParameterSlot {
  RowOffset row = 0;
  uint32_t words = 0;
  bool wide_register = false;  // a 64-bit register given directly as an argument
};

enum class Builtin : uint8_t {
  none,
  print,
  assert_fail,
  allocate,
  release,
  // dynamic parallelism
  prepare_child,
  launch_child,
  last_error,
  peek_error,
  make_handle,
  use_handle,
  device_malloc,  // cudaMalloc and cudaFree of a kernel: of the heap that malloc uses
  device_free,
  error_string,
  error_name,
  device_count,
  current_device,
  set_conditional  // of a conditional node of a graph
};

// What a call of a function that no module defines does; `none` when it is not known.
Builtin builtin_named(std::string_view name);

struct CallOp {
  uint32_t callee =
      kNoTarget;  // index in Program::functions; kNoTarget: the address is in `target`
  Builtin builtin = Builtin::none;
  RowOffset target = 0;
  std::vector<ParameterSlot> arguments, results;
  std::string name;
};

}  // namespace ridge::machine
