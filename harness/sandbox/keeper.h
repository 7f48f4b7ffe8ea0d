// ridge-keeper is a process between us and a program that must not outlive us, however and whenever
// we end. A death signal is not sufficient: it applies only to the process that requested it, and
// bubblewrap's inner process requests it late; before that it would wait forever for a killed outer
// process. The keeper adopts all processes that the program leaves behind. It ends all of them when
// the program has ended, or when the other end of the lifeline is closed, which the kernel does
// when we end.
#pragma once

#include <filesystem>

namespace ridge::sandbox {

// The keeper's own descriptors, in addition to those that it passes on. The second receives an
// errno when the program could not be executed, and may be missing.
inline constexpr int kLifelineDescriptor = 8, kFailureDescriptor = 9;

// The keeper's path, next to the running program, to be put before the program and its arguments.
// Throws std::runtime_error when it is missing.
std::filesystem::path find_keeper();

// A pipe: we hold `kept`; `given` becomes the keeper's kLifelineDescriptor. Both are closed by
// exec.
struct Lifeline {
  int kept = -1, given = -1;
};
Lifeline make_lifeline();  // throws std::system_error

}  // namespace ridge::sandbox
