// A system call that failed, as an exception.
#pragma once

#include <cerrno>
#include <system_error>

namespace ridge::runner {

// `what` could not be done, and errno says why.
[[noreturn]] inline void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace ridge::runner
