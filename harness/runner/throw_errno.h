// Throws the error of a failed system call.
#pragma once

#include <cerrno>
#include <system_error>

namespace ridge::runner {

// `what` names the operation that failed; errno has the reason.
[[noreturn]] inline void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace ridge::runner
