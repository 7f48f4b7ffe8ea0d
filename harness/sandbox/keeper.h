// ridge-keeper stands between us and a program that must not outlive us, whatever ends us and whenever.
//
// A death signal does not do that: it is the caller's only, reaches the one process that asked for it, and
// bubblewrap's inner process asks late. Until then it waits for its outer one, for ever if that was killed.
// The keeper adopts whatever the program leaves behind, and ends all of it when the program has ended or when
// nobody holds the other end of the lifeline any more, which the kernel sees to.
#pragma once

#include <filesystem>

namespace ridge::sandbox {

// What the keeper finds open beside what it hands on. The second carries an errno when the program could not
// be executed, and may be missing.
inline constexpr int kLifelineDescriptor = 8, kFailureDescriptor = 9;

// Beside the running program; to be put before the program and its arguments. Throws std::runtime_error when
// it is not there.
std::filesystem::path find_keeper();

// A pipe: `kept` stays with us, `given` becomes the keeper's kLifelineDescriptor. Both are closed by exec.
struct Lifeline {
  int kept = -1, given = -1;
};
Lifeline make_lifeline();  // throws std::system_error

}  // namespace ridge::sandbox
